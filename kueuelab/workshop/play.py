"""Playing a day of an exercise with an answer."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.manifests import dump, load_scenario
from kueuelab.multikueue import Dispatcher
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.workshop.answer import Answer, edited_objects
from kueuelab.workshop.fleet import FleetRun, play_fleet
from kueuelab.workshop.scripts import guarded
from kueuelab.workshop.spec import Case, ExerciseSpec

__all__ = ["Handed", "lab_of", "play"]


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
        dispatcher = None if handed.dispatcher is None else guarded(handed.dispatcher)
        return play_fleet(spec.name, case, handed.answer, dispatcher)
    return lab_of(spec, case, handed.answer).run()
