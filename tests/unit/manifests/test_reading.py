"""Text to plain data: what Kubernetes reads, and what no file may do to us."""

from __future__ import annotations

import io
from typing import Any

import pytest
import yaml

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import load
from kueuelab.manifests.reading.documents import Source, read_documents
from kueuelab.manifests.reading.scalars import resolve

NAMESPACE = "apiVersion: v1\nkind: Namespace\nmetadata: {name: team-a}\n"


def read(text: str) -> tuple[list[Any], list[Problem]]:
    problems: list[Problem] = []
    documents = [d.value for d in read_documents(Source("a.yaml", text), problems)]
    return documents, problems


def one_problem(text: str | bytes) -> Problem:
    with pytest.raises(InputError) as raised:
        load(text, name="a.yaml")
    assert len(raised.value.problems) == 1, raised.value
    return raised.value.problems[0]


@pytest.mark.parametrize(
    ("text", "meaning"),
    [
        ("0755", 493),
        ("0o17", 15),
        ("0x1F", 31),
        ("0b101", 5),
        ("-7", -7),
        ("1_000", 1000),
        ("08", 8.0),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1e999", "1e999"),
        ("9" * 500, "9" * 500),
        ("18446744073709551616", 18446744073709551616.0),
        ("y", True),
        ("off", False),
        ("Null", None),
        ("12:30:45", "12:30:45"),
        ("2026-01-01", "2026-01-01"),
        ("500m", "500m"),
        ("1.5Gi", "1.5Gi"),
        ("+", "+"),
    ],
)
def test_scalars_mean_what_kubernetes_takes_them_for(text: str, meaning: object) -> None:
    assert resolve(text) == meaning
    assert type(resolve(text)) is type(meaning)


def test_quotes_and_tags_make_text() -> None:
    documents, problems = read("a: '5'\nb: !!str 5\nc: !custom 5\nd: !!int 5\ne: |\n  5\n")
    assert documents == [{"a": "5", "b": "5", "c": "5", "d": 5, "e": "5\n"}]
    assert not problems


def test_anchors_and_merge_keys() -> None:
    documents, problems = read(
        "base: &base {a: 1, b: 2}\nother: &other {b: 3, c: 4}\n"
        "x: {<<: *base, b: 9}\nw: {<<: [*base, *other]}\nz: *base\n"
    )
    assert not problems
    assert documents[0]["x"] == {"a": 1, "b": 9}
    assert documents[0]["w"] == {"a": 1, "b": 2, "c": 4}
    assert documents[0]["z"] == {"a": 1, "b": 2}


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("a: 1\nb: 2\na: 3\n", 3, "written twice"),
        ("a:\n\tb: 1\n", 2, "Indent with spaces"),
        ("a: [1, 2\nb: 3\n", 2, "not YAML"),
        ("a: &x [*x]\n", 1, "contains itself"),
        ("a: *nowhere\n", 1, "no anchor 'nowhere'"),
        ("a: .inf\n", 1, "not a number"),
        ("? [1]\n: 2\n", 1, "name of a field must be text"),
        ("[" * 150 + "]" * 150, 1, "levels deep"),
        ("a: 1\nb: \x00\n", 2, "NUL"),
        ("a: \x07\n", 1, "does not allow"),
        ("just words\n", 1, "not a manifest"),
    ],
)
def test_mistakes_name_their_line(text: str, line: int, words: str) -> None:
    problem = one_problem(text) if "written twice" not in words else read(text)[1][0]
    assert words in str(problem)
    assert problem.location is not None
    assert (problem.location.file, problem.location.line) == ("a.yaml", line)


def test_a_mistake_ends_only_its_document() -> None:
    text = NAMESPACE + "---\na: [\n---\n" + NAMESPACE.replace("team-a", "team-b")
    with pytest.raises(InputError) as raised:
        load(text)
    understood = raised.value.understood
    assert [obj.metadata.name for obj in understood] == ["team-a", "team-b"]  # type: ignore[attr-defined]
    assert len(raised.value.problems) == 1


