"""Kueue's Configuration: a file of its own, or the ConfigMap that Kueue is installed with."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.errors import Problem
from kueuelab.manifests.decode import decode_configuration
from kueuelab.manifests.loading.items import Findings, Item
from kueuelab.manifests.reading.documents import Document, Source, read_documents
from kueuelab.manifests.reading.locate import locate
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import record_of
from kueuelab.manifests.versions.configuration import convert_configuration
from kueuelab.messages import Message, clauses
from kueuelab.model import RELEASE, Configuration, Release

__all__ = [
    "CONFIG_MAP_KEY",
    "as_installed",
    "configuration_in_config_map",
    "note_defaults",
    "read_configuration",
]

#: The key of Kueue's ConfigMap that holds its Configuration.
CONFIG_MAP_KEY: Final = "controller_manager_config.yaml"

_GROUP: Final = "config.kueue.x-k8s.io/"


def read_configuration(
    item: Item, findings: Findings, release: Release = RELEASE
) -> Configuration | None:
    """Return the Configuration of a manifest, ``None`` if it has mistakes."""
    obj = item.obj
    version = obj.get("apiVersion") or f"{_GROUP}v1beta2"
    if version not in (f"{_GROUP}v1beta1", f"{_GROUP}v1beta2"):
        message = Message("manifests.configurations.unknown-version", version=f"{version!r:.80}")
        hint = Message("manifests.loader.write-version", version=f"{_GROUP}v1beta2")
        findings.add(item, Mistake(("apiVersion",), message, hint), label="Configuration")
        return None
    old = version.endswith("v1beta1")
    if found := mistakes(obj, record_of(version, "Configuration", release)):
        for mistake in found:
            findings.add(item, mistake, label="Configuration")
        return None
    if old:
        obj, changes = convert_configuration(obj)
        words = clauses([Message("manifests.configurations.converted"), *changes])
        findings.note(words, item, label="Configuration")
    return decode_configuration(obj)


def as_installed(obj: Mapping[str, Any], release: Release = RELEASE) -> Mapping[str, Any]:
    """Return a Configuration as an installed Kueue has it, with the sections that Kueue adds.

    This is for what users write for a cluster: a file of kind Configuration, or Kueue's ConfigMap.
    Only a Configuration of the current version gets these sections: an older one is converted
    after its own defaults. In both, one that names no frameworks enables jobs of ``batch`` alone.

    Examples
    --------
    >>> as_installed({"apiVersion": "config.kueue.x-k8s.io/v1beta2"})["waitForPodsReady"]
    {'timeout': '30m'}
    >>> as_installed({"integrations": {"labelKeysToCopy": ["team"]}})["integrations"]
    {'labelKeysToCopy': ['team'], 'frameworks': ['batch/job']}
    """
    added: dict[str, Any] = {}
    if obj.get("apiVersion") == release.configuration_version:
        # null counts as left out.
        added = {name: part for name, part in release.installed.items() if obj.get(name) is None}
    integrations = obj.get("integrations")
    if integrations is None or (
        isinstance(integrations, Mapping) and not integrations.get("frameworks")
    ):
        frameworks = {"frameworks": list(release.default_frameworks)}
        added["integrations"] = {**(integrations or {}), **frameworks}
    return {**obj, **added}


def note_defaults(item: Item, findings: Findings, release: Release = RELEASE) -> None:
    """Say which defaults hold for a Configuration that does not name all that decides."""
    full = as_installed(item.obj, release)
    if full == item.obj or not isinstance(full.get("integrations"), Mapping):
        return
    defaults = {
        f"{name}.{field}": str(value)
        for name, part in full.items()
        if name in release.installed and item.obj.get(name) is None
        for field, value in part.items()
    }
    if not (item.obj.get("integrations") or {}).get("frameworks"):
        defaults["integrations.frameworks"] = ", ".join(release.default_frameworks)
    written = clauses([f"{field}: {value}" for field, value in defaults.items()])
    message = Message("manifests.configurations.defaults", defaults=written)
    findings.note(message, item, label="Configuration")


def configuration_in_config_map(
    item: Item, findings: Findings, release: Release = RELEASE
) -> Item | None:
    """Return the Configuration that a ConfigMap holds, ``None`` if it holds none."""
    data = item.obj.get("data")
    text = data.get(CONFIG_MAP_KEY) if isinstance(data, Mapping) else None
    if not isinstance(text, str):
        return None
    problems: list[Problem] = []
    source, line, indent = _inner_source(item, text)
    documents = list(read_documents(source, problems))
    for problem in problems:
        findings.add_problem(None, problem)
    for document in documents:
        if isinstance(document.value, Mapping):
            placed = Document(
                document.value,
                source if item.document.source is not None else None,
                document.start,
                document.line + line,
                document.number,
                indent,
            )
            note_defaults(Item(document.value, placed), findings, release)
            return Item(as_installed(document.value, release), placed)
    return None


def _inner_source(item: Item, text: str) -> tuple[Source, int, int]:
    """Return the text in a ConfigMap as a source, the lines above it and its indentation."""
    outer = item.document.source
    if outer is None:
        return Source("<ConfigMap>", text), 0, 0
    path = (*item.prefix, "data", CONFIG_MAP_KEY)
    place: Any = locate(item.document, [path]).get(path)
    if place is None:
        return Source(outer.name, text), 0, 0
    line = place[1][0]
    lines = outer.text.split("\n")
    first = lines[line] if line < len(lines) else ""
    return Source(outer.name, text), line, len(first) - len(first.lstrip(" "))
