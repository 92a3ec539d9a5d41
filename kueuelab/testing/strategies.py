"""Hypothesis strategies for whole valid clusters, and for what happens in them.

Everything is made as manifests are written, so that loading is tested, too. Needs
Hypothesis, which comes with ``kueuelab[test]``.
"""

from __future__ import annotations

from typing import Any, TypeAlias

from hypothesis import strategies as st

__all__ = ["cluster_objects", "configurations", "scenarios", "timelines"]

#: A manifest as it comes out of YAML.
Manifest: TypeAlias = dict[str, Any]

_API = "kueue.x-k8s.io/v1beta2"
_RESOURCES = ("cpu", "memory", "example.com/gpu")
_STATES = ("Ready", "Pending", "Retry", "Rejected")


def _object(kind: str, name: str, spec: Manifest, **more: Any) -> Manifest:
    return {"apiVersion": _API, "kind": kind, "metadata": {"name": name}, "spec": spec, **more}


@st.composite
def _quotas(draw: st.DrawFn, resources: list[str], limits: bool, most: int = 8) -> list[Manifest]:
    found = []
    for resource in resources:
        nominal = draw(st.integers(0, most))
        quota: Manifest = {"name": resource, "nominalQuota": nominal}
        if limits and draw(st.booleans()):
            quota["borrowingLimit"] = draw(st.integers(0, most))
        if limits and draw(st.integers(0, 3)) == 0:
            quota["lendingLimit"] = draw(st.integers(0, nominal))
        found.append(quota)
    return found


@st.composite
def _groups(
    draw: st.DrawFn, resources: list[str], flavors: list[str], limits: bool
) -> list[Manifest]:
    """Resource groups: all resources in one, or each in a group and with flavors of its own."""
    if len(resources) > 1 and len(flavors) > 1 and draw(st.integers(0, 2)) == 0:
        parted = zip(([name] for name in resources), _halves(flavors), strict=True)
    else:
        parted = zip([resources], [flavors], strict=True)
    return [
        {
            "coveredResources": covered,
            "flavors": [
                {"name": flavor, "resources": draw(_quotas(covered, limits))}
                for flavor in draw(st.lists(st.sampled_from(own), min_size=1, unique=True))
            ],
        }
        for covered, own in parted
    ]


def _halves(items: list[str]) -> list[list[str]]:
    middle = len(items) // 2
    return [items[:middle], items[middle:]]


@st.composite
def _cluster_queue_specs(
    draw: st.DrawFn, resources: list[str], flavors: list[str], cohorts: list[str], checks: list[str]
) -> Manifest:
    cohort = draw(st.sampled_from(["", *cohorts]))
    reclaim = draw(st.sampled_from(["Never", "LowerPriority", "Any"]))
    borrow = "Never" if reclaim == "Never" else draw(st.sampled_from(["Never", "LowerPriority"]))
    within = draw(st.sampled_from(["Never", "LowerPriority", "LowerOrNewerEqualPriority"]))
    spec: Manifest = {
        "namespaceSelector": {},
        "queueingStrategy": draw(st.sampled_from(["BestEffortFIFO", "StrictFIFO"])),
        "resourceGroups": draw(_groups(resources, flavors, bool(cohort))),
        "preemption": {
            "withinClusterQueue": within,
            "reclaimWithinCohort": reclaim,
            "borrowWithinCohort": {"policy": borrow},
        },
        "flavorFungibility": {
            "whenCanBorrow": draw(st.sampled_from(["MayStopSearch", "TryNextFlavor"])),
            "whenCanPreempt": draw(st.sampled_from(["MayStopSearch", "TryNextFlavor"])),
        },
        "fairSharing": {"weight": draw(st.sampled_from(["1", "2", "500m", "0"]))},
    }
    if cohort:
        spec["cohortName"] = cohort
    checked = draw(st.booleans())
    if checks and checked:
        spec["admissionChecksStrategy"] = {"admissionChecks": [{"name": checks[0]}]}
    if len(spec["resourceGroups"]) == 1 and draw(st.integers(0, 5)) == 0:
        spec["queueingStrategy"] = "BestEffortFIFO"
        spec["concurrentAdmissionPolicy"] = {"migration": draw(_migrations(spec))}
    return spec


