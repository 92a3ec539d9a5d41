"""Objects by the names that people type: ``cluster-queue/team-a``, ``Workload/default/a``."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final, NamedTuple

from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.manifests.decode import (
    CLUSTER_KINDS,
    DEFAULT_NAMESPACE,
    NAMESPACED_KINDS,
)
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.messages import Message
from kueuelab.model import ModelObject, Workload

__all__ = ["ObjectIndex", "Reference"]

_SHORT: Final[Mapping[str, str]] = {
    "cq": "ClusterQueue",
    "lq": "LocalQueue",
    "queue": "LocalQueue",
    "wl": "Workload",
    "job": "Workload",
    "rf": "ResourceFlavor",
    "flavor": "ResourceFlavor",
    "ns": "Namespace",
    "check": "AdmissionCheck",
}
_KINDS: Final[Mapping[str, str]] = {
    **{kind.lower(): kind for kind in (*CLUSTER_KINDS, *NAMESPACED_KINDS)},
    **_SHORT,
}


class Reference(NamedTuple):
    """What an object is known by. ``str`` gives ``Kind/name`` or ``Kind/namespace/name``.

    Examples
    --------
    >>> str(Reference("LocalQueue", "default", "team-a"))
    'LocalQueue/default/team-a'
    """

    kind: str
    namespace: str
    name: str

    def __str__(self) -> str:
        return "/".join(part for part in self if part)

    @classmethod
    def of(cls, obj: ModelObject) -> Reference:
        """Return the reference to an object."""
        kind, meta = type(obj).__name__, obj.metadata
        namespace = (meta.namespace or DEFAULT_NAMESPACE) if kind in NAMESPACED_KINDS else ""
        return cls(kind, namespace, meta.name)

    @classmethod
    def of_workload(cls, key: str) -> Reference:
        """Return the reference to the workload of a key."""
        return cls("Workload", *key.split("/"))

    @property
    def key(self) -> str:
        """``namespace/name``, or the name where there is no namespace."""
        return f"{self.namespace}/{self.name}" if self.namespace else self.name


class ObjectIndex:
    """The objects that there are at some point of a run, as they were written.

    Parameters
    ----------
    objects
        The objects.
    aliases
        Names that objects had before, each with the name that the object has now.

    Examples
    --------
    >>> from kueuelab.model import ClusterQueue, LocalQueue, ObjectMeta
    >>> index = ObjectIndex([ClusterQueue(ObjectMeta("a")), LocalQueue(ObjectMeta("q", "ns"), "a")])
    >>> index.find("cluster-queue/a"), index.find("lq/q")
    (Reference(kind='ClusterQueue', namespace='', name='a'), \
Reference(kind='LocalQueue', namespace='ns', name='q'))
    >>> index.find("ClusterQueue/b")
    Traceback (most recent call last):
    kueuelab.errors.UnknownObjectError: there is no ClusterQueue named 'b'. There are: 'a'
    >>> str(ObjectIndex(index, {"b": "a"}).find("ClusterQueue/b"))
    'ClusterQueue/a'
    """

    def __init__(
        self, objects: Iterable[ModelObject] = (), aliases: Mapping[str, str] | None = None
    ) -> None:
        self._aliases = aliases or {}
        self._objects: dict[Reference, ModelObject] = {Reference.of(obj): obj for obj in objects}
        self._gone: dict[Reference, ModelObject] = {}

    def __iter__(self) -> Iterator[ModelObject]:
        return iter(self._objects.values())

    def __getitem__(self, reference: Reference) -> ModelObject:
        return self._objects[reference]

    def put(self, obj: ModelObject) -> None:
        """Add an object, or replace the one of its name."""
        self._objects[Reference.of(obj)] = obj

    def drop(self, reference: Reference) -> None:
        """Take an object away, if it is there."""
        obj = self._objects.pop(reference, None)
        if obj is not None:
            self._gone[reference] = obj

    @property
    def workload_names(self) -> WorkloadNames:
        """Workloads by their own names and their jobs'."""
        return WorkloadNames(obj for obj in self if isinstance(obj, Workload))

    def is_gone(self, reference: Reference) -> bool:
        """Tell whether an object was there and was deleted."""
        return reference in self._gone and reference not in self._objects

    @property
    def names_of_all(self) -> WorkloadNames:
        """The same with those that are gone: an action may name one, and does nothing then."""
        found = (*self, *self._gone.values())
        return WorkloadNames(obj for obj in found if isinstance(obj, Workload))

    def find(self, text: str) -> Reference:
        """Return what is meant by ``kind/name`` or ``kind/namespace/name``.

        Raises
        ------
        InputError
            If it isn't written like this, or there is no such kind.
        UnknownObjectError
            If there is no such object.
        """
        kind, namespace, name = split(text)
        if kind == "Workload":
            key = self.workload_names.key_of(f"{namespace}/{name}" if namespace else name)
            return Reference.of_workload(key)
        same_kind = [each for each in self._objects if each.kind == kind]
        in_namespace = [each for each in same_kind if namespace in ("", each.namespace)]
        found = [each for each in in_namespace if each.name == name]
        if not found and name in self._aliases:
            name = self._aliases[name]
            found = [each for each in in_namespace if each.name == name]
        default = Reference(kind, DEFAULT_NAMESPACE, name)
        if default in found:
            found = [default]
        if len(found) == 1:
            return found[0]
        what = Message("whatif.objects.single", kind=kind) if found else kind
        named = f"{namespace}/{name}" if namespace else name
        known = found or same_kind
        homes = bool(namespace) or bool(found)
        names = dict.fromkeys(each.key if homes else each.name for each in known)
        raise UnknownObjectError(what, named, names)


def split(text: str) -> tuple[str, str, str]:
    """Return the kind, the namespace (or nothing) and the name that a text names.

    Raises
    ------
    InputError
        If it isn't of the form, or there is no such kind.

    Examples
    --------
    >>> split("resource-flavor/spot"), split("LocalQueue/team-a/jobs")
    (('ResourceFlavor', '', 'spot'), ('LocalQueue', 'team-a', 'jobs'))
    """
    written, _, rest = text.partition("/")
    namespace, _, name = rest.rpartition("/")
    if not name:
        hint = Message("whatif.objects.no-name.hint")
        raise InputError(Problem(Message("whatif.objects.no-name", text=text), hint=hint))
    kind = _KINDS.get(written.replace("-", "").lower())
    if kind is None:
        known = sorted({*CLUSTER_KINDS, *NAMESPACED_KINDS})
        raise UnknownObjectError("kind", written, known)
    return kind, namespace if kind in NAMESPACED_KINDS else "", name
