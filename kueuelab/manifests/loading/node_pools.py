"""The short form of nodes: ``nodes: {blocks: 2, racks: 3, hosts: 4, cpu: 8}``.

It stands for a Topology, a ResourceFlavor and the Nodes, which are written out as manifests and
loaded like those of the author.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from kueuelab.manifests.loading.items import Item
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.reading.paths import Path
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import Message
from kueuelab.model import ResourceFlavor, Topology
from kueuelab.model.topology import HOSTNAME

__all__ = ["LEVELS", "add_node_pools", "level_label", "resources_of"]

#: The levels by the words of the short form, the widest first, and their node labels.
LEVELS: Final[Mapping[str, str]] = {
    "block": "cloud.provider.com/topology-block",
    "rack": "cloud.provider.com/topology-rack",
    "host": HOSTNAME,
}
#: The words of the short form for resources.
_RESOURCES: Final = {"cpu": "cpu", "memory": "memory", "gpu": "nvidia.com/gpu", "pods": "pods"}
_POOL: Final = "cloud.provider.com/node-group"
_MOST_PODS: Final = 110
_KUEUE: Final = "kueue.x-k8s.io/v1beta2"


def level_label(word: str) -> str:
    """Return the node label of a level, given by its word or by the label itself.

    Examples
    --------
    >>> level_label("rack"), level_label("example.com/row")
    ('cloud.provider.com/topology-rack', 'example.com/row')
    """
    return LEVELS.get(word, word)


def resources_of(written: Mapping[str, Any]) -> dict[str, Any]:
    """Return resources, some of which have a word of their own.

    Examples
    --------
    >>> resources_of({"cpu": 8, "gpu": 4, "resources": {"example.com/nic": 1}})
    {'cpu': 8, 'nvidia.com/gpu': 4, 'example.com/nic': 1}
    """
    named = {name: written[word] for word, name in _RESOURCES.items() if word in written}
    return {**named, **(written.get("resources") or {})}


def add_node_pools(loader: Loader, written: Any, item: Item, path: Path) -> None:
    """Give a loader the manifests that the short form stands for.

    Parameters
    ----------
    loader
        Holds the manifests of the same cluster already.
    written
        One pool of nodes, or a list of them.
    item, path
        The scenario, and the way to ``written`` in it.
    """
    is_list = isinstance(written, Sequence) and not isinstance(written, str)
    for index, pool in enumerate(written if is_list else [written]):
        where: Path = (*path, index) if is_list else path
        if found := mistakes(pool, record_of("kueuelab/v1", "NodePool"), where):
            loader.findings.add_all(item, found)
            continue
        prefix = (*item.prefix, *where)
        for manifest in _manifests(loader, pool, item, where):
            loader.add_unique(Item(manifest, item.document, prefix))


def _manifests(
    loader: Loader, pool: Mapping[str, Any], item: Item, path: Path
) -> Iterator[dict[str, Any]]:
    name = pool.get("name") or ""
    topology = pool.get("topology") or "default"
    flavor = pool.get("flavor") or name or "default"
    counts = {word: pool[f"{word}s"] for word in LEVELS if f"{word}s" in pool}
    levels = tuple(LEVELS[word] for word in counts)
    known = loader.find("Topology", topology)
    if not isinstance(known, Topology):
        named = [{"nodeLabel": level} for level in levels]
        yield _object(_KUEUE, "Topology", topology, spec={"levels": named})
    elif known.levels != levels:
        values = {"name": topology, "levels": ", ".join(known.levels)}
        message = Message("manifests.node-pools.other-levels", **values)
        hint = Message("manifests.node-pools.other-levels.hint")
        loader.findings.add(item, Mistake(path, message, hint))
        return
    own = loader.find("ResourceFlavor", flavor)
    labels = {_POOL: flavor}
    if isinstance(own, ResourceFlavor):
        labels = dict(own.node_labels)
    else:
        spec: dict[str, Any] = {"nodeLabels": labels, "topologyName": topology}
        yield _object(_KUEUE, "ResourceFlavor", flavor, spec=spec)
    labels = {**labels, **(pool.get("labels") or {})}
    for domains in _domains(name, counts):
        yield _node(pool, {**labels, **dict(zip(levels, domains, strict=True))}, domains[-1])


def _domains(pool: str, counts: Mapping[str, int]) -> Iterator[tuple[str, ...]]:
    """Yield the names of the domains that each host is in: its block, its rack, itself."""
    numbered = [
        [f"{word[0]}{number:0{len(str(count))}d}" for number in range(1, count + 1)]
        for word, count in counts.items()
    ]
    for parts in product(*numbered):
        named = [pool, *parts] if pool else list(parts)
        first = len(named) - len(parts) + 1
        yield tuple("-".join(named[:end]) for end in range(first, len(named) + 1))


def _node(pool: Mapping[str, Any], labels: Mapping[str, str], name: str) -> dict[str, Any]:
    ready = {"type": "Ready", "status": "True", "reason": "KubeletReady"}
    status = {
        "allocatable": {"pods": _MOST_PODS, **resources_of(pool)},
        "conditions": [ready],
    }
    spec = {"taints": pool["taints"]} if pool.get("taints") else {}
    node = _object("v1", "Node", name, spec=spec, status=status)
    node["metadata"]["labels"] = dict(labels)
    return node


def _object(api_version: str, kind: str, name: str, **rest: Any) -> dict[str, Any]:
    return {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **rest}
