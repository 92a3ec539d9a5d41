"""Single manifests out of documents, with the way back to where they stand."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from kueuelab.errors import Location, Problem
from kueuelab.files import RUN_FORMAT
from kueuelab.frozen import fast_init
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.reading.locate import Place, locate
from kueuelab.manifests.reading.paths import Path, format_path, parse_path
from kueuelab.manifests.result import Note
from kueuelab.manifests.shapes.mistake import Mistake, describe
from kueuelab.messages import Message

__all__ = ["Findings", "Item", "items_of", "label_of"]


@fast_init
@dataclass(frozen=True, slots=True)
class Item:
    """A manifest in a document; ``prefix`` is the path to it from the document's root.

    ``called`` is what to call it where it has no kind and name.
    """

    obj: Mapping[str, Any]
    document: Document
    prefix: Path = ()
    called: str = ""

    @property
    def label(self) -> str:
        """``Kind/name`` or ``Kind/namespace/name``."""
        return self.called or label_of(self.obj)


def label_of(obj: Mapping[str, Any]) -> str:
    """Return what an object is called in problems and notes.

    Examples
    --------
    >>> label_of({"kind": "Job", "metadata": {"name": "pi", "namespace": "team-a"}})
    'Job/team-a/pi'
    """
    metadata = obj.get("metadata")
    if not isinstance(metadata, Mapping):
        metadata = {}
    name = (
        metadata.get("name") or metadata.get("generateName") or Message("manifests.items.no-name")
    )
    parts = (obj.get("kind") or Message("manifests.items.no-kind"), metadata.get("namespace"), name)
    return "/".join(f"{part:.80}" for part in parts if isinstance(part, str) and part)


def items_of(value: Any, document: Document, prefix: Path, findings: Findings) -> Iterable[Item]:
    """Yield the manifests of a document: itself, or the items of a list."""
    if isinstance(value, Mapping):
        if value.get("format") == RUN_FORMAT:
            mistake = Mistake(
                (), Message("manifests.items.saved-run"), Message("manifests.items.saved-run.hint")
            )
            findings.add(Item({}, document, prefix), mistake, label="")
            return
        items = value.get("items")
        kind = value.get("kind")
        if kind is None and value.keys() == {"items"}:
            kind = "List"
        if isinstance(kind, str) and kind.endswith("List") and isinstance(items, Sequence):
            for index, item in enumerate(items):
                where = (*prefix, "items", index)
                yield from items_of(_typed(item, value, kind), document, where, findings)
        else:
            yield Item(value, document, prefix)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for index, item in enumerate(value):
            yield from items_of(item, document, (*prefix, index), findings)
    else:
        # What stands there may be anything, a password too: it is not repeated.
        what = Message("manifests.items.text") if isinstance(value, str) else describe(value)
        message = Message("manifests.items.not-a-manifest", what=what)
        hint = Message("manifests.items.not-a-manifest.hint")
        findings.add(Item({}, document, prefix), Mistake((), message, hint), label="")


def _typed(item: Any, listing: Mapping[str, Any], kind: str) -> Any:
    """Return an item with version and kind: servers leave them out in lists of one kind."""
    if not isinstance(item, Mapping) or kind == "List" or "kind" in item:
        return item
    return {"apiVersion": listing.get("apiVersion"), "kind": kind.removesuffix("List"), **item}


class Findings:
    """Problems and notes as they come up; where they belong is looked up at the end."""

    def __init__(self) -> None:
        self._found: list[Problem | _About] = []
        self._notes: list[Note | _About] = []

    def __bool__(self) -> bool:
        return bool(self._found)

    def add(self, item: Item, mistake: Mistake, *, label: str | None = None) -> None:
        """Take note of a mistake in a manifest."""
        self._found.append(_About(item, mistake, item.label if label is None else label))

    def add_all(self, item: Item, mistakes: Iterable[Mistake]) -> None:
        """Take note of several mistakes in a manifest."""
        for mistake in mistakes:
            self.add(item, mistake)

    def add_problem(self, item: Item | None, problem: Problem) -> None:
        """Add a problem that was found elsewhere, in a manifest or in a file."""
        if item is None or problem.location is not None:
            self._found.append(problem)
            return
        path = parse_path(problem.field)
        self.add(item, Mistake(path, problem.message, problem.hint), label=problem.object)

    def note(
        self,
        message: str,
        item: Item | None = None,
        *,
        label: str | None = None,
        is_caution: bool = False,
    ) -> None:
        """Remember something worth telling that is no mistake."""
        if item is None:
            self._notes.append(Note(message, label or "", is_caution=is_caution))
        else:
            mistake = Mistake(("metadata", "name"), message)
            called = item.label if label is None else label
            self._notes.append(_About(item, mistake, called, is_caution=is_caution))

    def note_replaced(self, item: Item, before: Item, *, is_refused: bool = False) -> None:
        """Remember that a manifest replaces an earlier one of the same name, or is refused to.

        The same place in the same file, read twice, is worth no word.
        """
        if _place_of(item) == _place_of(before) is not None:
            return
        mistake = Mistake(("metadata", "name"), "update" if is_refused else "replaced")
        self._notes.append(_About(item, mistake, item.label, is_caution=True, before=before))

    def warn(self, message: str, item: Item) -> None:
        """Remember what the API server warns of."""
        self._notes.append(_About(item, Mistake(("apiVersion",), message), item.label, True))

    def results(self) -> tuple[tuple[Problem, ...], tuple[Note, ...]]:
        """Return all problems and all notes, each with its place."""
        wanted: dict[int, tuple[Document, list[Path]]] = {}
        for about in (*self._found, *self._notes):
            for item, path in about.places if isinstance(about, _About) else ():
                document = item.document
                wanted.setdefault(id(document), (document, []))[1].append(path)
        places = {key: locate(document, paths) for key, (document, paths) in wanted.items()}
        problems = tuple(
            found if isinstance(found, Problem) else found.problem(places) for found in self._found
        )
        notes = tuple(note if isinstance(note, Note) else note.note(places) for note in self._notes)
        return problems, notes


def _place_of(item: Item) -> tuple[str, int, int, Path] | None:
    """Return where a manifest stands, ``None`` for one that came as Python objects."""
    document = item.document
    if document.source is None:
        return None
    return os.path.realpath(document.source.name), document.start, document.number, item.prefix


_Places = Mapping[int, Mapping[Path, tuple[Place, Place]]]


@dataclass(frozen=True, slots=True)
class _About:
    """A mistake, or a remark, about a field of a manifest."""

    item: Item
    mistake: Mistake
    label: str
    is_warning: bool = False
    is_caution: bool = False
    before: Item | None = None

    @property
    def path(self) -> Path:
        return (*self.item.prefix, *self.mistake.path)

    @property
    def places(self) -> tuple[tuple[Item, Path], ...]:
        """The manifests and paths in them whose places are wanted."""
        here = (self.item, self.path)
        if self.before is None:
            return (here,)
        return here, (self.before, (*self.before.prefix, *self.mistake.path))

    def problem(self, places: _Places) -> Problem:
        mistake = self.mistake
        return Problem(
            mistake.message,
            object=self.label,
            field=mistake.field or format_path(mistake.path),
            location=self._location(places),
            hint=mistake.hint,
        )

    def note(self, places: _Places) -> Note:
        where = self._location(places)
        message = self.mistake.message
        if self.before is not None:
            of_earlier = replace(self, item=self.before, before=None)
            earlier = of_earlier._location(places)
            form = message if earlier is None else f"{message}-at"
            message = Message(f"manifests.loader.{form}", place=earlier or "")
        return Note(message, self.label, where, self.is_warning, self.is_caution)

    def _location(self, places: _Places) -> Location | None:
        document = self.item.document
        if document.source is None:
            return None
        place = places[id(document)].get(self.path)
        if place is None:
            return Location(document.source.name)
        name, value = place
        # A value on the line of its name is the place to look at; a block begins at its name.
        line, column = name if self.mistake.at_name or value[0] != name[0] else value
        return Location(document.source.name, line, column + document.indent)
