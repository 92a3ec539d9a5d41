"""Reading recorded cases, also from damaged files."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from kueuelab.conformance.cases import CaseText, parse_case, read_cases
from kueuelab.errors import InputError, Location

CASE = {"name": "a", "steps": [{"op": "cycle"}], "expect": [{"op": "cycle"}]}


def written(path: Path, *cases: object) -> Path:
    path.write_text("".join(json.dumps(case) + "\n" for case in cases))
    return path


def problems(path: Path) -> list[str]:
    with pytest.raises(InputError) as caught:
        list(read_cases(path))
    return [str(problem).replace(str(path), "FILE") for problem in caught.value.problems]


def test_json_lines_keep_their_line_numbers(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n\n" + json.dumps({**CASE, "name": "b"}) + "\n")
    cases = list(read_cases(path))
    assert [(case.name, case.location.line) for case in cases] == [("a", 1), ("b", 3)]


def test_defaults_of_the_format(tmp_path: Path) -> None:
    (case,) = read_cases(written(tmp_path / "cases.jsonl", CASE))
    assert case.start_time == "2026-01-01T00:00:00Z"
    assert (case.configuration, case.objects, case.source) == ({}, (), "")


def test_what_is_recorded_besides(tmp_path: Path) -> None:
    good, bad = {**CASE, "record": ["counts"]}, {**CASE, "name": "b", "record": ["mood"]}
    (case,) = read_cases(written(tmp_path / "good.jsonl", good))
    assert case.record == ("counts",)
    (problem,) = problems(written(tmp_path / "bad.jsonl", bad))
    assert problem.startswith("FILE:1: case b: record[0]: 'mood' cannot be recorded")


def test_compressed_files_are_reported_by_their_bytes(tmp_path: Path) -> None:
    path = tmp_path / "no-such-ending"
    path.write_bytes(gzip.compress(json.dumps(CASE).encode()))
    assert [case.name for case in read_cases(path)] == ["a"]


def test_array_of_cases_knows_where_each_begins(tmp_path: Path) -> None:
    path = tmp_path / "cases.json"
    text = json.dumps([CASE, {**CASE, "name": "b"}], indent=1)
    path.write_text(text)
    lines = text.splitlines()
    cases = list(read_cases(path))
    assert [case.name for case in cases] == ["a", "b"]
    assert [lines[case.location.line - 1].strip() for case in cases] == ["{", "{"]


def test_one_case_over_many_lines(tmp_path: Path) -> None:
    path = tmp_path / "case.json"
    path.write_text(json.dumps(CASE, indent=2))
    assert [case.name for case in read_cases(path)] == ["a"]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"", "FILE: the file is empty"),
        (b"\n  \n", "FILE: the file is empty"),
        (b'{"name": "a",\n', "FILE:1: this is not JSON"),
        (b"[1, 2]", "FILE:1: a case is an object, but this is a whole number"),
        (b'[{"name": "a"} {"name": "b"}]', "FILE:1: this is not JSON"),
        (b'"a"\n', "FILE:1: a case is an object, but this is a text"),
        (b"\xff\xfe\n", "FILE:1: byte 1 of the line is not UTF-8"),
        (b"\x1f\x8bdamaged", "FILE: the compressed data is damaged or cut off"),
        (
            gzip.compress(b'{"name": "a"}', mtime=0)[:-12],
            "FILE: the compressed data is damaged or cut off",
        ),
    ],
)
def test_damage_is_reported_with_its_place(tmp_path: Path, content: bytes, expected: str) -> None:
    path = tmp_path / "cases"
    path.write_bytes(content)
    (problem,) = problems(path)
    assert problem.startswith(expected)


def test_damage_further_down_leaves_the_cases_before_it(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text(json.dumps(CASE) + "\n" + json.dumps(CASE)[:30])
    cases = read_cases(path)
    assert next(cases).name == "a"
    with pytest.raises(InputError, match=r"cases\.jsonl:2: this is not JSON"):
        next(cases)


def test_missing_file(tmp_path: Path) -> None:
    assert problems(tmp_path / "nowhere.jsonl") == [
        "FILE: the file cannot be read: No such file or directory"
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"name": None}, "name: the name is missing"),
        ({"steps": None}, "steps: the list is missing"),
        ({"steps": {}}, "steps: it must be a list"),
        ({"steps": [1]}, "steps[0]: it must be an object"),
        ({"expect": []}, "expect: number of entries: 0, number of steps: 1"),
        (
            {"expect": [{"op": "settle"}]},
            "expect[0].op: the entry is for 'settle', but the step is 'cycle'",
        ),
        ({"steps": [{"op": "jump"}]}, "steps[0].op: 'jump' is not an operation"),
        ({"steps": [{}]}, "steps[0].op: it is missing"),
        ({"steps": [{"op": "advance"}]}, "steps[0].seconds: it is missing"),
        ({"steps": [{"op": "advance", "seconds": True}]}, "steps[0].seconds: it must be a number"),
        ({"steps": [{"op": "create", "object": {}}]}, "steps[0].object.kind: the kind is missing"),
        ({"objects": [{"kind": "Cohort"}]}, "objects[0].metadata.name: the name is missing"),
        ({"configuration": []}, "configuration: it must be an object"),
        ({"startTime": 3}, "startTime: it must be a text"),
    ],
)
def test_outline_is_checked(change: dict[str, object], expected: str) -> None:
    text = json.dumps({**CASE, **change})
    with pytest.raises(InputError) as caught:
        parse_case(CaseText(text, Location("f", 7)))
    assert any(
        f"{problem.field}: {problem}".find(expected) >= 0 for problem in caught.value.problems
    )
    assert all(problem.location == Location("f", 7) for problem in caught.value.problems)


def test_several_mistakes_are_reported_together() -> None:
    text = json.dumps({"steps": [{"op": "finish"}, {"op": "jump"}], "objects": [3]})
    with pytest.raises(InputError) as caught:
        parse_case(CaseText(text, Location("f", 1)))
    assert len(caught.value.problems) == 5
