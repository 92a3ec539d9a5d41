"""What Kueue refuses in ``resources.deviceClassMappings``."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import load_configuration
from kueuelab.manifests.encode import encode_configuration

SELECTOR = {"cel": {"expression": "true"}}


def counter(name: str = "memory") -> dict[str, Any]:
    return {"counter": {"name": name, "driver": "gpu.example.com", "deviceSelector": SELECTOR}}


CAPACITY = {"capacity": {"name": "memory", "driver": "gpu.example.com", "deviceSelector": SELECTOR}}


def refused(*mappings: dict[str, Any], **gates: bool) -> str:
    """Return what is wrong with mappings."""
    with pytest.raises(InputError) as caught:
        load_configuration(configuration(*mappings, **gates))
    return str(caught.value)


def configuration(*mappings: dict[str, Any], **gates: bool) -> dict[str, Any]:
    return {"resources": {"deviceClassMappings": list(mappings)}, "featureGates": gates}


def mapping(name: str, *sources: dict[str, Any], classes: tuple[str, ...] = ("gpu",)) -> Any:
    return {"name": name, "deviceClassNames": list(classes), "sources": list(sources)}


def test_a_class_that_is_mapped_twice() -> None:
    assert "device class already mapped to resource a" in refused(mapping("a"), mapping("b"))
    assert 'Duplicate value: "gpu"' in refused(mapping("a", classes=("gpu", "gpu")))


def test_several_counters_of_a_class() -> None:
    both = configuration(mapping("a", counter()), mapping("b", counter("cores")))
    found = load_configuration(both)
    assert [each.sources[0].name for each in found.resources.device_class_mappings] == [
        "memory",
        "cores",
    ]
    assert encode_configuration(found)["resources"] == both["resources"]
    twice = refused(mapping("a", counter()), mapping("b", counter()))
    assert 'device class already has a counter source for counter "memory"' in twice


def test_sources_need_their_gates() -> None:
    text = "capacity sources require KueueDRAIntegrationConsumableCapacity to be enabled"
    assert text in refused(mapping("a", CAPACITY))
    load_configuration(
        configuration(mapping("a", CAPACITY), KueueDRAIntegrationConsumableCapacity=True)
    )


def test_one_source_has_one_type() -> None:
    assert "exactly one source type" in refused(mapping("a", {}))
    assert "counter+capacity" in refused(mapping("a", {**counter(), **CAPACITY}))
    mixed = refused(mapping("a", counter(), CAPACITY), KueueDRAIntegrationConsumableCapacity=True)
    assert "cannot mix counter and capacity sources" in mixed


def test_a_source_names_a_driver_and_a_selector() -> None:
    text = refused(mapping("a", {"counter": {"name": "memory"}}))
    assert "counter.driver" in text
    assert "counter.deviceSelector.cel.expression" in text
