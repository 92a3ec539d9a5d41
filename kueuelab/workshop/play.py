"""Playing a day of an exercise with an answer."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from runpy import run_path

from kueuelab.errors import InputError, Location, Problem
from kueuelab.manifests import dump, load_scenario
from kueuelab.multikueue import Dispatcher
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.workshop.answer import Answer, edited_objects
from kueuelab.workshop.fleet import FleetRun, play_fleet
from kueuelab.workshop.spec import Case, ExerciseSpec

__all__ = ["Handed", "dispatcher_in", "lab_of", "play"]


@dataclass(frozen=True, slots=True)
class Handed:
    """What a learner handed in: manifests, and a dispatcher where one is asked for."""

    answer: Answer
    dispatcher: Dispatcher | None = None


def lab_of(spec: ExerciseSpec, case: Case, answer: Answer) -> Lab:
    """Return a day with the objects of an answer, ready to run and to fork."""
    objects = edited_objects(answer.objects, case.edits)
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": f"{spec.name}-{case.id}", "title": spec.texts.text(f"case.{case.id}")},
        "spec": case.scenario,
    }
    configuration = answer.configuration
    if configuration is not None and "configuration" not in case.scenario:
        return Lab(load_scenario(scenario, dump([configuration, *objects])))
    return Lab(load_scenario(scenario, dump(objects)))


def play(spec: ExerciseSpec, case: Case, handed: Handed) -> LabRun | FleetRun:
    """Play a day with what a learner handed in."""
    if "fleet" in case.scenario:
        return play_fleet(spec.name, case, handed.answer, handed.dispatcher)
    return lab_of(spec, case, handed.answer).run()


def dispatcher_in(script: Path) -> Dispatcher:
    """Return the function ``dispatch`` of a learner's script.

    Raises
    ------
    InputError
        If the script fails, or has no such function.
    """
    try:
        found = run_path(str(script)).get("dispatch")
    except Exception as error:
        raise InputError(
            Problem(f"this fails: {error!r}", location=Location(str(script)))
        ) from error
    if not callable(found):
        hint = "Define: def dispatch(view)"
        problem = Problem(
            "there is no function 'dispatch'", location=Location(str(script)), hint=hint
        )
        raise InputError(problem)
    dispatch: Dispatcher = found
    return dispatch
