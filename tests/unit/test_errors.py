"""Exceptions carry data, read as one line, and are the builtin that fits."""

from __future__ import annotations

import pickle

import pytest

from kueuelab.errors import (
    InputError,
    KueueLabError,
    Location,
    NotModelledError,
    Problem,
    QuantityError,
    SimulationError,
    UnknownObjectError,
)

PLACE = Location("queues.yaml", 12, 5)


@pytest.mark.parametrize(
    ("problem", "text"),
    [
        (Problem("it is wrong"), "it is wrong"),
        (Problem("it is wrong", hint="Mend it"), "it is wrong. Mend it"),
        (Problem("it is wrong.", hint="Mend it"), "it is wrong. Mend it"),
        (Problem("it is wrong", object="Job/a"), "Job/a: it is wrong"),
        (Problem("it is wrong", location=Location("a.yaml")), "a.yaml: it is wrong"),
        (Problem("two\n  lines"), "two lines"),
        (
            Problem("it is wrong", "Job/a", "spec.x", PLACE, "Mend it"),
            "queues.yaml:12: Job/a: spec.x: it is wrong. Mend it",
        ),
    ],
)
def test_a_problem_is_one_line(problem: Problem, text: str) -> None:
    assert str(problem) == text


def test_places_sort_as_one_reads() -> None:
    places = [Location("b.yaml", 1), Location("a.yaml", 10), Location("a.yaml", 9, 3)]
    assert [str(place) for place in sorted(places)] == ["a.yaml:9", "a.yaml:10", "b.yaml:1"]


def test_several_mistakes_are_reported_together() -> None:
    first, second = Problem("one", object="Job/a"), Problem("two", location=PLACE)
    error = InputError(iter([first, second]), understood={"Job": ()})
    assert error.problems == (first, second)
    assert error.problem is first
    assert error.understood == {"Job": ()}
    assert str(error) == "2 problems:\n  Job/a: one\n  queues.yaml:12: two"


def test_one_mistake_needs_no_list() -> None:
    assert str(InputError("the file is empty")) == "the file is empty"
    assert str(InputError(Problem("empty", location=PLACE))) == "queues.yaml:12: empty"


def test_an_input_error_without_a_problem_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="at least one problem"):
        InputError([])


def test_the_closest_name_is_suggested() -> None:
    assert UnknownObjectError("Workload", "job1", ["job-1", "other"]).problem.hint == (
        "Did you mean 'job-1'?"
    )


def test_a_long_list_of_names_is_cut() -> None:
    text = str(UnknownObjectError("Workload", "zzz", [f"a{number}" for number in range(12)]))
    assert text.endswith("'a9' and 2 more")


@pytest.mark.parametrize(
    ("error", "builtin"),
    [
        (InputError([Problem("a"), Problem("b", hint="c")], understood=1), ValueError),
        (QuantityError("unable to parse quantity's suffix", "1K"), ValueError),
        (UnknownObjectError("Workload", "job-9", ("job-1",)), LookupError),
        (SimulationError("stuck", object="Job/a", location=PLACE, hint="Go"), RuntimeError),
        (NotModelledError("placement", field="spec.topologyName"), NotImplementedError),
    ],
)
def test_each_is_the_builtin_that_fits_and_survives_pickling(
    error: KueueLabError, builtin: type[Exception]
) -> None:
    assert isinstance(error, KueueLabError)
    assert isinstance(error, builtin)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error)
    assert str(again) == str(error)
    assert vars(again) == vars(error)