@st.composite
def _migrations(draw: st.DrawFn, spec: Manifest) -> Manifest:
    """How variants of a workload race, in a queue with one resource group."""
    if draw(st.booleans()):
        return {"mode": "RetainFirstAdmission"}
    found: Manifest = {"mode": "TryPreferredFlavors"}
    if draw(st.booleans()):
        names = [flavor["name"] for flavor in spec["resourceGroups"][0]["flavors"]]
        found["constraints"] = {"lastAcceptableFlavorName": draw(st.sampled_from(names))}
    return found


@st.composite
def _cohort_objects(
    draw: st.DrawFn, cohorts: list[str], resources: list[str], flavors: list[str]
) -> list[Manifest]:
    found = []
    for index, name in enumerate(cohorts):
        if draw(st.booleans()):
            continue  # a cohort needs no object
        spec: Manifest = {}
        if index and draw(st.booleans()):
            spec["parentName"] = draw(st.sampled_from(cohorts[:index]))
        if draw(st.integers(0, 2)) == 0:
            spec["resourceGroups"] = draw(_groups(resources, flavors, "parentName" in spec))
        found.append(_object("Cohort", name, spec))
    return found


@st.composite
def cluster_objects(draw: st.DrawFn, max_queues: int = 4) -> list[Manifest]:
    """The objects of a cluster: flavors, cohorts, queues, priority classes, checks.

    Parameters
    ----------
    max_queues : int, optional
        The most ClusterQueues.

    Returns
    -------
    strategy of list of dict
        Manifests that a cluster takes. Each ClusterQueue ``cq-0`` has a LocalQueue ``lq-0``.
    """
    resources = draw(st.lists(st.sampled_from(_RESOURCES), min_size=1, max_size=2, unique=True))
    flavors = [f"flavor-{number}" for number in range(draw(st.integers(1, 3)))]
    cohorts = [f"cohort-{number}" for number in range(draw(st.integers(0, 3)))]
    checks: list[str] = ["check"] if draw(st.integers(0, 4)) == 0 else []
    objects = [_object("ResourceFlavor", name, {}) for name in flavors]
    objects += [
        _object("AdmissionCheck", name, {"controllerName": "example.com/check"}) for name in checks
    ]
    objects += [
        {
            "apiVersion": _API,
            "kind": "WorkloadPriorityClass",
            "metadata": {"name": name},
            "value": value,
        }
        for name, value in (("low", 1), ("high", 100))
    ]
    objects += draw(_cohort_objects(cohorts, resources, flavors))
    for number in range(draw(st.integers(1, max_queues))):
        spec = draw(_cluster_queue_specs(resources, flavors, cohorts, checks))
        objects.append(_object("ClusterQueue", f"cq-{number}", spec))
        queue = _object("LocalQueue", f"lq-{number}", {"clusterQueue": f"cq-{number}"})
        queue["metadata"]["namespace"] = "default"
        objects.append(queue)
    if "example.com/gpu" in resources and draw(st.integers(0, 2)) == 0:
        objects += _device_objects()
    return objects


def _device_objects() -> list[Manifest]:
    """A class of devices that count as ``example.com/gpu``, and templates of claims for them."""
    objects: list[Manifest] = [{"kind": "DeviceClass", "metadata": {"name": "gpu"}, "spec": {}}]
    for count in (1, 2):
        request = {"name": "gpu", "exactly": {"deviceClassName": "gpu", "count": count}}
        spec = {"spec": {"devices": {"requests": [request]}}}
        name = f"gpus-{count}"
        objects.append({"kind": "ResourceClaimTemplate", "metadata": {"name": name}, "spec": spec})
    return [{"apiVersion": "resource.k8s.io/v1", **obj} for obj in objects]


def _resources_of(objects: list[Manifest]) -> list[str]:
    queue = next(obj for obj in objects if obj["kind"] == "ClusterQueue")
    groups = queue["spec"]["resourceGroups"]
    return [name for group in groups for name in group["coveredResources"]]


