"""What advice says, rule by rule, to the letter."""

from __future__ import annotations

from small_labs import flavor, job, lab, manifest, queue

from kueuelab.whatif.advice import advise


def test_each_rule_says_what_is_there_why_and_what_to_do() -> None:
    made = lab(
        [
            flavor(),
            flavor("east", nodeLabels={"zone": "e"}),
            flavor("west", nodeLabels={"zone": "w"}),
            queue("alone", {"default": 2}, preemption={"reclaimWithinCohort": "Any"}),
            queue(
                "solo",
                {"default": 2},
                cohortName="solo",
                preemption={
                    "borrowWithinCohort": {"policy": "LowerPriority"},
                    "reclaimWithinCohort": "Any",
                },
            ),
            queue(
                "nolimit",
                {"default": 2},
                cohortName="pair",
                limits={"borrowingLimit": 0},
                preemption={
                    "borrowWithinCohort": {"policy": "LowerPriority"},
                    "reclaimWithinCohort": "Any",
                },
            ),
            queue(
                "unused", {"default": 3}, local=False, cohortName="pair", limits={"lendingLimit": 1}
            ),
            queue("blind", {"default": 1}, namespaceSelector=None),
            queue(
                "shut",
                {"default": 4},
                cohortName="pair",
                limits={"lendingLimit": 1},
                stopPolicy="Hold",
            ),
            queue("strict", {"default": 1}, queueingStrategy="StrictFIFO"),
            manifest(
                "Cohort",
                "pair",
                {
                    "resourceGroups": [
                        {
                            "coveredResources": ["gpu"],
                            "flavors": [
                                {
                                    "name": "default",
                                    "resources": [{"name": "gpu", "nominalQuota": 2}],
                                }
                            ],
                        }
                    ]
                },
            ),
            manifest(
                "ClusterQueue",
                "zones",
                {
                    "namespaceSelector": {},
                    "resourceGroups": [
                        {
                            "coveredResources": ["cpu"],
                            "flavors": [
                                {"name": "east", "resources": [{"name": "cpu", "nominalQuota": 1}]}
                            ],
                        },
                        {
                            "coveredResources": ["memory"],
                            "flavors": [
                                {
                                    "name": "west",
                                    "resources": [{"name": "memory", "nominalQuota": "1Gi"}],
                                }
                            ],
                        },
                    ],
                },
            ),
            manifest("LocalQueue", "zones", {"clusterQueue": "zones"}),
        ],
        [job("big", "strict", 2, priority=1), job("small", "strict", 1), job("lost", "shut", 1)],
    )
    assert [str(advice) for advice in advise(made.spec)] == [
        (
            "ClusterQueue/alone: spec.preemption.reclaimWithinCohort: reclaimWithinCohort "
            "is Any: it has no effect: the ClusterQueue is in no cohort. Set "
            "spec.cohortName, or leave it out"
        ),
        (
            "ClusterQueue/solo: spec.preemption.borrowWithinCohort: borrowWithinCohort is "
            "LowerPriority: it has no effect: no other ClusterQueue is in cohort solo. "
            "Check spec.cohortName, or leave it out"
        ),
        (
            "ClusterQueue/nolimit: spec.preemption.borrowWithinCohort: borrowWithinCohort "
            "is LowerPriority: it has no effect: all borrowing limits are 0. Raise a "
            "borrowingLimit, or leave it out"
        ),
        (
            "ClusterQueue/blind: "
            "spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: no workload can "
            "use 1 cpu of flavor default: the ClusterQueue selects no namespace, and no "
            "other queue can borrow the quota. Set spec.namespaceSelector ({} for all "
            "namespaces)"
        ),
        (
            "Cohort/pair: spec.resourceGroups[0].flavors[0].resources[0].nominalQuota: no "
            "workload can use 2 gpu of flavor default: no ClusterQueue with a LocalQueue in"
            " this cohort tree lists that flavor and resource. List it in a ClusterQueue, "
            "with nominalQuota 0 if it is only to borrow"
        ),
        (
            "ClusterQueue/unused: "
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: the lending limit"
            " keeps back 2 cpu of flavor default: no workload can get into the "
            "ClusterQueue, so no workload uses what it keeps. Raise or remove the "
            "lendingLimit, or let workloads in"
        ),
        (
            "ClusterQueue/shut: "
            "spec.resourceGroups[0].flavors[0].resources[0].lendingLimit: the lending limit"
            " keeps back 3 cpu of flavor default: the ClusterQueue is stopped (Hold), so no"
            " workload uses what it keeps. Raise or remove the lendingLimit, or let "
            "workloads in"
        ),
        (
            "ClusterQueue/zones: spec.resourceGroups[1].flavors[0].name: flavors east "
            "(group 0) and west (group 1) select nodes by zone, e and w: pods that get cpu "
            "of flavor east and memory of flavor west are never scheduled: no node has "
            "both. Put the resources into one resource group, or use another label"
        ),
        (
            "Workload/default/big: spec.podSets: it asks for 2 cpu: ClusterQueue strict "
            "could never use more than 1 of one flavor, borrowing included. Ask for less, "
            "allow partial admission, or give the queue more quota"
        ),
        (
            "ClusterQueue/strict: spec.queueingStrategy: StrictFIFO lets "
            "Workload/default/big block the queue: it never fits, and 1 workload of no "
            "higher priority waits behind it. Use BestEffortFIFO, or remove that workload"
        ),
        (
            "ClusterQueue/shut: spec.stopPolicy: the queue is stopped (Hold): no workload "
            "is admitted (workloads sent here: default/lost). Set stopPolicy to None to "
            "admit workloads"
        ),
    ]
