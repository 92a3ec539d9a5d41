"""What a branch was read from: another release reads it again, and findings have its lines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from kueuelab.collector import without_collection
from kueuelab.errors import Problem
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.model import Release, release_named
from kueuelab.whatif.advice.places import Places

__all__ = ["OpenedInput"]


@dataclass(frozen=True, slots=True)
class OpenedInput:
    """A file or a text that was opened.

    Attributes
    ----------
    source
        A path, a text, or the bytes of one.
    name
        What to call a text, or a file without a folder.
    has_folder
        Whether it may name files beside it. What a browser sent has no folder: it names no file
        of this machine, wherever the engine keeps it.
    release
        The release that decides it; ``""`` for the one that it names, else the default one.
    address
        What was asked for: a packaged name, a path; ``""`` for a text.

    Examples
    --------
    >>> text = "{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}"
    >>> OpenedInput(text, "a.yaml").spec().manifests
    <Manifests Namespace: 1>
    """

    source: Path | str | bytes = field(repr=False)
    name: str = ""
    has_folder: bool = True
    release: str = ""
    address: str = ""

    def documents(self) -> Sequence[Document] | None:
        """Return what is written in it, which is not checked; ``None`` if it can't be read.

        Why it can't is what :meth:`spec` raises.
        """
        problems: list[Problem] = []
        with without_collection(circles=False):
            found = [*documents_of(self._readable, problems, name=self.name)]
        return None if problems else found

    def spec(
        self, release: Release | None = None, documents: Sequence[Document] | None = None
    ) -> ScenarioSpec:
        """Read it, as a release of Kueue does: the one that is given, or its own.

        Parameters
        ----------
        documents
            Its documents, if they were read already.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        if release is None and self.release:
            release = release_named(self.release)
        source = self._readable if documents is None else documents
        if self.has_folder:
            return load_scenario(source, name=self._called, release=release)
        with TemporaryDirectory() as nothing:
            return load_scenario(source, name=self._called, base=Path(nothing), release=release)

    @property
    def file(self) -> Path | None:
        """The file of the reader that it was read from; ``None`` of a text and of a folder."""
        found = self.source if isinstance(self.source, Path) and self.has_folder else None
        return found if found is not None and found.is_file() else None

    @property
    def text(self) -> str:
        """What a browser sent, as text."""
        source = self._readable
        return source.decode() if isinstance(source, bytes) else str(source)

    def places(self) -> Places:
        """Return where its objects are written."""
        return Places(list(documents_of(self._readable, [], name=self.name)))

    @property
    def _called(self) -> str:
        # A file or a folder gives its scenario its own name.
        return self.name or (self.source.name if isinstance(self.source, Path) else "")

    @property
    def _readable(self) -> Path | str | bytes:
        if isinstance(self.source, Path) and not self.has_folder:
            return self.source.read_bytes()
        return self.source