def test_an_alias_bomb_is_refused_at_once() -> None:
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * 9)}]" for i in range(1, 12)]
    problem = one_problem("\n".join(rows))
    assert "excessive aliasing" in problem.message


@pytest.mark.parametrize(
    "content",
    [
        NAMESPACE.encode(),
        b"\xef\xbb\xbf" + NAMESPACE.encode(),
        NAMESPACE.encode("utf-16"),
        NAMESPACE.encode("utf-32"),
        NAMESPACE.replace("\n", "\r\n").encode(),
        ("\n\n---\n# nothing\n---\n" + NAMESPACE + "---\n...\n").encode(),
        b'{"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "team-a"}}',
        b'\t{"apiVersion": "v1",\n\t"kind": "Namespace", "metadata": {"name": "team-a"}}',
    ],
)
def test_encodings_and_line_ends(content: bytes) -> None:
    assert [obj.metadata.name for obj in load(content)] == ["team-a"]
    assert [obj.metadata.name for obj in load(io.BytesIO(content))] == ["team-a"]


def test_text_that_is_no_unicode() -> None:
    problem = one_problem(b"a: 1\nb: \xff\xfe\n")
    assert "not UTF-8" in problem.message
    assert problem.location is not None
    assert problem.location.line == 2


def test_several_json_documents_and_repeated_fields() -> None:
    first = '{"apiVersion":"v1","kind":"Namespace","metadata":{"name":"a"}}\n'
    assert len(load(first + first.replace('"a"', '"b"'))) == 2
    problem = one_problem(
        '{"apiVersion":"v1","kind":"Namespace",\n"metadata":{"name":"a"},\n"kind":"Namespace"}'
    )
    assert problem.field == "kind"
    assert problem.location is not None
    assert problem.location.line == 3


@pytest.mark.parametrize("text", ["", "\n", "---\n", "# nothing\n", "~\n"])
def test_nothing_is_nothing(text: str) -> None:
    assert len(load(text)) == 0


def test_broken_json_says_where(tmp_path: Any) -> None:
    file = tmp_path / "a.json"
    file.write_text('{"a": 1,\n "b": }')
    problem = one_problem_of_path(file)
    assert problem.location is not None
    assert problem.location.line == 2


def one_problem_of_path(path: Any) -> Problem:
    with pytest.raises(InputError) as raised:
        load(path)
    return raised.value.problems[0]


def test_missing_files_and_folders(tmp_path: Any) -> None:
    (tmp_path / "queues.yaml").write_text(NAMESPACE)
    problem = one_problem_of_path(tmp_path / "queue.yaml")
    assert "no such file" in problem.message
    assert "queues.yaml" in problem.hint
    assert len(load(str(tmp_path))) == 1
    (tmp_path / "empty").mkdir()
    assert "no manifests" in one_problem_of_path(tmp_path / "empty").message
    assert "has no manifests" in one_problem_of_path(5).message


@pytest.mark.parametrize(
    "text",
    [
        "apiVersion: v1\nkind: [",
        "a: b: c\n",
        "kind: é\nname: a\x07b\n",
        "kind: é\x00\n",
        "a: 'x\n",
        "a:\n\t- b\n",
        "a: *x\n",
        "a: 1\nb: !<bad\n",
        "? a\n- b\n",
        'a: "\\q"\n',
        "é: @b\n",
        "a: |\n  x\n y\n",
        "x: {a: 1,, b: 2}\n",
        "---\na: 1\n---\nb: ]\n---\nkind: [\n",
        "a: 1\n... x\n",
        "key\nb: c\n",
    ],
)
def test_a_mistake_is_described_in_the_same_words_without_libyaml(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, with_libyaml = read(text)
    monkeypatch.setattr("kueuelab.manifests.reading.builder._LOADER", yaml.SafeLoader)
    _, without = read(text)
    assert with_libyaml == without != []


@pytest.mark.skipif(not hasattr(yaml, "CSafeLoader"), reason="libyaml is not installed")
def test_a_mistake_after_much_text_is_not_looked_for_twice() -> None:
    _, (problem,) = read("".join(f"a{number}: &x 1\n" for number in range(20_000)) + "b: [\n")
    assert "did not find expected" in str(problem.message)
