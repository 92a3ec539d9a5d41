"""Edits, written into the files that they are about."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import unified_diff
from pathlib import Path
from typing import Final

from kueuelab.files import replacing
from kueuelab.lint.linting import Result
from kueuelab.lint.rule import Finding
from kueuelab.lint.yaml_edit import NotEditableError, documents_in, edited
from kueuelab.manifests.loading.items import Item
from kueuelab.manifests.reading.paths import parse_path

__all__ = ["FixedFile", "fixed_files"]

_MARK: Final = "\ufeff"


@dataclass(frozen=True, slots=True)
class FixedFile:
    """A file with what the edits change in it.

    Attributes
    ----------
    path
        The file.
    before, after
        Its text, with plain line ends.
    fixed
        The findings that are fixed.
    """

    path: Path
    before: str
    after: str
    fixed: tuple[Finding, ...]

    def diff(self) -> Iterator[str]:
        """Yield the lines of a unified diff."""
        lines = unified_diff(
            self.before.splitlines(),
            self.after.splitlines(),
            str(self.path),
            str(self.path),
            lineterm="",
        )
        yield from lines

    def write(self) -> None:
        """Write the file, all of it or nothing; its line ends and its mark stay what they are.

        Raises
        ------
        OSError
            If it cannot be written.
        """
        content = self.path.read_bytes()
        text = self.after
        if b"\r\n" in content:
            text = text.replace("\n", "\r\n")
        if content.startswith(_MARK.encode()):
            text = _MARK + text
        with replacing(self.path) as stream:
            stream.write(text.encode())


def fixed_files(result: Result, *, unsafe: bool = False) -> list[FixedFile]:
    """Return the files that edits change; a finding that cannot be fixed stays one.

    A manifest that the API server would refuse is left alone.

    Parameters
    ----------
    result
        What was found.
    unsafe
        Whether to make edits, too, that change what Kueue decides.
    """
    refused = {problem.object for problem in result.problems}
    wanted: dict[Path, list[tuple[Item, Finding]]] = {}
    for finding in result.findings:
        is_wanted = finding.edits and (unsafe or finding.rule.is_safe)
        item = _item_of(finding, result) if is_wanted else None
        source = None if item is None else item.document.source
        if item is not None and source is not None and item.label not in refused:
            wanted.setdefault(Path(source.name), []).append((item, finding))
    found = [_fixed(path, edits) for path, edits in wanted.items()]
    return [each for each in found if each is not None]


def _item_of(finding: Finding, result: Result) -> Item | None:
    """Return the manifest that a finding is about; ``None`` if no file has it as it is."""
    for places in result.places:
        item = places.item_of(finding.object, finding.cluster)
        source = None if item is None else item.document.source
        if item is None or source is None or finding.location is None:
            continue
        if source.name == finding.location.file:
            return None if source.command or item.document.indent or not item.obj else item
    return None


def _fixed(path: Path, wanted: list[tuple[Item, Finding]]) -> FixedFile | None:
    if not path.is_file():
        return None
    before = _text_of(path)
    try:
        places = [(each.start, each.number) for each in documents_in(before, path.name)]
    except NotEditableError:
        return None
    after = before
    fixed = []
    for item, finding in wanted:
        document = item.document
        try:
            ordinal = places.index((document.start, document.number))
            text = after
            for edit in finding.edits:
                where = (*item.prefix, *parse_path(edit.field))
                text = edited(text, path.name, ordinal, where, edit.value)
        except (NotEditableError, LookupError, TypeError, ValueError):
            continue
        after = text
        fixed.append(finding)
    return FixedFile(path, before, after, tuple(fixed)) if fixed else None


def _text_of(path: Path) -> str:
    """Return the text of a file with plain line ends.

    What is no UTF-8, such as a compressed file, is nothing to edit.
    """
    try:
        text = path.read_bytes().decode()
    except UnicodeDecodeError:
        return ""
    plain = text.removeprefix(_MARK).replace("\r\n", "\n")
    # A file with both kinds of line ends would not be the same again.
    mixed = "\r" in plain or ("\r\n" in text and text.count("\r\n") != text.count("\n"))
    return "" if mixed else plain