@st.composite
def _jobs(draw: st.DrawFn, name: str, objects: list[Manifest]) -> Manifest:
    queues = [obj["metadata"]["name"] for obj in objects if obj["kind"] == "LocalQueue"]
    resources = _resources_of(objects)
    count = draw(st.integers(1, 3))
    job: Manifest = {
        "job": name,
        "queue": draw(st.sampled_from(queues)),
        "requests": {resource: draw(st.integers(0, 4)) for resource in resources},
        "count": count,
        "priorityClass": draw(st.sampled_from(["low", "high"])),
    }
    has_devices = any(obj["kind"] == "DeviceClass" for obj in objects)
    if has_devices and draw(st.integers(0, 2)) == 0:
        # One of the templates is not there.
        job["claims"] = [draw(st.sampled_from(["gpus-1", "gpus-2", "gpus-3"]))]
    if name.startswith("elastic"):
        job["elastic"] = True
    elif count > 1 and draw(st.integers(0, 3)) == 0:
        job["minCount"] = draw(st.integers(1, count))
    if draw(st.booleans()):
        job["runs"] = draw(st.integers(1, 30))
    if draw(st.integers(0, 4)) == 0:
        job["stops"] = draw(st.integers(1, 15))
    if draw(st.integers(0, 7)) == 0:
        job["maximumExecutionTime"] = draw(st.integers(1, 15))
    return job


@st.composite
def _events(draw: st.DrawFn, jobs: list[str], objects: list[Manifest]) -> Manifest:
    """Something that happens to a job that is there, or to the quota."""
    queues = [obj for obj in objects if obj["kind"] == "ClusterQueue"]
    job = draw(st.sampled_from(jobs))
    if job.startswith("elastic") and draw(st.booleans()):
        return {"scale": {"job": job, "pods": draw(st.integers(0, 5))}}
    checks = [obj["metadata"]["name"] for obj in objects if obj["kind"] == "AdmissionCheck"]
    is_about_a_check = draw(st.booleans())
    if checks and is_about_a_check:
        report = {"workload": job, "check": checks[0], "state": draw(st.sampled_from(_STATES))}
        if report["state"] == "Retry" and draw(st.booleans()):
            report["requeueAfter"] = draw(st.integers(1, 10))
        return {"setCheck": report}
    match draw(st.integers(0, 15)):
        case 0 | 1:
            return {"finish": job}
        case 2:
            return {"delete": job}
        case 3:
            return {"setActive": {"workload": job, "active": draw(st.booleans())}}
        case 4:
            return {"reclaim": {"workload": job, "pods": {"main": 1}}}
        case 5:
            return {"podsReady": {"workload": job, "ready": draw(st.booleans())}}
        case 6:
            policy = draw(st.sampled_from(["None", "Hold", "HoldAndDrain"]))
            queue = draw(st.sampled_from(queues))
            return {"apply": {**queue, "spec": {**queue["spec"], "stopPolicy": policy}}}
        case 7 | 8:
            policy = draw(st.sampled_from(["None", "Hold", "HoldAndDrain"]))
            local = draw(st.sampled_from([obj for obj in objects if obj["kind"] == "LocalQueue"]))
            return {"apply": {**local, "spec": {**local["spec"], "stopPolicy": policy}}}
        case 9:
            kind = draw(st.sampled_from(["ClusterQueue", "LocalQueue"]))
            gone = draw(st.sampled_from([obj for obj in objects if obj["kind"] == kind]))
            return {"remove": f"{kind}/{gone['metadata']['name']}"}
        case 14 | 15:
            return {"setPriority": {"workload": job, "priority": draw(st.integers(-1, 5))}}
        case 11:
            return {"changeJob": {"workload": job, "pods": draw(st.integers(1, 4))}}
        case 12:
            chosen = draw(st.sampled_from(["low", "high"]))
            return {"changeJob": {"workload": job, "priorityClass": chosen}}
        case 10:
            return {"advance": draw(st.integers(1, 30))}
        case _:
            queue = draw(st.sampled_from(queues))
            limits = "cohortName" in queue["spec"]
            groups = [
                {
                    "coveredResources": group["coveredResources"],
                    "flavors": [
                        {
                            "name": flavor["name"],
                            "resources": draw(_quotas(group["coveredResources"], limits)),
                        }
                        for flavor in group["flavors"]
                    ],
                }
                for group in queue["spec"]["resourceGroups"]
            ]
            return {"apply": {**queue, "spec": {**queue["spec"], "resourceGroups": groups}}}


