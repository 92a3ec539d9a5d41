"""What a draft begins with, and the files that it becomes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Catalog, Message
from kueuelab.session.build_answers import ExportedFile, ExportedFiles, SavedFile
from kueuelab.session.build_commands import BuildBegin
from kueuelab.session.build_page import shape_text
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.export import exported
from kueuelab.session.building.saving import saved
from kueuelab.session.built import Built
from kueuelab.session.draft_files import DraftFiles
from kueuelab.session.draft_protocol import ResumeDraft
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.session import Session

__all__ = ["begun", "exported_files", "resumed", "saved_file", "text_of_input"]

_ENDINGS = (".yaml", ".yml", ".json")


def begun(session: Session, command: BuildBegin) -> Session:
    """Return a session with a new draft.

    Raises
    ------
    KueueLabError
        If there is no such shape or branch, or the branch was not read from a file.
    """
    name, file = command.name or command.shape, None
    if command.text and not command.branch:
        draft = Draft(command.text, _file(name or "draft"))
    elif command.shape:
        draft = Draft(shape_text(command.shape), _file(name))
        stem = Path(draft.name).stem
        if stem != command.shape and draft.scenario is not None:
            draft = draft.with_value(draft.scenario / ("metadata", "name"), stem)
    elif command.branch:
        source = session.root(command.branch).input
        if source is None:
            raise InputError(Problem(Message("session.build.no-input", name=command.branch)))
        name, text = text_of_input(source, command.branch)
        draft = Draft(command.text or text, name)
        file = source.file
    else:
        draft = Draft.new(name or "new-cluster")
    return replace(session, built=Built(draft, source=file))


def resumed(session: Session, command: ResumeDraft, drafts: DraftFiles) -> Session:
    """Return a session that goes on with the draft beside a file.

    Raises
    ------
    UnknownObjectError
        If there is none.
    """
    path = Path(command.file)
    begins = command.text and drafts.has(path)
    draft = Draft(command.text if begins else drafts.text_of(command.file), path.name)
    return replace(session, built=Built(draft, source=path))


def _file(name: str) -> str:
    return name if name.endswith(_ENDINGS) else f"{name}.yaml"


def text_of_input(source: OpenedInput, name: str = "scenario") -> tuple[str, str]:
    """Return what was opened as a name and a text; the files of a folder are one text."""
    if isinstance(source.source, Path) and source.has_folder:
        is_folder = source.source.is_dir()
        found = (Draft.of_folder if is_folder else Draft.of_file)(source.source)
        return found.name, found.text
    return _file(source.name or name), source.text


def saved_file(session: Session, file: str, words: Catalog) -> tuple[Session, SavedFile]:
    """Write the draft to a file; return the session that knows it.

    Raises
    ------
    InputError
        If there is no draft, or another file has that name.
    """
    built = session.built
    if built is None:
        raise InputError(Problem(Message("session.build.no-draft")))
    saved(built.draft, file, own=built.file)
    note = words.text("session.build.saved", file=file)
    path = Path(file.strip()).expanduser()
    return replace(session, built=replace(built, file=path)), SavedFile(file, note)


def exported_files(draft: Draft, kind: str, words: Catalog) -> ExportedFiles:
    """Return a draft as manifests, as a notebook, or as an exercise to be written on.

    Raises
    ------
    KueueLabError
        If there are problems in the draft, or no such kind.
    """
    files = exported(draft, kind, words)
    return ExportedFiles(tuple(ExportedFile(name, text) for name, text in files.items()))
