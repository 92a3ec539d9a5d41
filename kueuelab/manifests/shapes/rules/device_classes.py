"""The rules of ``resources.deviceClassMappings``, in Kueue's words (KEP-2941)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.mistake import Mistake, as_json
from kueuelab.model import RELEASE

__all__ = ["device_class_mappings"]

_NEEDED: Final = {
    "counter": "KueueDRAIntegrationPartitionableDevices",
    "capacity": "KueueDRAIntegrationConsumableCapacity",
}


def device_class_mappings(configuration: Mapping[str, Any], path: Path) -> Iterator[Mistake]:
    """Yield classes that are mapped twice, and sources that are not allowed."""
    mappings = (configuration.get("resources") or {}).get("deviceClassMappings") or ()
    gates = configuration.get("featureGates") or {}
    place = (*path, "resources", "deviceClassMappings")
    resources: dict[str, str] = {}
    counters: dict[str, set[str]] = {}
    for index, mapping in enumerate(mappings):
        here = (*place, index)
        yield from _classes(mapping, here, resources, counters)
        yield from _sources(mapping.get("sources") or (), (*here, "sources"), gates)


def _classes(
    mapping: Mapping[str, Any],
    path: Path,
    resources: dict[str, str],
    counters: dict[str, set[str]],
) -> Iterator[Mistake]:
    """Yield classes that are mapped twice; several mappings may count counters of one class."""
    sources = mapping.get("sources") or ()
    counter = ((sources[0].get("counter") or {}).get("name") or "") if sources else ""
    seen = set()
    for index, name in enumerate(mapping.get("deviceClassNames") or ()):
        here = (*path, "deviceClassNames", index)
        if name in seen:
            yield Mistake(here, f"Duplicate value: {as_json(name)}")
        seen.add(name)
        first = resources.setdefault(name, mapping["name"])
        known = counters.setdefault(name, set())
        if first != mapping["name"] and not (counter and known):
            text = f"device class already mapped to resource {first}"
            yield Mistake(here, f"Invalid value: {as_json(name)}: {text}")
        elif first != mapping["name"] and counter in known:
            text = f"device class already has a counter source for counter {as_json(counter)}"
            yield Mistake(here, f"Invalid value: {as_json(name)}: {text}")
        elif counter:
            known.add(counter)


def _sources(
    sources: Sequence[Mapping[str, Any]], path: Path, gates: Mapping[str, bool]
) -> Iterator[Mistake]:
    kinds = []
    for index, source in enumerate(sources):
        here = (*path, index)
        named = [kind for kind in _NEEDED if source.get(kind) is not None]
        text = "exactly one source type must be set per entry"
        if not named:
            yield Mistake(here, f"Required value: {text}")
        elif len(named) > 1:
            yield Mistake(here, f'Invalid value: "counter+capacity": {text}')
        else:
            kinds.append(named[0])
            yield from _source(named[0], source[named[0]], (*here, named[0]), gates)
    if len(set(kinds)) > 1:
        text = "cannot mix counter and capacity sources in the same mapping"
        yield Mistake(path, f"Invalid value: {len(sources)}: {text}")


def _source(
    kind: str, source: Mapping[str, Any], path: Path, gates: Mapping[str, bool]
) -> Iterator[Mistake]:
    gate = _NEEDED[kind]
    if not gates.get(gate, RELEASE.gates[gate].default):
        text = f"{kind} sources require {gate} to be enabled"
        yield Mistake(path, f"Invalid value: true: {text}")
        return
    for field in ("name", "driver"):
        if not source.get(field):
            yield Mistake((*path, field), "Required value")
    if not ((source.get("deviceSelector") or {}).get("cel") or {}).get("expression"):
        yield Mistake((*path, "deviceSelector", "cel", "expression"), "Required value")
