"""Playing a case of an exercise with an answer."""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.manifests import dump, load_scenario
from kueuelab.model import release_named
from kueuelab.multikueue import Dispatcher
from kueuelab.whatif.lab import Lab, LabRun
from kueuelab.workshop.answer import Answer, edited_objects
from kueuelab.workshop.multikueue_case import MultiKueueCaseRun, play_multikueue_case
from kueuelab.workshop.scripts import guarded
from kueuelab.workshop.spec import Case, ExerciseSpec

__all__ = ["Submission", "lab_of", "play"]


@dataclass(frozen=True, slots=True)
class Submission:
    """The answer of a learner: manifests, and a dispatcher where the exercise needs one."""

    answer: Answer
    dispatcher: Dispatcher | None = None


def lab_of(spec: ExerciseSpec, case: Case, answer: Answer) -> Lab:
    """Return a case with the objects of an answer, ready to run and to fork."""
    objects = edited_objects(answer.objects, case.edits)
    scenario = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": f"{spec.name}-{case.id}", "title": spec.texts.text(f"case.{case.id}")},
        "spec": case.scenario,
    }
    configuration = answer.configuration
    if configuration is not None and "configuration" not in case.scenario:
        manifests = dump([configuration, *objects])
    else:
        manifests = dump(objects)
    # The answer's Configuration is read before the case, so the version has to be known by then.
    version = case.scenario.get("kueueVersion")
    release = release_named(version) if version else None
    return Lab(load_scenario(scenario, manifests, release=release))


def play(spec: ExerciseSpec, case: Case, submission: Submission) -> LabRun | MultiKueueCaseRun:
    """Run a case with a submission."""
    if "multikueue" in case.scenario:
        dispatcher = None if submission.dispatcher is None else guarded(submission.dispatcher)
        return play_multikueue_case(spec.name, case, submission.answer, dispatcher)
    return lab_of(spec, case, submission.answer).run()
