"""Copies for learners: one exercise, or everything; what a learner changed is left alone.

A file beside the copies says what was delivered. A copy that is still as it was delivered
is replaced by a newer one; any other belongs to the learner.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

from kueuelab.errors import InputError, KueueLabError, Location, Problem
from kueuelab.files import check_regular, read_bytes, replacing, write_text
from kueuelab.messages import Message
from kueuelab.workshop.library import exercise_folder, spec, specs
from kueuelab.workshop.spec import ExerciseSpec

__all__ = ["Copied", "init_folder", "rewrite", "start_exercise"]

#: Says what was delivered: path to digest.
_DELIVERED: Final = ".kueuelab.json"

#: Folders that Jupyter and Python make beside the originals.
_MADE_BY_TOOLS: Final = frozenset({".ipynb_checkpoints", "__pycache__"})
_MODULE: Final = "__init__.py"

_PACKAGE: Final = Path(__file__).resolve().parent.parent

Outcome: TypeAlias = Literal["written", "updated", "unchanged", "kept"]


@dataclass(frozen=True, slots=True)
class Copied:
    """The result for one file."""

    path: Path
    outcome: Outcome

    @property
    def text(self) -> str:
        """The result as a sentence."""
        if self.outcome == "kept":
            return Message("workshop.copy.kept", file=self.path)
        outcome = Message(f"workshop.copy.outcome.{self.outcome}")
        return Message("workshop.copy.done", file=self.path, outcome=outcome)

    def as_data(self) -> dict[str, str]:
        """Return it as plain JSON values."""
        return {"path": str(self.path), "outcome": self.outcome}


def start_exercise(name: str, folder: Path) -> list[Copied]:
    """Put an exercise into a folder.

    Raises
    ------
    UnknownObjectError
        If there is no such exercise.
    """
    return _deliver(folder, {path: text.encode() for path, text in _learner_files(spec(name))})


def init_folder(folder: Path) -> list[Copied]:
    """Put notebooks, exercises and scenarios into a folder, or update what is there.

    Raises
    ------
    KueueLabError
        If the folder can't be used, or there is nothing to put there.
    """
    files: dict[str, bytes] = {}
    for name in ("notebooks", "scenarios"):
        source = _installed(name)
        for file in sorted(source.rglob("*")):
            # Notebooks read recordings that are beside them, in several formats.
            made = _MADE_BY_TOOLS.intersection(file.relative_to(source).parts)
            if file.is_file() and file.name != _MODULE and not made:
                files[f"{name}/{file.relative_to(source).as_posix()}"] = file.read_bytes()
    for each in specs():
        for path, text in _learner_files(each):
            files[f"exercises/{each.name}/{path}"] = text.encode()
    return _deliver(folder, files)


def rewrite(file: Path, content: bytes) -> None:
    """Replace a copy by another version of it, which a later delivery may replace in turn.

    A copy that the learner changed stays the learner's.
    """
    folder = next((each for each in file.parents if (each / _DELIVERED).is_file()), None)
    delivered = {} if folder is None else _delivered(folder / _DELIVERED)
    path = "" if folder is None else file.relative_to(folder).as_posix()
    is_as_delivered = _digest(file.read_bytes()) == delivered.get(path)
    _write(file, content)
    if folder is not None and is_as_delivered:
        _note(folder, {**delivered, path: _digest(content)})


def _installed(name: str) -> Path:
    if name == "scenarios":
        return _PACKAGE / name
    for folder in (exercise_folder().parent / name, _PACKAGE / name):
        if any(folder.glob("*.ipynb")):
            return folder
    raise KueueLabError(
        Message("workshop.copy.not-installed", folder=name),
        hint=Message("workshop.copy.not-installed.hint"),
    )


def _learner_files(spec: ExerciseSpec) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of what a learner gets: nothing that holds a solution."""
    yield spec.notebook.name, spec.notebook.read_text("utf-8")
    if spec.answer == "manifests":
        yield "answer.yaml", spec.start
    else:
        yield "answer.py", spec.first_script


def _deliver(folder: Path, files: Mapping[str, bytes]) -> list[Copied]:
    if folder.exists() and not folder.is_dir():
        raise KueueLabError(Message("workshop.copy.not-a-folder", folder=folder))
    delivered = _delivered(folder / _DELIVERED)
    found = [_copy(folder / path, each, delivered.get(path, "")) for path, each in files.items()]
    for (path, content), copied in zip(files.items(), found, strict=True):
        if copied.outcome != "kept":
            delivered[path] = _digest(content)
    _note(folder, delivered)
    return found


def _note(folder: Path, delivered: Mapping[str, str]) -> None:
    write_text(folder / _DELIVERED, f"{json.dumps(delivered, indent=2, sort_keys=True)}\n")


def _copy(target: Path, content: bytes, delivered: str) -> Copied:
    if not os.path.lexists(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        _write(target, content)
        return Copied(target, "written")
    check_regular(target)
    now = _digest(target.read_bytes())
    if now == _digest(content):
        return Copied(target, "unchanged")
    if now == delivered:
        _write(target, content)
        return Copied(target, "updated")
    return Copied(target, "kept")


def _write(target: Path, content: bytes) -> None:
    with replacing(target) as stream:
        stream.write(content)


def _delivered(file: Path) -> dict[str, str]:
    try:
        found: Any = json.loads(read_bytes(file))
        return {str(path): str(digest) for path, digest in found.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        problem = Problem(
            Message("workshop.copy.unreadable"),
            location=Location(str(file)),
            hint=Message("workshop.copy.unreadable.hint"),
        )
        raise InputError(problem) from error


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
