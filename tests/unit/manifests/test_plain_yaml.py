"""What is read line by line means what the parser of YAML says; everything else is left to that."""

from __future__ import annotations

from collections.abc import Iterator
from io import StringIO
from pathlib import Path

import pytest
import yaml

from kueuelab.bench.cluster_dump import DumpShape, dump_objects, write_yaml_dump
from kueuelab.errors import KueueLabError
from kueuelab.manifests import load
from kueuelab.manifests.reading import documents, locate
from kueuelab.manifests.reading.builder import MAX_DEPTH, Builder, UnreadableError
from kueuelab.manifests.reading.documents import Source, read_documents
from kueuelab.manifests.reading.plain_yaml import read_plain
from kueuelab.manifests.writing import write_yaml

ROOT = Path(__file__).parents[3]
#: What a program may write at the end of a line, or in place of one, and what people write.
ENDS = (" ", ":", ": x", " # x", ",", "'", '"', "\\", "\t", "\r", "é", " - x", "#", "]", " y", " |")
LINES = ("", "# x", "- x", "  x", "---x", "...", "%x", "? x", "a: &a {b: 1}", "a: *a", "a: !!str 1")
VALUES = ("~", "yes", ".inf", ".nan", "0x1F", "1_000", "-1", "--a", "- a", "-", "1:30", "1e3", "<<")
VALUES += ("''", "'a''b'", '"a\\nb"', '"a"', "{}", "[]", "{a: 1}", "[1]", "|", ">-", "@a", "%a")
VALUES += (
    "a: b",
    "a:b",
    "a :b",
    "a #b",
    "a#b",
    "'a' b",
    "a  b",
    "?a",
    "&a",
    "*a",
    "!a",
    "=",
    "...",
)


def parsed(text: str) -> object:
    """Return what the parser says of a text with one sound document, ``...`` of any other."""
    found: list[KueueLabError] = []
    try:
        values = list(Builder("", 0, found).documents(text))  # type: ignore[arg-type]
    except (yaml.YAMLError, UnreadableError):
        return ...
    return values[0] if len(values) == 1 and not found else ...


def agrees(text: str) -> bool:
    """Tell whether a text is read line by line; the parser must say the same then."""
    value = read_plain(text, 0, len(text), MAX_DEPTH)
    if value is None:
        return False
    expected = parsed(text)
    assert repr(value) == repr(expected), text
    return True


def changed(text: str) -> Iterator[str]:
    """Yield a text with one line changed."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        name, colon, _ = line.partition(": ")
        others = [" " + line, line[1:], line[2:], "- " + line, "  " + line, line.lstrip()]
        others += [line + end for end in ENDS]
        others += [name + colon + value for value in VALUES if colon]
        for other in others:
            yield "\n".join((*lines[:at], other, *lines[at + 1 :]))
        for other in LINES:
            yield "\n".join((*lines[:at], other, *lines[at:]))


def sample() -> str:
    objects = list(dump_objects(DumpShape(queues=1, pending=0, admitted=1)))
    return write_yaml([objects[-1]])


def test_one_line_changed() -> None:
    outcomes = [agrees(text) for text in changed(sample())]
    assert len(outcomes) / 10 < sum(outcomes) < len(outcomes)


def test_files_of_the_repository() -> None:
    files = [*(ROOT / "kueuelab" / "scenarios").rglob("*.yaml"), *(ROOT / "tests").rglob("*.yaml")]
    outcomes = [
        agrees(part)
        for file in sorted(files)[:150]
        for part in file.read_text("utf-8").split("\n---\n")
    ]
    assert sum(outcomes) > 10


@pytest.mark.parametrize("depth", [MAX_DEPTH - 2, MAX_DEPTH, MAX_DEPTH + 1, 3 * MAX_DEPTH])
def test_nesting(depth: int) -> None:
    for text in (
        "\n".join(f"{' ' * at}a:" for at in range(depth)),
        f"{'- ' * depth}a",
        f"{'- ' * depth}a: 1",
    ):
        agrees(text)


def test_no_document_of_a_dump_needs_the_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = StringIO()
    shape = DumpShape(queues=3)
    write_yaml_dump(shape, stream)
    monkeypatch.setattr(documents, "Builder", None)
    found = list(read_documents(Source("dump.yaml", stream.getvalue()), []))
    assert [document.value for document in found] == list(dump_objects(shape))


def test_a_mistake_is_found_by_its_own_document_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of many notes is about another document: none reads those before it once more."""
    text = "\n---\n".join(
        f"apiVersion: kueue.x-k8s.io/v1beta1\nkind: ClusterQueue\nmetadata:\n  name: q{number}"
        for number in range(20)
    )
    read: list[int] = []
    whole = locate.events_of

    def counted(part: str) -> Iterator[object]:
        read.append(len(part))
        return whole(part)

    monkeypatch.setattr(locate, "events_of", counted)
    lines = [note.location.line for note in load(text, name="q.yaml").notes if note.location]
    assert sorted(set(lines)) == sorted({*range(1, 100, 5), *range(4, 100, 5)})
    assert len(read) == 20
    assert sum(read) <= len(text)
