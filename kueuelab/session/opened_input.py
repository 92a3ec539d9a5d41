"""What a branch was read from: another release reads it again, and findings have its lines."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from io import BytesIO, TextIOWrapper
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TextIO

from kueuelab.collector import without_collection
from kueuelab.errors import Problem
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.reading.documents import Document, Source
from kueuelab.manifests.reading.json_values import large_list
from kueuelab.model import Release, release_named
from kueuelab.whatif.advice.places import Places

__all__ = ["OpenedInput"]

#: Bytes that are read at once.
_PIECE: Final = 2**18


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

        Why it can't is what :meth:`spec` raises. A large list that a browser sent is read in
        pieces, and its text is not kept: it is read again where something is wrong.
        """
        problems: list[Problem] = []
        with without_collection(circles=False):
            if (value := self._large_list()) is not None:
                is_json = self.name.endswith(".json")
                return [Document(value, Source(self.name, self._again, is_json))]
            found = [*documents_of(self._readable, problems, name=self.name)]
        return None if problems else found

    def _large_list(self) -> dict[str, Any] | None:
        if self.has_folder or isinstance(self.source, str):
            return None
        with self._stream() as stream:
            return large_list(stream)

    def _again(self, size: int) -> str:
        with self._stream() as stream:
            return stream.read(size).replace("\r\n", "\n")

    def _stream(self) -> TextIO:
        assert not isinstance(self.source, str)
        sent = self.source
        found = sent.open("rb", _PIECE) if isinstance(sent, Path) else BytesIO(sent)
        return TextIOWrapper(found, "utf-8-sig", newline="")

    def spec(
        self, release: Release | None = None, documents: Iterable[Document] | None = None
    ) -> ScenarioSpec:
        """Read it, as a release of Kueue does: the one that is given, or its own.

        Parameters
        ----------
        documents
            Its documents, if they were read already. An iterator of them is used up: what is
            written of an object is let go as soon as it is decoded.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        if release is None and self.release:
            release = release_named(self.release)
        source: Any = self._readable if documents is None else documents
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
            return _sent(self.source)
        return self.source


def _sent(file: Path) -> str | bytes:
    """Return what a browser sent; text in another encoding than UTF-8 as bytes."""
    content = bytearray(file.stat().st_size)
    with file.open("rb", buffering=0) as stream, memoryview(content) as places:
        start = 0
        # In pieces: a file of a browser comes from outside of Python's memory.
        while start < len(content) and (count := stream.readinto(places[start : start + _PIECE])):
            start += count
    try:
        text = content.decode()
    except UnicodeDecodeError:
        return bytes(content)
    # Text of one line without a colon would be taken for a path.
    return text if "\n" in text else f"{text}\n"
