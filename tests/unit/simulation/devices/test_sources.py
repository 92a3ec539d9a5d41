"""Partitionable devices and consumable capacity, from manifests to quota."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.manifests.decode import decode_configuration, decode_object
from kueuelab.quantity import Quantity
from kueuelab.simulation import Cluster

DRIVER = "gpu.example.com"
PROFILE = f'device.attributes["{DRIVER}"].profile'


def cluster(
    source: dict[str, Any], request: dict[str, Any], devices: list[dict[str, Any]], **gates: bool
) -> Cluster:
    """Return a cluster with a workload of two pods that claim devices, in a queue with quota."""
    mapping = {"name": "gpu-part", "deviceClassNames": [DRIVER], "sources": [source]}
    made = Cluster(
        decode_configuration(
            {"resources": {"deviceClassMappings": [mapping]}, "featureGates": gates}
        )
    )
    made.load([decode_object(obj) for obj in (*QUEUES, *objects(request), slice_of(devices))])
    made.create_workload(decode_object(WORKLOAD))  # type: ignore[arg-type]
    made.settle(3)
    return made


def objects(request: dict[str, Any]) -> list[dict[str, Any]]:
    """Return a class of devices, and a template with a request for some of them."""
    claims = {"devices": {"requests": [{"name": "d", "exactly": request}]}}
    return [
        {"kind": "DeviceClass", "metadata": {"name": DRIVER}, "spec": {"selectors": []}},
        {"kind": "ResourceClaimTemplate", "metadata": {"name": "t"}, "spec": {"spec": claims}},
    ]


def slice_of(devices: list[dict[str, Any]], slices: int = 1, name: str = "s") -> dict[str, Any]:
    """Return a ResourceSlice of a pool that has so many."""
    pool = {"name": "pool", "generation": 1, "resourceSliceCount": slices}
    spec = {"driver": DRIVER, "pool": pool, "devices": devices}
    return {"kind": "ResourceSlice", "metadata": {"name": name}, "spec": spec}


def device(name: str, profile: str, slots: int, **more: Any) -> dict[str, Any]:
    """Return a device that is a part of another."""
    counters = [{"counterSet": "c", "counters": {"slots": {"value": str(slots)}}}]
    return {
        "name": name,
        "attributes": {"profile": {"string": profile}},
        "consumesCounters": counters,
        **more,
    }


QUOTA = [{"name": "cpu", "nominalQuota": "9"}, {"name": "gpu-part", "nominalQuota": "20Gi"}]
QUEUES = (
    {"kind": "ResourceFlavor", "metadata": {"name": "f"}},
    {
        "kind": "ClusterQueue",
        "metadata": {"name": "cq"},
        "spec": {
            "namespaceSelector": {},
            "resourceGroups": [
                {
                    "coveredResources": ["cpu", "gpu-part"],
                    "flavors": [{"name": "f", "resources": QUOTA}],
                }
            ],
        },
    },
    {"kind": "LocalQueue", "metadata": {"name": "lq"}, "spec": {"clusterQueue": "cq"}},
)
WORKLOAD = {
    "kind": "Workload",
    "metadata": {"name": "w", "namespace": "default"},
    "spec": {
        "queueName": "lq",
        "podSets": [
            {
                "name": "main",
                "count": 2,
                "template": {
                    "spec": {
                        "containers": [{"name": "c", "resources": {"requests": {"cpu": "1"}}}],
                        "resourceClaims": [{"name": "g", "resourceClaimTemplateName": "t"}],
                    }
                },
            }
        ],
    },
}
COUNTER = {"counter": {"name": "slots", "driver": DRIVER}}
CAPACITY = {"capacity": {"name": f"{DRIVER}/memory", "driver": DRIVER}}
DEVICES = [device("a", "small", 1), device("b", "small", 2), device("c", "large", 7)]


def usage(made: Cluster) -> str:
    """Return what the workload holds of the devices' quota."""
    [pod_set] = made.state()["workloads"]["default/w"]["admission"]["podSets"]
    return str(pod_set["usage"]["gpu-part"])


def said(made: Cluster) -> str:
    """Return why the workload has no quota."""
    return made.workload("default/w").conditions["QuotaReserved"].message


def small(count: int = 1) -> dict[str, Any]:
    return {
        "deviceClassName": DRIVER,
        "count": count,
        "selectors": [{"cel": {"expression": f'{PROFILE} == "small"'}}],
    }


def test_the_largest_counter_of_what_matches_counts_for_each_device() -> None:
    assert usage(cluster(COUNTER, small(), DEVICES)) == "4"  # two pods of 2 slots
    assert usage(cluster(COUNTER, small(2), DEVICES)) == "8"


def test_without_the_gate_devices_count() -> None:
    made = cluster(COUNTER, small(), DEVICES, KueueDRAIntegrationPartitionableDevices=False)
    assert usage(made) == "2"


def test_too_few_devices_and_a_slice_that_helps() -> None:
    made = cluster(COUNTER, small(3), DEVICES)
    assert said(made) == (
        "spec.podSets[0].template.spec.resourceClaims[0].devices.requests[0].exactly.selectors: "
        "Internal error: ResourceClaimTemplate t: insufficient matching devices for CEL selector "
        f"in DeviceClass {DRIVER}: 2 device(s) match in the cluster but 3 requested"
    )
    made.apply(decode_object(slice_of([*DEVICES, device("d", "small", 1)])))  # type: ignore[arg-type]
    made.advance(10**12)
    made.settle(2)
    assert usage(made) == "12"


def test_a_pool_that_is_published_in_part_has_no_devices() -> None:
    made = cluster(COUNTER, {"deviceClassName": DRIVER}, DEVICES)
    assert usage(made) == "14"
    made = cluster(COUNTER, {"deviceClassName": DRIVER}, [])
    assert said(made).endswith(
        "insufficient matching devices for counter driver: 0 device(s) match but 1 requested"
    )


@pytest.mark.parametrize(
    ("asked", "counted"), [({}, "4Gi"), ({"requests": {f"{DRIVER}/memory": "3Gi"}}, "8Gi")]
)
def test_what_is_consumed_of_a_capacity_is_rounded(asked: dict[str, Any], counted: str) -> None:
    policy = {"default": "2Gi", "validValues": ["2Gi", "4Gi"]}
    memory = {f"{DRIVER}/memory": {"value": "16Gi", "requestPolicy": policy}}
    shared = device("a", "small", 1, capacity=memory, allowMultipleAllocations=True)
    request = {"deviceClassName": DRIVER, "capacity": asked}
    made = cluster(CAPACITY, request, [shared], KueueDRAIntegrationConsumableCapacity=True)
    assert Quantity.parse(usage(made)) == Quantity.parse(counted)


def test_an_expression_that_is_none() -> None:
    request = {"deviceClassName": DRIVER, "selectors": [{"cel": {"expression": "devise.x"}}]}
    assert "undeclared reference to 'devise'" in said(cluster(COUNTER, request, DEVICES))


def test_an_attribute_that_devices_lack() -> None:
    request = {
        "deviceClassName": DRIVER,
        "selectors": [{"cel": {"expression": f'device.attributes["{DRIVER}"].model == "a"'}}],
    }
    assert said(cluster(COUNTER, request, DEVICES)).endswith(
        f"CEL evaluation failed for DeviceClass {DRIVER}: no such key: model"
    )
