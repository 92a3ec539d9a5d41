"""The app in a cell: the same answers, for each of the places that show it; one module."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.app.cell import StudioCell
from kueuelab.app.files import front_files
from kueuelab.app.joined import cell_script, cell_style, joined_modules
from kueuelab.errors import InputError
from kueuelab.session.handler import Handler

STORY: tuple[dict[str, Any], ...] = (
    {"do": "hello", "id": 1},
    {"do": "open", "source": "two-teams", "id": 2},
    {"do": "overview", "id": 3},
    {"do": "workloads", "search": "job-b", "id": 4},
    {"do": "levers", "workload": "team-b/job-b-cpu-2-71f14", "id": 5},
    {"do": "try", "workload": "team-b/job-b-cpu-2-71f14", "lever": 0, "id": 6},
    {"do": "undo", "id": 7},
    {"do": "frames", "id": 8},
    {"do": "nothing of this name", "id": 9},
)


class Shown:
    """A place that shows a cell."""

    def __init__(self, cell: StudioCell, monkeypatch: pytest.MonkeyPatch) -> None:
        self.cell = cell
        self.heard: list[dict[str, Any]] = []
        monkeypatch.setattr(cell, "send", self.heard.append)

    def send(self, view: str, part: str, last: bool = True) -> None:
        self.cell._handle_custom_msg({"view": view, "part": part, "last": last}, [])


def test_the_answers_are_those_of_the_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    shown, handler = Shown(kl.studio(), monkeypatch), Handler(None, lambda _: None)
    for command in STORY:
        shown.send("a", json.dumps(command))
    assert [each["answer"] for each in shown.heard] == [
        handler.reply(json.dumps(command)) for command in STORY
    ]


def test_a_large_command_comes_in_parts_and_places_do_not_disturb_each_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Shown(kl.studio("two-teams"), monkeypatch)
    text = json.dumps({"do": "overview", "id": 1})
    shown.send("a", text[:9], last=False)
    shown.send("b", json.dumps({"do": "pending", "id": 2}))
    shown.send("a", text[9:])
    assert [each["view"] for each in shown.heard] == ["b", "a"]
    assert "error" not in json.loads(shown.heard[1]["answer"])


def test_an_interrupt_of_the_kernel_is_said_and_changes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shown = Shown(kl.studio("two-teams"), monkeypatch)

    def interrupted(_: str) -> str:
        raise KeyboardInterrupt

    monkeypatch.setattr(shown.cell._handler, "reply", interrupted)
    shown.send("a", json.dumps({"do": "overview", "id": 1}))
    assert shown.heard == [{"view": "a", "stopped": True}]
    assert shown.cell.session.names == ("two-teams",)


@pytest.mark.parametrize("message", [None, "open", {"view": 3}, {"view": "a", "part": None}])
def test_a_message_of_another_form_has_no_answer(
    message: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = Shown(kl.studio(), monkeypatch)
    shown.cell._handle_custom_msg(message, [])
    assert shown.heard == []


def test_it_opens_runs_labs_files_and_names(tmp_path: Path) -> None:
    lab = scenarios.load("reclaim-1-take-back")
    file = tmp_path / "mine.yaml"
    file.write_text(scenarios.text("reclaim-1-take-back"), "utf-8")
    found = kl.studio(lab, lab.run(), file, "two-teams")
    name = "reclaim-1-take-back"
    assert found.session.names == (name, f"{name} 2", f"{name} 3", "two-teams")
    assert found.address == "#/overview?branch=two-teams"
    assert kl.studio().address == "#/home"
    run = lab.run()
    assert kl.studio(run).session.branches[0].run is run


def test_a_record_is_refused() -> None:
    scenario = kl.Scenario(scenarios.load("reclaim-1-take-back").spec)
    with pytest.raises(InputError, match="only the record of a run"):
        kl.studio(scenario.run())


def test_all_modules_are_joined_into_one() -> None:
    script = cell_script()
    assert not re.search(r"^\s*import\b|\bimport\s*\{|\bimport\(\"|import\.meta", script, re.M)
    files = front_files()
    left_out = {"app/cell.js", "app/engine_worker.js", "app/notebook.js"}
    assert {name for name in files if re.match(r"app/.*\.js$", name)} - {
        *joined_modules(without="app/notebook.js")
    } == left_out


def test_no_module_reaches_the_page_around_its_cell() -> None:
    reaching = re.compile(
        r"\b(?:window|globalThis|self|top|parent)\.(?:document|location|history|\w*addEventListener)"
    )
    for name, text in joined_modules().items():
        if name.startswith("app/") and "/vendor/" not in name:
            assert not reaching.search(text), name


def test_the_style_is_that_of_the_cell_and_not_of_the_window() -> None:
    app = cell_style().partition(".kl-outer")[0]
    assert "prefers-color-scheme" not in app
    assert not re.search(r"@media \((?:min|max)-|\d(?:d?vh|vw)\b|:root|\bbody\b", app)
    assert ':host([data-dark]) {\n.kueuelab-app[data-theme="auto"]' in app
