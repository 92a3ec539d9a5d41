"""The same scenario several times with one thing different, and a table of the results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from itertools import product
from typing import Any, Final

import yaml

from kueuelab import scenarios
from kueuelab.errors import InputError
from kueuelab.manifests import load_scenario
from kueuelab.messages import Message, english
from kueuelab.teaching.measures import AnyRun, Measure, loop, running
from kueuelab.trace.text_table import text_table
from kueuelab.views.merge_patch import apply_patch
from kueuelab.whatif.lab import Lab

__all__ = [
    "NOMINAL_CPU",
    "REQUESTED_CPU",
    "combinations",
    "cpu_quota",
    "edited_text",
    "grid",
    "policies",
    "reconfigured",
    "table",
    "variants",
    "vary",
    "weaker_policies",
]

#: How much cpu a pod of a job requests.
REQUESTED_CPU: Final = "spec.podSets[0].template.spec.containers[0].resources.requests.cpu"
#: The nominal quota of cpu in the flavor ``default`` of a ClusterQueue.
NOMINAL_CPU: Final = "spec.resourceGroups[0].flavors[default].resources[cpu].nominalQuota"


def table(runs: Mapping[Any, Any], *measures: Measure | Callable[[AnyRun], str]) -> None:
    """Print a line for each run, with what each measure reads from it.

    Parameters
    ----------
    runs
        Runs by name. A lab or a fork is run.
    measures
        The columns: :class:`~kueuelab.teaching.measures.Measure`, or any function of a run.

    Examples
    --------
    >>> from kueuelab.teaching import preempted, work_lost
    >>> lab = scenarios.load("reclaim-cohort-2-late")
    >>> never = lab.fork().edit("cluster-queue/team-a", {"spec.preemption": None})
    >>> table({"as it is": lab, "no preemption": never}, preempted, work_lost)
                   preempted  work lost
    as it is       job-1      7m57s
    no preemption  -          0s
    """
    names = [
        str(getattr(each, "name", "") or getattr(each, "__name__", "").replace("_", " "))
        for each in measures
    ]
    rows = [
        [str(name), *(str(measure(run)) for measure in measures)]
        for name, run in ((name, _run_of(each)) for name, each in runs.items())
    ]
    print(text_table(["", *names], rows))


def vary(
    lab: Any, object: str, field: str, values: Iterable[Any] | Mapping[str, Any]
) -> dict[str, Any]:
    """Run a lab once with each value of one field.

    Parameters
    ----------
    lab
        The lab, or a fork of it; it is not changed.
    object
        What is changed, such as ``cluster-queue/team-a`` or ``job/urgent``.
    field
        The field, such as ``spec.preemption.withinClusterQueue``.
    values
        The values; a mapping gives them names.

    Returns
    -------
    dict
        The runs by value or name.

    Examples
    --------
    >>> lab = scenarios.load("within-cq-1-which-candidate")
    >>> sorted(vary(lab, "job/urgent", "spec.priority", (5, 50)))
    ['5', '50']
    """
    named = values if isinstance(values, Mapping) else {_name(value): value for value in values}
    return {name: _fork_of(lab).edit(object, {field: value}).run() for name, value in named.items()}


def combinations(**fields: Iterable[Any]) -> list[dict[str, Any]]:
    """Return all combinations of values of several fields.

    Examples
    --------
    >>> combinations(whenCanBorrow=("a", "b"), whenCanPreempt=("c",))
    [{'whenCanBorrow': 'a', 'whenCanPreempt': 'c'}, {'whenCanBorrow': 'b', 'whenCanPreempt': 'c'}]
    """
    return [dict(zip(fields, values, strict=True)) for values in product(*fields.values())]


def cpu_quota(nominal: int, **limits: int) -> dict[str, Any]:
    """Return the edit that gives a Cohort or ClusterQueue a quota of cpu in flavor ``default``.

    Examples
    --------
    >>> list(cpu_quota(0, lendingLimit=2))
    ['spec.resourceGroups']
    """
    resource = {"name": "cpu", "nominalQuota": nominal, **limits}
    flavor = {"name": "default", "resources": [resource]}
    return {"spec.resourceGroups": [{"coveredResources": ["cpu"], "flavors": [flavor]}]}


def grid(
    lab: Any,
    rows: tuple[str, str, Iterable[Any]],
    columns: tuple[str, str, Iterable[Any] | Mapping[str, Any]],
    measure: Measure,
) -> None:
    """Print a table of runs with two fields varied: one by line, one by column.

    Parameters
    ----------
    lab
        The lab.
    rows, columns
        Object, field and values, as for :func:`vary`.
    measure
        What is shown of each run.

    Examples
    --------
    >>> from kueuelab.teaching import preempted
    >>> lab = scenarios.load("within-cq-1-which-candidate")
    >>> policy = "cluster-queue/shared", "spec.preemption.withinClusterQueue"
    >>> cpu = "job/urgent", REQUESTED_CPU, (1, 4)
    >>> grid(lab, cpu, (*policy, ("Never", "LowerPriority")), preempted)
       Never  LowerPriority
    1  -      sweep
    4  -      train-2
    """
    object, field, values = rows
    runs = {
        _name(value): vary(_fork_of(lab).edit(object, {field: value}), *columns) for value in values
    }
    heads = list(next(iter(runs.values())))
    lines = [[name, *(measure(run) for run in found.values())] for name, found in runs.items()]
    print(text_table(["", *heads], lines))


def reconfigured(name: str, configuration: Mapping[str, Any]) -> Lab:
    """Load a scenario of the package with other settings in Kueue's Configuration.

    Parameters
    ----------
    name
        The scenario.
    configuration
        Settings to merge into its own; ``None`` as a value takes a setting away.

    Returns
    -------
    Lab
        Without the scenario's expectations: they are about its own settings.

    Examples
    --------
    >>> classic = reconfigured("fair-1-three-teams", {"fairSharing": None})
    >>> classic.spec.configuration.fair_sharing is None
    True
    """
    document = yaml.safe_load(scenarios.text(name))
    spec = document["spec"]
    spec["configuration"] = apply_patch(spec.get("configuration", {}), dict(configuration))
    spec["expect"] = []
    return Lab(load_scenario(document))


def edited_text(name: str, old: str, new: str) -> Lab:
    """Load a scenario of the package with a part of its text replaced.

    Raises
    ------
    ValueError
        If the text does not contain that part.

    Examples
    --------
    >>> edited_text("racks-3-fragmentation", "at: 2s", "at: 5s").title == "?"
    False
    """
    text = scenarios.text(name)
    if old not in text:
        raise ValueError(f"{name} does not contain {old!r}")
    document = yaml.safe_load(text.replace(old, new))
    document["spec"]["expect"] = []
    return Lab(load_scenario(document))


def variants(*beginnings: str) -> dict[str, Any]:
    """Run variants of the first notebook: those whose names begin as one of these.

    Examples
    --------
    >>> list(variants("reclaim-1", "within-3"))
    ['reclaim-1-take-back', 'within-3-victim-elsewhere']
    """
    names = scenarios.names("preemption-policies")
    return {name: scenarios.load(name).run() for name in names if name.startswith(beginnings)}


def policies(runs: Mapping[str, Any]) -> None:
    """Print for each scenario its nominal quotas, preemption policies, and the jobs' ClusterQueues.

    Examples
    --------
    >>> policies(variants("reclaim-1"))  # doctest: +ELLIPSIS
                         nominal quotas  policies             queues of the jobs, in order
    reclaim-1-take-back  500m/200m       reclaimWithinCohort  ...
    """
    rows = []
    for name, run in runs.items():
        spec = run.scenario.spec
        queues = spec.manifests.cluster_queues
        policy = queues[0].preemption
        fields = {
            "withinClusterQueue": policy.within_cluster_queue != "Never",
            "reclaimWithinCohort": policy.reclaim_within_cohort != "Never",
            "borrowWithinCohort": bool(policy.borrow_within_cohort),
        }
        quotas = (queue.resource_groups[0].flavors[0].resources[0].nominal for queue in queues)
        cluster_queue_of = {
            each.metadata.name: each.cluster_queue for each in spec.manifests.local_queues
        }
        rows.append(
            (
                name,
                "/".join(f"{quota}m" for quota in quotas),
                ", ".join(field for field, is_set in fields.items() if is_set),
                ", ".join(
                    cluster_queue_of[action.workloads[0].queue_name]
                    for action in spec.timeline
                    if hasattr(action, "workloads")
                ),
            )
        )
    print(
        text_table(
            (
                "",
                Message("teaching.policies.quotas"),
                "policies",
                Message("teaching.policies.jobs"),
            ),
            rows,
        )
    )


def weaker_policies(lab: Any) -> None:
    """Try each weaker policy that a loop report names, and print whether the loop is gone.

    Examples
    --------
    >>> weaker_policies(scenarios.load("loop-2-policies-in-turn"))  # doctest: +ELLIPSIS
    change ...
    """
    rows = []
    for edit in lab.run().loop_report.edits():
        (field, value), *_ = edit.values.items()
        name = f"{edit.object.name}: {field.rpartition('.')[2]}: {value}"
        try:
            run = lab.fork().edit(str(edit.object), edit.values).run()
        except InputError:
            rows.append((name, english().text("teaching.variants.not-allowed"), ""))
        else:
            rows.append((name, loop(run), "" if run.loop else running(run)))
    print(text_table(("change", "result", running.name), rows))


def _fork_of(found: Any) -> Any:
    return found.fork() if hasattr(found, "fork") else found


def _run_of(found: Any) -> Any:
    return found if hasattr(found, "trace") else found.run()


def _name(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {each}" for name, each in value.items())
    return Message("teaching.value.not-set") if value is None else str(value)
