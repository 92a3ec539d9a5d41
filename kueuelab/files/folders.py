"""What is in a folder of manifests: files, kustomizations and Helm charts, at any depth."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal

from kueuelab.errors import InputError, Location, Problem
from kueuelab.messages import Message

__all__ = ["KUSTOMIZATIONS", "SUFFIXES", "Part", "parts_of"]

#: How the names of manifests end.
SUFFIXES: Final = (".yaml", ".yml", ".json")
#: What makes a folder a kustomization.
KUSTOMIZATIONS: Final = ("kustomization.yaml", "kustomization.yml", "Kustomization")
_CHART: Final = "Chart.yaml"
#: A folder with more than this is none of manifests.
_MOST: Final = 100_000
_DEEPEST: Final = 40


@dataclass(frozen=True, slots=True)
class Part:
    """A file of manifests, or a folder that has to be rendered first.

    Parameters
    ----------
    path : Path
        Where it is.
    kind : {"file", "kustomization", "chart"}
        What it is.
    """

    path: Path
    kind: Literal["file", "kustomization", "chart"]


def parts_of(folder: Path) -> list[Part]:
    """Return what is in a folder, in the order in which ``kubectl apply -R -f`` takes it.

    Hidden files and folders (``.git``, ``.github``) are passed over, and so are links to folders.
    What is below a kustomization or a chart belongs to it.

    Raises
    ------
    InputError
        If there are so many files that it can't be a folder of manifests.
    OSError
        If it can't be read.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> for name in ("b.yaml", "a/kustomization.yaml", "a/patch.yaml", "notes.txt"):
    ...     (folder / name).parent.mkdir(exist_ok=True)
    ...     _ = (folder / name).write_text("")
    >>> [(part.path.name, part.kind) for part in parts_of(folder)]
    [('a', 'kustomization'), ('b.yaml', 'file')]
    """
    return list(_walk(folder, _Limit(folder), 0))


class _Limit:
    """Counts what was seen, up to a limit."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = 0

    def count(self, depth: int) -> None:
        self._seen += 1
        if self._seen > _MOST or depth > _DEEPEST:
            message, hint = Message("files.folder.too-large"), Message("files.folder.hint")
            raise InputError(Problem(message, location=Location(str(self._folder)), hint=hint))


def _walk(folder: Path, limit: _Limit, depth: int) -> Iterator[Part]:
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    names = {entry.name for entry in entries if entry.is_file()}
    if not names.isdisjoint(KUSTOMIZATIONS):
        yield Part(folder, "kustomization")
        return
    if _CHART in names:
        yield Part(folder, "chart")
        return
    for entry in entries:
        limit.count(depth)
        if entry.name.startswith("."):
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(folder / entry.name, limit, depth + 1)
        elif entry.name.endswith(SUFFIXES) and entry.is_file():
            yield Part(folder / entry.name, "file")
