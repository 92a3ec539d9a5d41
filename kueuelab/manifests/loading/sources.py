"""Everything that manifests can come from, as texts with names."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final, TypeAlias

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files import folders_used, parts_of, read_bytes, render
from kueuelab.manifests.reading.documents import Document, Source, read_documents
from kueuelab.messages import Message, listed

__all__ = ["AnySource", "documents_of", "roots_among"]

#: A path or text, bytes, a stream, data or documents that are parsed already, or several of these.
AnySource: TypeAlias = (
    str | bytes | Path | IO[str] | IO[bytes] | Mapping[str, Any] | Document | Sequence["AnySource"]
)

_TEXT: Final = "<string>"

# The longer marks first: UTF-32's begins like UTF-16's.
_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_UNREADABLE: Final = re.compile("[\x00\ud800-\udfff]")

# What can only be YAML or JSON, since no file has such a name.
_LOOKS_LIKE_TEXT: Final = re.compile(r"\n|\A\s*(?:[\[{]|\S+\s*:(?:\s|\Z)|---|-\s|\Z)")


def documents_of(
    source: AnySource | Any, problems: list[Problem], *, name: str = "", base: Path | None = None
) -> Iterable[Document]:
    """Yield all documents of a source; what can't be read goes to ``problems``.

    Parameters
    ----------
    source : path, text, bytes, stream, mapping or sequence
        Text differs from a path: it has several lines, or a colon and a space.
    problems : list of Problem
        Takes what is wrong.
    name : str, optional
        What to call a text that has no name of its own.
    base : Path, optional
        The folder that paths are relative to.
    """
    match source:
        case Mapping():
            yield Document(source)
        case Document():
            yield source
        case Path():
            yield from _of_path(source, problems, base)
        case str() if _LOOKS_LIKE_TEXT.search(source):
            yield from _of_text(source, name or _TEXT, problems)
        case str():
            yield from _of_path(Path(source), problems, base)
        case bytes() | bytearray():
            yield from _of_bytes(bytes(source), name or _TEXT, problems)
        case _ if hasattr(source, "read"):
            yield from _of_stream(source, name, problems)
        case _ if isinstance(source, Iterable):
            for part in source:
                yield from documents_of(part, problems, name=name, base=base)
        case _:
            kind = type(source).__name__
            hint = Message("manifests.sources.unknown-source.hint")
            problems.append(
                Problem(Message("manifests.sources.no-manifests", kind=kind), hint=hint)
            )


def _of_path(path: Path, problems: list[Problem], base: Path | None) -> Iterable[Document]:
    full = path if base is None else base / path
    try:
        if full.is_dir():
            yield from _of_folder(path, full, problems)
        else:
            yield from _of_bytes(read_bytes(full), str(full), problems)
    except FileNotFoundError:
        _missing(path, full, problems)
    except InputError as error:
        problems.extend(error.problems)
    except (OSError, ValueError) as error:
        words = getattr(error, "strerror", None) or str(error)
        inner = getattr(error, "filename", None) if full.is_dir() else None
        where = Location(str(inner or path))
        problems.append(
            Problem(Message("manifests.sources.unreadable-file", words=words), location=where)
        )


def _of_folder(path: Path, full: Path, problems: list[Problem]) -> Iterable[Document]:
    """Yield the documents of a folder; kustomizations are rendered, charts are refused."""
    parts = parts_of(full)
    if not parts:
        message = Message("manifests.sources.empty-folder")
        hint = Message("manifests.sources.empty-folder.hint")
        problems.append(Problem(message, location=Location(str(path)), hint=hint))
    chosen = roots_among([part.path for part in parts if part.kind == "kustomization"])
    for part in parts:
        match part.kind:
            case "file":
                content = read_bytes(part.path)
                yield from _of_bytes(content, str(part.path), problems, in_folder=True)
            case "kustomization" if part.path in chosen:
                rendered = render(part.path)
                name = f"<{rendered.command}>"
                yield from _of_bytes(rendered.content, name, problems, command=rendered.command)
            case "chart":
                hint = Message("files.chart.hint", folder=part.path)
                where = Location(str(part.path))
                problems.append(Problem(Message("files.chart"), location=where, hint=hint))


def roots_among(kustomizations: Sequence[Path]) -> list[Path]:
    """Return the kustomizations that are no base of another one.

    Raises
    ------
    InputError
        If several of them have a base in common: they are alternatives, such as one for each
        cluster, and only one of them holds.
    """
    if len(kustomizations) < 2:
        return list(kustomizations)
    uses = {
        folder: {os.path.realpath(each) for each in folders_used(folder)}
        for folder in kustomizations
    }
    roots = [
        folder
        for folder in kustomizations
        if not any(
            os.path.realpath(folder) in used for other, used in uses.items() if other != folder
        )
    ]
    for index, folder in enumerate(roots):
        others = [each for each in roots[index + 1 :] if uses[each] & uses[folder]]
        if others:
            folders = listed([str(each) for each in (folder, *others)])
            message = Message("files.kustomize.alternatives", folders=folders)
            raise InputError(Problem(message, hint=Message("files.kustomize.alternatives.hint")))
    return roots


def _missing(path: Path, full: Path, problems: list[Problem]) -> None:
    from difflib import get_close_matches  # only a mistake needs it

    folder = full.parent
    names = sorted(child.name for child in folder.iterdir()) if folder.is_dir() else []
    close = get_close_matches(full.name, names, n=1)
    hint = Message("errors.unknown.close", name=path.parent / close[0]) if close else ""
    message = Message("manifests.sources.missing")
    problems.append(Problem(message, location=Location(str(path)), hint=hint))


def _of_stream(stream: Any, name: str, problems: list[Problem]) -> Iterable[Document]:
    called = name or getattr(stream, "name", None)
    called = called if isinstance(called, str) else _TEXT
    try:
        content = stream.read()
    except UnicodeDecodeError as error:
        problems.append(_not_unicode(called, error, 0))
    except (OSError, ValueError) as error:
        message = Message("manifests.sources.unreadable-stream", error=error)
        problems.append(Problem(message, location=Location(called)))
    else:
        if isinstance(content, str):
            yield from _of_text(content, called, problems)
        else:
            yield from _of_bytes(bytes(content), called, problems)


def _of_bytes(
    content: bytes,
    name: str,
    problems: list[Problem],
    *,
    in_folder: bool = False,
    command: str = "",
) -> Iterable[Document]:
    encoding = next((codec for mark, codec in _MARKS if content.startswith(mark)), "utf-8")
    try:
        text = content.decode(encoding)
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problems.append(_not_unicode(name, error, line))
    else:
        yield from _of_text(text, name, problems, in_folder=in_folder, command=command)


def _not_unicode(name: str, error: UnicodeDecodeError, line: int) -> Problem:
    shown = error.encoding.upper().replace("UTF-8-SIG", "UTF-8")
    where = Location(name, line)
    return Problem(
        Message("manifests.sources.wrong-encoding", shown=shown),
        location=where,
        hint=Message("manifests.sources.wrong-encoding.hint"),
    )


def _of_text(
    text: str, name: str, problems: list[Problem], *, in_folder: bool = False, command: str = ""
) -> Iterable[Document]:
    text = text.removeprefix("\ufeff")
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    # A search for a character takes no time; one for several goes through all of a dump.
    unreadable = None if text.isascii() and "\x00" not in text else _UNREADABLE.search(text)
    if unreadable is not None:
        line = text.count("\n", 0, unreadable.start()) + 1
        column = unreadable.start() - text.rfind("\n", 0, unreadable.start())
        what = "nul" if unreadable[0] == "\x00" else "half"
        where = Location(name, line, column)
        problems.append(
            Problem(
                Message(f"manifests.sources.text-holds.{what}"),
                location=where,
                hint=Message("manifests.sources.text-holds.hint"),
            )
        )
        return
    is_json = name.endswith(".json")
    source = Source(name, text, is_json, in_folder=in_folder, command=command)
    yield from read_documents(source, problems)
