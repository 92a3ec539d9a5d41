"""What is written is what is read: `load(dump(x)) == x` for all objects."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.manifests import dump, load, load_configuration
from kueuelab.model import (
    RELEASE,
    UNLIMITED,
    Admission,
    AdmissionCheckState,
    AdmissionCheckStrategyRule,
    BorrowWithinCohort,
    ClusterQueue,
    ClusterQueuePreemption,
    Cohort,
    Condition,
    Configuration,
    Container,
    FairSharing,
    FeatureGates,
    FlavorFungibility,
    FlavorQuotas,
    LabelSelector,
    LabelSelectorRequirement,
    LocalQueue,
    ModelObject,
    ObjectMeta,
    PodSet,
    PodSetAssignment,
    PodSpec,
    PodTemplate,
    PriorityClassRef,
    RequeueState,
    RequeuingStrategy,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    ResourceRequirements,
    Resources,
    ResourceTransformation,
    Taint,
    Toleration,
    WaitForPodsReady,
    Workload,
    WorkloadPriorityClass,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND
from kueuelab.quantity import Quantity

names = st.from_regex(r"[a-z0-9]([-a-z0-9]{0,8}[a-z0-9])?", fullmatch=True)
tricky = st.sampled_from(
    ["y", "no", "null", "~", "1e3", "0x1", "007", "1:30", "<<", "=", "-", ": "]
)
texts = tricky | st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufeff\ufffe\uffff"),
    max_size=12,
)
values = st.sampled_from(["", "y", "on", "1", "1.5", "null", "spot", "a_b.c"])
labels = st.dictionaries(st.sampled_from(["team", "y", "example.com/kind"]), values, max_size=2)
times = st.integers(1, 2**32).map(lambda seconds: seconds * SECOND)
counts = st.integers(0, 1000)
int32 = st.integers(-(2**31), 2**31 - 1)
amounts = (
    st.integers(0, 2**62) | st.sampled_from([0, 1, 500, 1000, 1024, 2**30]) | st.just(UNLIMITED)
)
quantities = st.sampled_from(["0", "1", "500m", "0.1", "1.5Gi", "2e3", "1Ki", "289298239n"]).map(
    Quantity.parse
)
resource_lists = st.dictionaries(
    st.sampled_from(["cpu", "memory", "example.com/gpu"]), quantities, max_size=3
)
# A weight of a billionth is too small for Kueue.
weights = st.none() | (st.just(0) | st.integers(2, 10**12)).map(lambda nano: Fraction(nano, 10**9))


def metas(namespaced: bool = False) -> st.SearchStrategy[ObjectMeta]:
    return st.builds(
        ObjectMeta,
        name=names,
        namespace=names if namespaced else st.just(""),
        uid=names | st.just(""),
        labels=labels,
        annotations=st.dictionaries(st.just("note"), texts, max_size=1),
        creation_timestamp=st.none() | times,
        generation=counts,
    )


selectors = st.builds(
    LabelSelector,
    match_labels=labels,
    match_expressions=st.lists(
        st.builds(
            LabelSelectorRequirement,
            key=st.just("team"),
            operator=st.sampled_from(["In", "NotIn"]),
            values=st.lists(values, min_size=1, max_size=2).map(tuple),
        ),
        max_size=1,
    ).map(tuple),
)
conditions = st.lists(
    st.builds(
        Condition,
        type=st.sampled_from(["QuotaReserved", "Admitted", "Evicted"]),
        status=st.sampled_from(["True", "False", "Unknown"]),
        reason=st.sampled_from(["Pending", "Preempted"]),
        message=texts,
        last_transition_time=st.just(0) | times,
        observed_generation=st.integers(0, 2**63 - 1),
    ),
    max_size=3,
    unique_by=lambda condition: condition.type,
).map(tuple)
taints = st.lists(
    st.builds(
        Taint,
        key=st.just("spot"),
        value=values,
        effect=st.sampled_from(["NoSchedule", "NoExecute"]),
    ),
    max_size=2,
    unique_by=lambda taint: taint.effect,
).map(tuple)
tolerations = st.lists(
    st.builds(Toleration, key=st.just("spot"), value=values)
    | st.just(Toleration(operator="Exists"))
    | st.just(Toleration("spot", effect="NoExecute", toleration_seconds=5)),
    max_size=2,
).map(tuple)


@st.composite
def resource_groups(draw: st.DrawFn, limits: bool) -> tuple[ResourceGroup, ...]:
    covered = draw(st.lists(st.sampled_from(["cpu", "memory", "pods"]), unique=True, max_size=2))
    groups = []
    for index, resource in enumerate(covered):
        flavors = draw(st.lists(names, min_size=1, max_size=3, unique=True))
        groups.append(
            ResourceGroup(
                (resource,),
                tuple(
                    FlavorQuotas(f"{flavor}-{index}", (draw(quotas(resource, limits)),))
                    for flavor in flavors
                ),
            )
        )
    return tuple(groups)


@st.composite
def quotas(draw: st.DrawFn, resource: str, limits: bool) -> ResourceQuota:
    nominal = draw(amounts)
    lending = draw(st.none() | st.integers(0, min(nominal, 2**62))) if limits else None
    borrowing = draw(st.none() | amounts) if limits else None
    return ResourceQuota(resource, nominal, borrowing, lending)


@st.composite
def cluster_queues(draw: st.DrawFn) -> ClusterQueue:
    cohort = draw(names | st.just(""))
    reclaim = draw(st.sampled_from(["Never", "LowerPriority", "Any"]))
    borrow = st.builds(
        BorrowWithinCohort,
        policy=st.just("Never") if reclaim == "Never" else st.just("LowerPriority"),
        max_priority_threshold=int32 if reclaim == "Never" else st.none() | int32,
    )
    return ClusterQueue(
        metadata=draw(metas()),
        resource_groups=draw(resource_groups(limits=bool(cohort))),
        cohort_name=cohort,
        queueing_strategy=draw(st.sampled_from(["StrictFIFO", "BestEffortFIFO"])),
        namespace_selector=draw(st.none() | selectors),
        flavor_fungibility=draw(
            st.just(FlavorFungibility())
            | st.just(
                FlavorFungibility("TryNextFlavor", "TryNextFlavor", "PreemptionOverBorrowing")
            )
        ),
        preemption=ClusterQueuePreemption(
            draw(st.sampled_from(["Never", "LowerPriority", "LowerOrNewerEqualPriority"])),
            reclaim,
            draw(st.none() | borrow),
        ),
        admission_checks=draw(
            st.lists(names, max_size=2, unique=True).map(
                lambda found: tuple(AdmissionCheckStrategyRule(name) for name in found)
            )
        ),
        stop_policy=draw(st.sampled_from(["None", "Hold", "HoldAndDrain"])),
        fair_weight=draw(weights),
        admission_mode=draw(st.sampled_from([None, "NoAdmissionFairSharing"])),
    )


cohorts = st.booleans().flatmap(
    lambda below: st.builds(
        Cohort,
        metadata=metas(),
        parent_name=names if below else st.just(""),
        resource_groups=resource_groups(limits=below),
        fair_weight=weights,
    )
)
local_queues = st.builds(
    LocalQueue,
    metadata=metas(namespaced=True),
    cluster_queue=names,
    stop_policy=st.sampled_from(["None", "Hold"]),
    fair_weight=weights,
    conditions=conditions,
)
flavors = st.builds(
    ResourceFlavor,
    metadata=metas(),
    node_labels=labels,
    node_taints=taints,
    tolerations=tolerations,
)
containers = st.lists(
    st.builds(
        Container,
        name=names,
        resources=st.builds(ResourceRequirements, requests=resource_lists, limits=resource_lists),
        restart_policy=st.sampled_from(["", "Always"]),
        extra=st.just({}) | st.just({"image": "busybox", "env": [{"name": "A", "value": "1"}]}),
    ),
    max_size=2,
    unique_by=lambda container: container.name,
).map(tuple)
pod_specs = st.builds(
    PodSpec,
    containers=containers,
    init_containers=containers,
    node_selector=labels,
    tolerations=tolerations,
    overhead=resource_lists,
    runtime_class_name=names | st.just(""),
    priority=st.none() | int32,
    extra=st.just({}) | st.just({"schedulerName": "mine"}),
)


@st.composite
def workloads(draw: st.DrawFn) -> Workload:
    pod_sets = tuple(
        PodSet(name, draw(st.integers(1, 9)), None, PodTemplate(draw(pod_specs), draw(labels)))
        for name in draw(st.lists(names, min_size=1, max_size=2, unique=True))
    )
    admission = Admission(
        draw(names),
        tuple(
            PodSetAssignment(pod_set.name, {"cpu": "spot"}, {"cpu": draw(amounts)}, pod_set.count)
            for pod_set in pod_sets
        ),
    )
    checks = tuple(
        AdmissionCheckState(name, "Retry", draw(texts), draw(times), draw(counts), draw(counts))
        for name in draw(st.lists(names, max_size=2, unique=True))
    )
    status = st.builds(
        WorkloadStatus,
        conditions=conditions,
        admission=st.none() | st.just(admission),
        requeue_state=st.none() | st.builds(RequeueState, st.none() | counts, st.none() | times),
        admission_checks=st.just(checks),
        accumulated_past_execution_time_seconds=counts,
        cluster_name=st.none() | names,
        extra=st.just({}) | st.just({"schedulingStats": {"evictions": []}}),
    )
    return Workload(
        metadata=draw(metas(namespaced=True)),
        pod_sets=pod_sets,
        queue_name=draw(names | st.just("")),
        priority=draw(int32),
        priority_class_ref=draw(
            st.none()
            | st.builds(
                PriorityClassRef, st.just("kueue.x-k8s.io"), st.just("WorkloadPriorityClass"), names
            )
        ),
        active=draw(st.booleans()),
        maximum_execution_time_seconds=draw(st.none() | st.integers(1, 1000)),
        preemption_gates=draw(st.lists(names, max_size=2, unique=True).map(tuple)),
        status=draw(status),
    )


objects = st.one_of(
    cluster_queues(),
    cohorts,
    local_queues,
    flavors,
    workloads(),
    st.builds(WorkloadPriorityClass, metas(), int32, texts),
)


@given(st.lists(objects, max_size=4, unique_by=lambda o: (type(o), o.metadata.key)))
def test_objects_come_back_as_they_were(found: list[ModelObject]) -> None:
    loaded = load(dump(found))
    assert not loaded.problems
    assert list(loaded) == sorted(found, key=lambda obj: list(loaded.objects).index(kind(obj)))


def kind(obj: ModelObject) -> str:
    return type(obj).__name__


durations = st.integers(1, 10**6).map(lambda milliseconds: milliseconds * 1_000_000)
free_gates = sorted(
    name
    for name, gate in RELEASE.gates.items()
    if not gate.locked
    and gate.stage == "Alpha"
    and not name.startswith(("TAS", "KueueDRA", "Elastic"))
)
configurations = st.builds(
    Configuration,
    fair_sharing=st.none()
    | st.just(FairSharing())
    | st.just(FairSharing(("LessThanInitialShare",))),
    wait_for_pods_ready=st.none()
    | st.builds(
        WaitForPodsReady,
        timeout=durations,
        block_admission=st.booleans(),
        recovery_timeout=durations,
        requeuing_strategy=st.builds(
            RequeuingStrategy,
            timestamp=st.sampled_from(["Eviction", "Creation"]),
            backoff_limit_count=st.none() | counts,
            backoff_base_seconds=counts,
        ),
    ),
    resources=st.builds(
        Resources,
        exclude_resource_prefixes=st.lists(names, max_size=2).map(tuple),
        transformations=st.lists(
            st.builds(
                ResourceTransformation,
                input=names,
                strategy=st.sampled_from(["Retain", "Replace"]),
                outputs=st.dictionaries(
                    names, st.integers(0, 10**10).map(lambda n: Fraction(n, 10**9)), max_size=2
                ),
            ),
            max_size=2,
            unique_by=lambda rule: rule.input,
        ).map(tuple),
    ),
    gates=st.dictionaries(st.sampled_from(free_gates), st.booleans(), max_size=3).map(FeatureGates),
    manage_jobs_without_queue_name=st.booleans(),
    managed_jobs_namespace_selector=st.none()
    | st.just(LabelSelector(match_labels={"kueue": "yes"})),
    frameworks=st.just(()) | st.just(("batch/job", "pod")),
    retention_after_finished=st.none() | durations,
)


@given(configurations)
def test_configurations_come_back_as_they_were(configuration: Configuration) -> None:
    assert load_configuration(dump(configuration)) == configuration
