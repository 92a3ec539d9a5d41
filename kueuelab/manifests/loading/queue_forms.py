"""The short form of queues: ``queues: {team-a: {cohort: all, gpu: "4 of a100, 8 of spot"}}``.

It stands for ResourceFlavors, ClusterQueues and LocalQueues, which are written out as manifests and
loaded like those of the author. ``kueuelab validate --print-manifests`` shows them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from kueuelab.manifests.loading.items import Item
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.loading.node_pools import resources_of
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import ResourceFlavor

__all__ = ["add_queues", "quotas_of"]

_KUEUE: Final = "kueue.x-k8s.io/v1beta2"
_DEFAULT: Final = "default"
_PART: Final = re.compile(r"\s*(?P<amount>\S+)(?:\s+of\s+(?P<flavor>\S+))?\s*")
#: What is short for a policy of preemption.
_POLICIES: Final = {"within": "withinClusterQueue", "reclaim": "reclaimWithinCohort"}


def quotas_of(written: Any) -> dict[str, str]:
    """Return flavor to amount: ``8``, ``"8 of spot"`` or ``"4 of a100, 8 of spot"``.

    Raises
    ------
    ValueError
        If it is written in another way, or names a flavor twice.

    Examples
    --------
    >>> quotas_of(8)
    {'default': '8'}
    >>> quotas_of("4 of a100, 8 of spot")
    {'a100': '4', 'spot': '8'}
    """
    found: dict[str, str] = {}
    for part in str(written).split(","):
        matched = _PART.fullmatch(part)
        flavor = "" if matched is None else matched["flavor"] or _DEFAULT
        if matched is None or flavor in found:
            raise ValueError(str(written))
        found[flavor] = matched["amount"]
    return found


def add_queues(loader: Loader, written: Any, item: Item, path: Path) -> None:
    """Give a loader the manifests that the short form stands for.

    Parameters
    ----------
    loader
        Holds the manifests of the same cluster already.
    written
        Names of ClusterQueues, each with its quota and policies.
    item, path
        The scenario, and the way to ``written`` in it.
    """
    if not isinstance(written, Mapping):
        message = Message("manifests.scenarios.not-a-mapping")
        loader.findings.add(item, Mistake(path, message))
        return
    for name, queue in written.items():
        where: Path = (*path, str(name))
        if found := mistakes(queue, record_of("kueuelab/v1", "QueueForm"), where):
            loader.findings.add_all(item, found)
            continue
        prefix = (*item.prefix, *where)
        for manifest in _manifests(loader, str(name), queue, item, where):
            loader.add_unique(Item(manifest, item.document, prefix))


def _manifests(
    loader: Loader, name: str, queue: Mapping[str, Any], item: Item, path: Path
) -> Iterator[dict[str, Any]]:
    quotas: dict[str, dict[str, str]] = {}
    for resource, amount in resources_of(queue).items():
        try:
            quotas[resource] = quotas_of(amount)
        except ValueError:
            message = Message("manifests.queue-forms.amount", amount=repr(amount))
            hint = Message("manifests.queue-forms.amount.hint")
            loader.findings.add(item, Mistake((*path, resource), message, hint))
            return
    for flavor in dict.fromkeys(each for amounts in quotas.values() for each in amounts):
        if not isinstance(loader.find("ResourceFlavor", flavor), ResourceFlavor):
            yield _object("ResourceFlavor", flavor)
    yield _object("ClusterQueue", name, spec=_spec(queue, quotas))
    namespace = queue.get("namespace") or _DEFAULT
    local = queue.get("localQueue") or name
    found = _object("LocalQueue", local, spec={"clusterQueue": name})
    found["metadata"]["namespace"] = namespace
    yield found


def _spec(queue: Mapping[str, Any], quotas: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    """Return the spec of a ClusterQueue; resources with the same flavors are in one group."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for resource, amounts in quotas.items():
        groups.setdefault(tuple(amounts), []).append(resource)
    spec: dict[str, Any] = {
        "namespaceSelector": {},
        "resourceGroups": [
            {
                "coveredResources": resources,
                "flavors": [
                    {
                        "name": flavor,
                        "resources": [
                            {"name": each, "nominalQuota": quotas[each][flavor]}
                            for each in resources
                        ],
                    }
                    for flavor in flavors
                ],
            }
            for flavors, resources in groups.items()
        ],
    }
    if queue.get("cohort"):
        spec["cohortName"] = queue["cohort"]
    if queue.get("strategy"):
        spec["queueingStrategy"] = queue["strategy"]
    if queue.get("weight") is not None:
        spec["fairSharing"] = {"weight": str(queue["weight"])}
    policies: dict[str, Any] = {
        field: queue[word] for word, field in _POLICIES.items() if queue.get(word)
    }
    if queue.get("borrow"):
        policies["borrowWithinCohort"] = {"policy": queue["borrow"]}
    if policies:
        spec["preemption"] = policies
    return spec


def _object(kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": _KUEUE, "kind": kind, "metadata": {"name": name}, **rest}