@st.composite
def timelines(draw: st.DrawFn, objects: list[Manifest], max_actions: int = 12) -> list[Manifest]:
    """Timelines for a cluster, as in scenario files: jobs come and end, quotas change.

    Parameters
    ----------
    objects : list of dict
        What `cluster_objects` gave.
    max_actions : int, optional
        The most actions.

    Returns
    -------
    strategy of list of dict
        Actions with rising times.
    """
    now = 0
    actions: list[Manifest] = []
    jobs: list[str] = []
    deleted: list[str] = []
    removed: set[str] = set()
    for number in range(draw(st.integers(1, max_actions))):
        now += draw(st.integers(0, 10))
        if not jobs or draw(st.integers(0, 2)):
            # A name that is free again may be given again.
            again = draw(st.booleans())
            kind = draw(st.sampled_from(["job", "job", "elastic"]))
            name = deleted.pop() if again and deleted else f"{kind}-{number}"
            actions.append({"at": f"{now}s", "submit": draw(_jobs(name, objects))})
            jobs.append(name)
        else:
            event = draw(_events(jobs, objects))
            if event.get("remove") in removed:
                continue  # Only what is there can be removed.
            if "remove" in event:
                removed.add(event["remove"])
            if (obj := event.get("apply")) is not None:
                removed.discard(f"{obj['kind']}/{obj['metadata']['name']}")
            actions.append({"at": f"{now}s", **event})
            if (gone := event.get("delete")) is not None and gone not in deleted:
                deleted.append(gone)
    return actions


@st.composite
def configurations(draw: st.DrawFn) -> Manifest:
    """Configurations of Kueue: fair sharing, waiting for pods, shares by what was used before.

    Returns
    -------
    strategy of dict
        Part of what Kueue's Configuration may say.
    """
    found: Manifest = {}
    if draw(st.booleans()):
        orders = (["LessThanOrEqualToFinalShare", "LessThanInitialShare"], ["LessThanInitialShare"])
        found["fairSharing"] = {"preemptionStrategies": draw(st.sampled_from(orders))}
    if draw(st.integers(0, 3)) == 0:
        found["waitForPodsReady"] = {
            "timeout": "20s",
            "blockAdmission": draw(st.booleans()),
            "requeuingStrategy": {
                "timestamp": draw(st.sampled_from(["Eviction", "Creation"])),
                "backoffBaseSeconds": 5,
                "backoffLimitCount": draw(st.integers(0, 2)),
            },
        }
    if draw(st.integers(0, 3)) == 0:
        found["admissionFairSharing"] = {
            "usageHalfLifeTime": "60s",
            "usageSamplingInterval": "5s",
        }
    if draw(st.booleans()):
        found["featureGates"] = {"ConcurrentAdmission": True}
    mapping = {"name": "example.com/gpu", "deviceClassNames": ["gpu"]}
    found["resources"] = {"deviceClassMappings": [mapping]}
    return found


@st.composite
def scenarios(draw: st.DrawFn, max_queues: int = 4, max_actions: int = 12) -> Manifest:
    """Scenario files: a configuration, objects and a timeline.

    Parameters
    ----------
    max_queues, max_actions : int, optional
        The most ClusterQueues and actions.

    Returns
    -------
    strategy of dict
        What `kueuelab.manifests.load_scenario` takes.
    """
    objects = draw(cluster_objects(max_queues))
    configuration = draw(configurations())
    if "admissionFairSharing" in configuration:
        for obj in objects:
            if obj["kind"] == "ClusterQueue" and draw(st.booleans()):
                scope = {"admissionMode": "UsageBasedAdmissionFairSharing"}
                obj["spec"]["admissionScope"] = scope
    return {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": "random"},
        "spec": {
            "configuration": configuration,
            "manifests": objects,
            "timeline": draw(timelines(objects, max_actions)),
        },
    }
