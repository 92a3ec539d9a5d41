"""What pods request in all, and what of it counts."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.model import (
    Container,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ReclaimablePod,
    ResourceRequirements,
    Resources,
    ResourceTransformation,
    Workload,
)
from kueuelab.quantity import Quantity
from kueuelab.workload import PodSetRequests, pod_requests
from kueuelab.workload.requests import requests_from_pod_sets, resource_order


def container(policy: str = "", **requests: str) -> Container:
    quantities = {name: Quantity.parse(text) for name, text in requests.items()}
    return Container("c", ResourceRequirements(quantities), policy)


def shown(spec: PodSpec) -> dict[str, str]:
    return {name: str(quantity) for name, quantity in pod_requests(spec).items()}


def test_init_containers_count_by_their_maximum() -> None:
    spec = PodSpec((container(cpu="1"), container(cpu="500m")), (container(cpu="2"),))
    assert shown(spec) == {"cpu": "2"}


def test_sidecars_run_beside_everything_after_them() -> None:
    spec = PodSpec(
        (container(cpu="1"),),
        (container(cpu="3"), container("Always", cpu="1"), container(cpu="2500m")),
    )
    assert shown(spec) == {"cpu": "3500m"}


def test_overhead_comes_on_top_and_pod_level_requests_take_precedence() -> None:
    spec = PodSpec(
        (container(cpu="1", memory="1Gi"),),
        overhead={"cpu": Quantity.parse("100m")},
        resources=ResourceRequirements({"cpu": Quantity.parse("3")}),
    )
    assert shown(spec) == {"cpu": "3100m", "memory": "1Gi"}


def workload(count: int, **requests: str) -> Workload:
    template = PodTemplate(PodSpec((container(**requests),)))
    return Workload(ObjectMeta("a", "default"), (PodSet("main", count, None, template),))


def test_pods_that_are_done_do_not_count() -> None:
    (found,) = requests_from_pod_sets(
        workload(4, cpu="500m"), (ReclaimablePod("main", 3),), Resources()
    )
    assert (found.count, found.requests) == (1, {"cpu": 500})


def test_excluded_and_transformed_resources() -> None:
    rules = Resources(
        exclude_resource_prefixes=("noise.",),
        transformations=(
            ResourceTransformation("gpu", "Replace", outputs={"credits": Fraction(5, 2)}),
        ),
    )
    wanted = workload(2, gpu="3", cpu="1", **{"noise.example/x": "9"})
    (found,) = requests_from_pod_sets(wanted, (), rules)
    # Seven and a half credits a pod count as eight.
    assert found.requests == {"cpu": 2000, "credits": 16}


@given(st.integers(1, 100), st.integers(0, 100), st.integers(0, 10**6))
def test_scaling_keeps_what_one_pod_requests(old: int, new: int, each: int) -> None:
    requests = PodSetRequests("main", old, {"cpu": each * old}, {})
    assert requests.scaled_to(new).requests == {"cpu": each * new}


def test_resources_are_gone_through_by_their_hash() -> None:
    assert sorted(["cpu", "memory", "pods", "nvidia.com/gpu"], key=resource_order) == sorted(
        ["pods", "cpu", "nvidia.com/gpu", "memory"], key=resource_order
    )
    assert resource_order("")[0] == 0xCBF29CE484222325
