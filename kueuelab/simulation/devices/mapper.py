"""What the Configuration's ``deviceClassMappings`` say of a DeviceClass."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kueuelab.model.devices import DeviceClassMapping, DeviceSource

__all__ = ["DeviceMapper"]


@dataclass(frozen=True, slots=True)
class DeviceMapper:
    """Names in quotas by DeviceClass, and the counters and capacities that count instead.

    A class in several mappings has the name of the first; each of its counters counts under
    the name of its own mapping, capacities under the first.

    Examples
    --------
    >>> mapper = DeviceMapper.of([DeviceClassMapping("gpus", ("gpu.example.com",))])
    >>> mapper.names
    {'gpu.example.com': 'gpus'}
    """

    names: Mapping[str, str]
    counters: Mapping[str, tuple[tuple[str, DeviceSource], ...]]
    capacities: Mapping[str, tuple[DeviceSource, ...]]

    @classmethod
    def of(cls, mappings: Iterable[DeviceClassMapping]) -> DeviceMapper:
        """Return what mappings say."""
        names: dict[str, str] = {}
        counters: dict[str, tuple[tuple[str, DeviceSource], ...]] = {}
        capacities: dict[str, tuple[DeviceSource, ...]] = {}
        for mapping in mappings:
            for name in mapping.device_class_names:
                names.setdefault(name, mapping.name)
                for source in mapping.sources:
                    if source.kind == "counter":
                        counters[name] = (*counters.get(name, ()), (mapping.name, source))
                    else:
                        capacities[name] = (*capacities.get(name, ()), source)
        return cls(names, counters, capacities)

    def drivers_of(self, device_class: str) -> list[str]:
        """Return the drivers whose counters and capacities count for a class, each once."""
        sources = [source for _, source in self.counters.get(device_class, ())]
        sources += self.capacities.get(device_class, ())
        return list(dict.fromkeys(source.driver for source in sources))

    @property
    def drivers(self) -> frozenset[str]:
        """The drivers of all counters and capacities."""
        return frozenset(driver for name in self.names for driver in self.drivers_of(name))
