"""The stepper in a terminal: keys, panes, search, help, mouse, and sizes from 80 by 24 up."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import pytest
from textual.pilot import Pilot
from textual.widgets import Static
from textual_apps import until

from kueuelab import scenarios
from kueuelab.cli import step
from kueuelab.cli.output import Speaker
from kueuelab.cli.step_app import StepApp
from kueuelab.cli.stepper import Stepper
from kueuelab.messages import english, messages_in
from kueuelab.trace.trace import Trace
from kueuelab.views import Document

PANES = ("picture", "queues", "decision")


@pytest.fixture(scope="module")
def trace() -> Trace:
    return scenarios.load("reclaim-1-take-back").run().trace


def app_of(trace: Trace, workload: str = "", at: int = 57, language: str = "en") -> StepApp:
    words = messages_in(language)
    return StepApp(Stepper(Document(trace, language=words), workload, at, words))


def played(
    app: StepApp, play: Callable[[Pilot[None]], Awaitable[None]], size: tuple[int, int] = (80, 24)
) -> None:
    async def run() -> None:
        async with app.run_test(size=size) as pilot:
            # The last line is there when all is laid out.
            await until(pilot, lambda: any(key.region for key in app.query("FooterKey")))
            await play(pilot)

    asyncio.run(run())


def text_at(app: StepApp, place: str) -> str:
    return str(app.query_one(f"#{place}", Static).content)


def displayed(app: StepApp) -> list[str]:
    return [name for name in PANES if app.query_one(f"#{name}").display]


def test_keys_move_and_the_sentence_follows(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        assert text_at(app, "sentence").startswith("Step 57 of 103, cycle 3 of 5, at 7s\nFit")
        for keys, place in (
            ("n", 58),
            ("b", 57),
            ("right", 58),
            ("left", 57),
            ("G", 103),
            ("g", 1),
            ("end", 103),
            ("home", 1),
            ("p", 64),
        ):
            await pilot.press(keys)
            assert text_at(app, "sentence").startswith(f"Step {place} of 103"), keys
        assert "default/job-1 is preempted by default/job-2" in text_at(app, "sentence")
        assert "team-b" in text_at(app, "picture-text")

    played(app, play)


def test_the_end_is_said(trace: Trace) -> None:
    app = app_of(trace, at=103)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("n")
        assert text_at(app, "status") == "There is no further step in this direction."
        await pilot.press("b")
        assert text_at(app, "status") == ""

    played(app, play)


def test_a_workload_is_followed(trace: Trace) -> None:
    app = app_of(trace, "job-1", at=1)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("w")
        assert "default/job-1 is submitted" in text_at(app, "sentence")

    played(app, play)


@pytest.mark.parametrize("size", [(80, 24), (100, 30)])
def test_a_narrow_terminal_shows_one_pane_at_a_time(trace: Trace, size: tuple[int, int]) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        assert displayed(app) == ["picture"]
        await pilot.press("tab")
        assert displayed(app) == ["queues"]
        await pilot.press("3")
        assert displayed(app) == ["decision"]
        await pilot.press("tab")
        assert displayed(app) == ["picture"]

    played(app, play, size)


def test_a_wide_terminal_shows_all_panes_and_a_resize_changes_that(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        assert displayed(app) == list(PANES)
        await pilot.resize_terminal(80, 24)
        await until(pilot, lambda: displayed(app) == ["picture"])
        await pilot.resize_terminal(160, 50)
        await until(pilot, lambda: displayed(app) == list(PANES))

    played(app, play, (160, 50))


@pytest.mark.parametrize("size", [(80, 24), (160, 50)])
def test_the_sentence_and_the_keys_stay_while_a_pane_scrolls(
    trace: Trace, size: tuple[int, int]
) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        before = app.query_one("#sentence").region
        await pilot.press(*["down"] * 40, "pagedown")
        assert app.query_one("#sentence").region == before
        assert before.y == 0
        footer = app.query_one("Footer").region
        assert footer.bottom == size[1]
        for name in displayed(app):
            region = app.query_one(f"#{name}").region
            assert before.bottom <= region.y < region.bottom <= footer.y

    played(app, play, size)


@pytest.mark.parametrize(
    ("place", "step", "said"),
    [
        ("12", 12, ""),
        ("c3", 39, ""),
        ("cycle 3", 39, ""),
        ("7s", 38, ""),
        ("0", 57, "There is no step, cycle or time 0."),
        ("104", 57, "There is no step, cycle or time 104."),
        ("c99", 57, "There is no step, cycle or time c99."),
        ("99h", 57, "There is no step, cycle or time 99h."),
        ("-1", 57, "There is no step, cycle or time -1."),
        ("[red]", 57, "There is no step, cycle or time [red]."),
    ],
)
def test_go_to(trace: Trace, place: str, step: int, said: str) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("colon")
        for char in place:
            await pilot.press(NAMES.get(char, char))
        await pilot.press("enter")
        assert (app.stepper.index + 1, text_at(app, "status")) == (step, said)

    played(app, play)


NAMES = {" ": "space", "-": "minus", "[": "left_square_bracket", "]": "right_square_bracket"}


def test_search_goes_round_and_repeats(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("slash", *"SUBMITTED", "enter")
        first = app.stepper.index
        assert "is submitted" in text_at(app, "sentence")
        # The text is still there, selected.
        await pilot.press("slash", "enter")
        assert app.stepper.index != first
        assert "is submitted" in text_at(app, "sentence")
        await pilot.press("slash", *"xyz", "enter")
        assert text_at(app, "status").startswith("No step has xyz")

    played(app, play)


def test_escape_leaves_a_question_first(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("colon", "5", "escape")
        assert app.is_running
        assert app.stepper.index == 56
        await pilot.press("n")
        assert app.stepper.index == 57
        await pilot.press("escape")
        assert app._exit

    played(app, play)


def test_help_lists_the_keys_and_any_key_closes_it(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.press("question_mark")
        assert len(app.screen_stack) == 2
        text = str(app.screen.query_one(Static).content)
        for word in ("next preemption", "go to", "search", "quit", "mouse"):
            assert word in text
        await pilot.press("x")
        assert len(app.screen_stack) == 1
        assert app.stepper.index == 56

    played(app, play)


def test_the_mouse_clicks_keys_and_scrolls(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        await pilot.click("FooterKey")
        await until(pilot, lambda: app.stepper.index == 57)
        await pilot.click("#queues")
        await until(pilot, lambda: app.focused is not None and app.focused.id == "queues")

    played(app, play, (160, 50))


def test_all_keys_of_the_last_line_are_visible_at_80_columns(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        keys = list(app.query("FooterKey"))
        assert len(keys) == 8
        assert all(key.region.right <= 80 for key in keys)

    played(app, play)


def test_it_is_in_the_language_that_is_asked_for(trace: Trace) -> None:
    app = app_of(trace, language="en-XA")

    async def play(pilot: Pilot[None]) -> None:
        assert "Cohorts" not in str(app.query_one("#picture").border_title)
        assert "Fit checked" not in text_at(app, "sentence")

    played(app, play)


def test_names_do_not_steer_the_terminal(trace: Trace) -> None:
    app = app_of(trace)

    async def play(pilot: Pilot[None]) -> None:
        app._tell("\x1b[31m[bold]x[/bold]")
        assert "\x1b" not in text_at(app, "status")
        assert "[bold]x[/bold]" in text_at(app, "status")

    played(app, play)


def test_without_textual_it_falls_back(trace: Trace, monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == "textual" else find_spec(name)

    used: list[str] = []
    monkeypatch.setattr(step, "find_spec", found)
    monkeypatch.setattr("sys.stdout.isatty", lambda: True, raising=False)
    monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
    monkeypatch.setattr(step, "_interact_without_textual", lambda *_: used.append("rich"))
    step.step_through(trace, Speaker(english()))
    assert used == ["rich"]
