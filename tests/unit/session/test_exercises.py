"""Exercises: the list, checks, hints, a solution, progress in a file and in a page."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from kueuelab import workshop
from kueuelab.errors import InputError, KueueLabError, UnknownObjectError
from kueuelab.session.handler import Handler
from kueuelab.session.schema import schema_text

NAME = "within-a-team"
RIGHT = {"withinClusterQueue: Never": "withinClusterQueue: LowerPriority"}


class Page:
    """A page: it keeps the progress of an engine that keeps none."""

    def __init__(self, handler: Handler) -> None:
        self.handler = handler
        self.progress = ""

    def ask(self, do: str, **fields: Any) -> Any:
        found = self.handler.answer({"do": do, "progress": self.progress, **fields})
        self.progress = found["progress"]
        return found


@pytest.fixture(params=["page", "machine"])
def page(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    folder = tmp_path if request.param == "machine" else None
    return Page(Handler(exercises=folder))


def solved(start: str) -> str:
    for old, new in RIGHT.items():
        assert old in start
        start = start.replace(old, new)
    return start


def state_of(page: Page, name: str = NAME) -> str:
    topics = page.ask("exercises")["topics"]
    states = {each["name"]: each["state"] for topic in topics for each in topic["exercises"]}
    return str(states[name])


def test_the_list_has_every_exercise_with_what_it_builds_on(page: Page) -> None:
    found = page.ask("exercises")
    names = [each["name"] for topic in found["topics"] for each in topic["exercises"]]
    assert sorted(names) == sorted(workshop.names())
    assert found["sentence"] == f"0 of {len(names)} exercises are solved."
    assert found["next"]["name"] == "share-a-cohort"
    assert state_of(page) == "new"
    assert state_of(page, "take-back") == "later"


def test_an_exercise_is_failed_and_solved(page: Page) -> None:
    found = page.ask("exercise", name=NAME)
    assert found["text"] == found["start"]
    assert found["goal"]
    failed = page.ask("exerciseCheck", name=NAME, text=found["start"])
    assert (failed["passed"], failed["next"]) == (False, None)
    assert failed["note"] == "Nothing is changed yet."
    (bad,) = (
        each
        for case in failed["cases"]
        for each in case["checks"]
        if each["text"].startswith("demo") and each["tone"] == "bad"
    )
    assert bad["step"] is not None
    assert "was not admitted" in bad["found"][0]
    assert state_of(page) == "tried"
    passed = page.ask("exerciseCheck", name=NAME, text=solved(found["start"]))
    assert passed["passed"]
    assert passed["next"]["name"] == "borrow-before-evicting"
    assert state_of(page) == "solved"
    assert page.ask("exercise", name=NAME)["text"] == solved(found["start"])


def test_hints_come_one_by_one_and_then_a_solution(page: Page) -> None:
    with pytest.raises(KueueLabError, match="more hints"):
        page.ask("exerciseReveal", name=NAME)
    for count in (1, 2, 3):
        found = page.ask("exerciseHint", name=NAME)
        assert (len(found["hints"]), found["moreHints"]) == (count, 3 - count)
    assert found["canReveal"]
    solution = page.ask("exerciseReveal", name=NAME)
    assert "LowerPriority" in solution["text"]
    assert solution["why"]
    page.ask("exerciseCheck", name=NAME, text=solved(found["start"]))
    assert state_of(page) == "revealed"
    again = page.ask("exerciseReset", name=NAME)
    assert (again["hints"], again["text"]) == ([], again["start"])
    assert state_of(page) == "new"


def test_a_case_is_seen_step_by_step(page: Page) -> None:
    start = page.ask("exercise", name=NAME)["start"]
    frames = {"do": "exerciseFrames", "name": NAME, "case": "monday"}
    with pytest.raises(InputError, match="not played"):
        page.handler.answer(frames)
    page.ask("exerciseCheck", name=NAME, text=start)
    data = page.handler.answer({**frames, "step": 57})["data"]
    assert (data["view"], data["start"]) == ("lab", 57)
    question = {"ask": "find", "text": "demo"}
    assert page.handler.answer({**frames, "question": question})["data"]["found"]


def test_an_answer_that_cannot_be_used_has_its_place(page: Page) -> None:
    reply = json.loads(
        page.handler.reply(
            json.dumps({"id": 1, "do": "exerciseCheck", "name": NAME, "text": "kind: ["})
        )
    )
    assert reply["error"]["problems"][0]["place"]["file"].endswith("answer.yaml")
    with pytest.raises(UnknownObjectError):
        page.ask("exercise", name="../another")
    with pytest.raises(InputError, match="too long"):
        page.ask("exerciseCheck", name=NAME, text="a" * 1_000_001)
    assert state_of(page) == "new"


def test_progress_that_a_page_damaged_is_refused() -> None:
    handler = Handler()
    for wrong in ("[[[", "{}", "1", "a" * 1_000_001):
        with pytest.raises(InputError):
            handler.answer({"do": "exercises", "progress": wrong})


def test_code_only_runs_where_the_workshop_allows_it(page: Page) -> None:
    name = "external-dispatcher"
    found = page.ask("exercise", name=name)
    assert "def dispatch" in found["start"]
    if found["file"]:
        assert found["obstacle"] == ""
        failed = page.ask("exerciseCheck", name=name, text=found["start"])
        assert not failed["passed"]
    else:
        assert "Python" in found["obstacle"]
        with pytest.raises(InputError, match="process of its own"):
            page.ask("exerciseCheck", name=name, text=found["start"])


def test_files_are_the_learners(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    page = Page(Handler(exercises=tmp_path))
    found = page.ask("exercise", name=NAME)
    page.ask("exerciseCheck", name=NAME, text=solved(found["start"]))
    assert (tmp_path / NAME / "answer.yaml").read_text("utf-8") == solved(found["start"])
    assert page.progress == ""
    assert workshop.Progress(tmp_path / "progress.json").of(NAME).solved
    # Another answer replaces the one that the app wrote; nothing is put aside.
    page.ask("exerciseCheck", name=NAME, text=found["start"])
    assert [each.name for each in (tmp_path / NAME).iterdir()] == ["answer.yaml"]


def test_the_answers_are_as_the_schema_says(page: Page) -> None:
    validator = Draft202012Validator(json.loads(schema_text()))
    start = page.ask("exercise", name=NAME)["start"]
    for do, fields in (
        ("exercises", {}),
        ("exercise", {"name": NAME}),
        ("exerciseCheck", {"name": NAME, "text": start}),
        ("exerciseFrames", {"name": NAME, "case": "monday"}),
        ("exerciseHint", {"name": NAME}),
        ("exerciseReveal", {"name": NAME}),
        ("exerciseReset", {"name": NAME}),
    ):
        command = {"do": do, "id": 1, **fields}
        validator.validate(command)
        validator.validate(json.loads(page.handler.reply(json.dumps(command))))
