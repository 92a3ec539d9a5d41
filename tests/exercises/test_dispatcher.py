"""The exercise whose answer is a dispatcher: right ones, and what each mistake fails."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kueuelab import workshop
from kueuelab.multikueue import DispatchView, Nomination, all_at_once, cheapest_first
from kueuelab.workshop import Exercise
from kueuelab.workshop.solution import solution_of

NAME = "external-dispatcher"
SECOND = 1_000_000_000
PATIENCE = 60 * SECOND
PRICES = {"campus": 1, "partner": 2, "cloud-west": 3, "cloud-east": 4}

Opener = Callable[[str], Exercise]


def solution() -> Any:
    """Return the dispatcher of the source notebook."""

    class Listener:
        given: Any = None

        def answer(self, given: Any) -> None:
            self.given = given

    listener = Listener()
    names = {
        "exercise": listener,
        "Nomination": Nomination,
        "DispatchView": DispatchView,
        "PRICES": PRICES,
        "PATIENCE": PATIENCE,
    }
    exec(solution_of(workshop.exercise(NAME).spec.source), names)
    return listener.given


def failed(exercise: Exercise, dispatcher: Any) -> set[str]:
    exercise.answer(dispatcher)
    return {f"{verdict.case}/{verdict.check}" for verdict in exercise.check().failed}


def test_the_solution_passes(opened: Opener) -> None:
    exercise = opened(NAME)
    exercise.answer(solution())
    feedback = exercise.check()
    assert feedback.passed, feedback.as_text()


def test_a_different_right_answer_passes(opened: Opener) -> None:
    # It breaks ties by name, has fractions for prices, and is no function but an object.
    prices = {name: price / 10 for name, price in PRICES.items()}
    assert failed(opened(NAME), cheapest_first(prices, patience=61 * SECOND)) == set()


def chosen(
    view: DispatchView,
    *,
    among: Callable[[DispatchView], tuple[str, ...]] = lambda view: view.connected,
    price: Callable[[str], float] = lambda name: PRICES[name],
    many: int = 1,
    waits: bool = True,
    keeps: bool = True,
) -> Nomination:
    if waits and view.waited is not None and view.waited < PATIENCE:
        return Nomination(None, PATIENCE - view.waited)
    left = sorted((name for name in among(view) if name not in view.nominated), key=price)
    if not left:
        return Nomination(None)
    return Nomination((*(view.nominated if keeps else ()), *left[:many]), PATIENCE)


@pytest.mark.parametrize(
    ("mistake", "fails"),
    [
        pytest.param({"price": lambda name: -PRICES[name]}, "monday/small-on-campus", id="dearest"),
        pytest.param({"price": lambda name: 0}, "monday/small-on-campus", id="no-prices"),
        pytest.param({"among": lambda view: view.clusters}, "thursday/errand-not-campus", id="cut"),
        pytest.param(
            {"among": lambda view: tuple(PRICES)}, "friday/few-at-partner", id="fixed-list"
        ),
        pytest.param({"many": 2}, "monday/small-not-partner", id="two-at-a-time"),
        pytest.param({"waits": False}, "tuesday/partner-not-early", id="impatient"),
    ],
)
def test_every_part_of_the_solution_is_needed(
    mistake: dict[str, Any], fails: str, opened: Opener
) -> None:
    assert failed(opened(NAME), lambda view: chosen(view)) == set()
    assert fails in failed(opened(NAME), lambda view: chosen(view, **mistake))


def test_all_at_once_fails(opened: Opener) -> None:
    assert "monday/small-not-partner" in failed(opened(NAME), all_at_once)


def test_a_dispatcher_that_fails_is_reported(opened: Opener) -> None:
    exercise = opened(NAME)

    def dispatch(view: DispatchView) -> Nomination:
        raise KeyError("campus")

    exercise.answer(dispatch)
    feedback = exercise.check()
    assert not feedback.passed
    assert "The dispatcher returned or raised KeyError('campus') (line" in feedback.as_text()


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        (None, "returned or raised None, which is not a Nomination"),
        (["campus"], "returned or raised ['campus'], which is not a Nomination"),
        (Nomination("campus"), "the clusters are not a tuple of names"),  # type: ignore[arg-type]
        (Nomination(None, -5), "ask_after is not a number of nanoseconds"),
    ],
)
def test_what_is_no_nomination_is_reported(given: Any, sentence: str, opened: Opener) -> None:
    exercise = opened(NAME)
    exercise.answer(lambda view: given)
    feedback = exercise.check()
    assert len(feedback.failed) == len(feedback.verdicts)
    assert sentence in feedback.as_text()


def test_a_script_that_ends_the_program_does_not(opened: Opener) -> None:
    exercise = opened(NAME)
    exercise.folder.mkdir()
    for text, sentence in (
        ("import sys\nsys.exit(3)\n", "answer.py:2: this fails: SystemExit(3)"),
        ("def dispatch(view):\n    raise SystemExit(3)\n", "SystemExit(3) (line 2)"),
        ("def dispatch(view) return 1\n", "answer.py:1: this is not Python: expected ':'"),
    ):
        (exercise.folder / "answer.py").write_text(text, "utf-8")
        assert sentence in exercise.check().as_text()


def test_a_script_is_an_answer_too(opened: Opener, tmp_path: Path) -> None:
    exercise = opened(NAME)
    exercise.folder.mkdir()
    script = exercise.folder / "answer.py"
    script.write_text((exercise.spec.folder / "start.py").read_text("utf-8"), "utf-8")
    assert not exercise.check().passed
    begin = script.read_text("utf-8").split("def dispatch")[0]
    code = solution_of(exercise.spec.source).replace("exercise.answer(dispatch)", "")
    script.write_text(begin + code, "utf-8")
    assert exercise.check().passed
    script.write_text("dispatch = 1\n", "utf-8")
    assert "there is no function 'dispatch'" in exercise.check().as_text()
    script.write_text("1 / 0\n", "utf-8")
    assert "ZeroDivisionError" in exercise.check().as_text()
