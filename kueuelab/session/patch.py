"""The objects that differ between two runs, as manifests that ``kubectl apply`` takes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.files.writing import write_text
from kueuelab.manifests import encode_object
from kueuelab.manifests.writing import write_yaml
from kueuelab.messages import Catalog, Message, english
from kueuelab.model import ModelObject
from kueuelab.whatif.changes import Change, Edit, change_text
from kueuelab.whatif.configuring import Configure, nested
from kueuelab.whatif.references import Reference

__all__ = ["Patch", "patch_between"]

#: What administrators apply. Jobs, workloads, pods and nodes have other owners.
_KINDS: Final = (
    "Namespace",
    "PriorityClass",
    "WorkloadPriorityClass",
    "Topology",
    "ResourceFlavor",
    "AdmissionCheck",
    "ProvisioningRequestConfig",
    "Cohort",
    "ClusterQueue",
    "LocalQueue",
)


_CONFIGURATION: Final = "config.kueue.x-k8s.io/v1beta2"
#: The metadata that people write; a server sets the rest.
_METADATA: Final = ("name", "namespace", "labels", "annotations")
_LAST_APPLIED: Final = "kubectl.kubernetes.io/last-applied-configuration"


@dataclass(frozen=True, slots=True)
class Patch:
    """What has to be applied.

    Attributes
    ----------
    manifests
        The objects that are new or different, each as YAML.
    deleted
        The objects that are gone.
    left_out
        Changes that no manifest of these kinds makes: a workload that finishes, for example.
    configuration
        What is different in Kueue's Configuration, as YAML; ``""`` if nothing is.
    """

    manifests: tuple[str, ...]
    deleted: tuple[Reference, ...] = ()
    left_out: tuple[str, ...] = ()
    configuration: str = ""

    def as_text(self, words: Catalog | None = None) -> str:
        """Return it as one YAML file; what it cannot hold is said in comments."""
        words = words or english()
        comments = [
            *(words.text("session.patch.left-out", change=each) for each in self.left_out),
            *(
                words.text("session.patch.deleted", command=_deletion(each))
                for each in self.deleted
            ),
        ]
        if self.configuration:
            comments.append(words.text("session.patch.configuration"))
        elif not self.manifests:
            comments.append(words.text("session.patch.nothing"))
        head = "".join(f"# {line}\n" for text in comments for line in text.splitlines())
        parts = [*self.manifests, *([self.configuration] if self.configuration else [])]
        return head + "---\n".join(parts)

    def save(self, path: str | Path, words: Catalog | None = None) -> None:
        """Write it to a file that does not exist yet.

        Raises
        ------
        KueueLabError
            If there is such a file already.
        """
        path = Path(path).expanduser()
        if path.exists():
            raise KueueLabError(
                Message("session.patch.exists", file=path),
                hint=Message("session.patch.exists.hint"),
            )
        write_text(path, self.as_text(words))


def patch_between(
    before: Sequence[ModelObject], after: Sequence[ModelObject], changes: Sequence[Change] = ()
) -> Patch:
    """Return what has to be applied to a cluster with some objects to have others.

    Parameters
    ----------
    before, after
        The objects.
    changes
        The changes that lead from one to the other, as far as they are known.
    """
    old, new = _manifests(before), _manifests(after)
    return Patch(
        tuple(text for name, text in new.items() if old.get(name) != text),
        tuple(name for name in old if name not in new),
        tuple(change_text(change) for change in changes if not _is_applied(change)),
        _configuration(changes),
    )


def _configuration(changes: Sequence[Change]) -> str:
    """Return what changes set in Kueue's Configuration, as YAML."""
    values: dict[str, Any] = {}
    for change in changes:
        if isinstance(change, Configure):
            values.update(change.values)
    if not values:
        return ""
    return write_yaml([{"apiVersion": _CONFIGURATION, "kind": "Configuration", **nested(values)}])


def _manifests(objects: Sequence[ModelObject]) -> dict[Reference, str]:
    found = [(Reference.of(obj), obj) for obj in objects if type(obj).__name__ in _KINDS]
    found.sort(key=lambda each: (_KINDS.index(each[0].kind), each[0].key))
    return {name: _manifest(obj) for name, obj in found}


def _manifest(obj: ModelObject) -> str:
    """Return an object as people apply it: without its status and what a server sets."""
    found = encode_object(obj)
    found.pop("status", None)
    metadata = {name: found["metadata"][name] for name in _METADATA if name in found["metadata"]}
    notes = {k: v for k, v in metadata.pop("annotations", {}).items() if k != _LAST_APPLIED}
    return write_yaml([{**found, "metadata": metadata | ({"annotations": notes} if notes else {})}])


def _is_applied(change: Change) -> bool:
    """Tell whether a manifest of the patch makes the change."""
    if isinstance(change, Configure):
        return True
    if isinstance(change, Edit):
        return change.object.kind in _KINDS
    kind = getattr(change, "kind", None)
    objects = getattr(change, "objects", ())
    kinds = [kind] if kind else [type(obj).__name__ for obj in objects]
    return bool(kinds) and all(each in _KINDS for each in kinds)


def _deletion(name: Reference) -> str:
    namespace = f" --namespace {name.namespace}" if name.namespace else ""
    return f"kubectl delete {name.kind.lower()} {name.name}{namespace}"
