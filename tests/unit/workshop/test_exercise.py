"""Working on an exercise: answers, hints, reveal, reset, and what is shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab import workshop
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.workshop import Exercise
from kueuelab.workshop.reading import read_exercise
from kueuelab.workshop.spec import DIFFICULTIES

RIGHT = {"cluster-queue/research": {"spec.preemption.withinClusterQueue": "LowerPriority"}}
WRONG = {"cluster-queue/research": {"spec.preemption.withinClusterQueue": "Never"}}


@pytest.fixture
def exercise(tmp_path: Path) -> Exercise:
    return workshop.exercise("within-a-team", tmp_path, progress=tmp_path / "progress.json")


def test_an_answer_replaces_the_one_before(exercise: Exercise) -> None:
    assert "Never → LowerPriority" in exercise.answer(RIGHT).text
    assert exercise.check().passed
    exercise.answer(WRONG)
    assert not exercise.check().passed
    assert exercise.record.checks == 2


def test_an_answer_may_be_manifests(exercise: Exercise) -> None:
    exercise.answer(exercise.manifests.replace(": Never", ": LowerPriority"))
    assert exercise.check().passed
    assert exercise.run().until(workload="demo", event="admitted").step.kind == "Admitted"


def test_what_cannot_be_used_is_refused_with_its_place(exercise: Exercise) -> None:
    for wrong in (
        {"cluster-queue/reserch": {}},
        {"cluster-queue/research": {"spec.preemptoin": {}}},
        "kind: Nothing",
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: ResourceFlavor\nmetadata: {name: more}\n",
        "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n",
        lambda view: None,
    ):
        with pytest.raises(InputError):
            exercise.answer(wrong)
    assert not exercise.file.exists()
    exercise.file.write_text("kind: [", "utf-8")
    feedback = exercise.check()
    assert not feedback.passed
    assert "answer.yaml:1: this is not YAML" in feedback.as_text()
    assert exercise.record.checks == 0


def test_hints_grow_and_then_a_solution_can_be_seen(exercise: Exercise) -> None:
    assert exercise.reveal().text == "There are more hints; read them first."
    hints = [exercise.hint().text for _ in range(3)]
    assert len(set(hints)) == 3
    assert not any("LowerPriority" in hint for hint in hints)
    assert "exercise.reveal()" in exercise.hint().text
    assert '"LowerPriority"' in exercise.reveal().text
    exercise.answer(RIGHT)
    exercise.check()
    assert exercise.record.state == "revealed"


def test_reset_puts_the_answer_aside(exercise: Exercise) -> None:
    exercise.answer(RIGHT)
    exercise.check()
    exercise.hint()
    assert "answer.before-reset.yaml" in exercise.reset().text
    assert exercise.record.state == "new"
    assert exercise.file.read_text("utf-8") == exercise.manifests
    assert (exercise.folder / "answer.before-reset.yaml").exists()
    assert exercise.reset().text == "within-a-team was reset."
    # No answer is lost, however often one begins anew.
    exercise.answer({"cluster-queue/research": {"spec.queueingStrategy": "StrictFIFO"}})
    assert "answer.before-reset-2.yaml" in exercise.reset().text


def test_reset_puts_a_script_aside_too(tmp_path: Path) -> None:
    name = "external-dispatcher"
    exercise = workshop.exercise(name, tmp_path, progress=tmp_path / "progress.json")
    script = tmp_path / "answer.py"
    script.write_text("# mine\n", "utf-8")
    assert "answer.before-reset.py" in exercise.reset().text
    assert "def dispatch" in script.read_text("utf-8")
    assert (tmp_path / "answer.before-reset.py").read_text("utf-8") == "# mine\n"


def test_odd_answers_are_reported_as_what_they_are(exercise: Exercise) -> None:
    assert "There is no answer yet" in exercise.check().as_text()
    for text in ("", "# nothing\n", exercise.manifests, "\ufeff" + exercise.manifests):
        exercise.file.write_text(text, "utf-8")
        told = exercise.check()
        assert "changes nothing: this is the state at the start" in told.as_text()
        assert "changes nothing" in told._html()
    exercise.file.write_bytes(b"\xff\x00")
    assert "this is not text in UTF-8" in exercise.check().as_text()
    # What a server adds is nobody's change.
    served = exercise.manifests.replace("metadata: {", "metadata: {uid: u, generation: 3, ")
    exercise.file.write_text(served.replace(": Never", ": LowerPriority"), "utf-8")
    assert exercise.check().passed
    huge = exercise.manifests.replace("nominalQuota: 8", "nominalQuota: 8000")
    assert huge != exercise.manifests
    exercise.file.write_text(huge, "utf-8")
    assert "own-queue" in {verdict.check for verdict in exercise.check().failed}


def test_feedback_opens_the_stepper_where_it_went_wrong(exercise: Exercise) -> None:
    feedback = exercise.check()
    stepper = feedback.stepper()
    assert stepper is not None
    assert feedback.failed[0].finding is not None
    assert stepper.board.index == feedback.failed[0].finding.step
    other = feedback.stepper(1)
    assert other is not None
    assert other.board.trace.name == "within-a-team-sunday"
    assert feedback.stepper(9) is None
    bundle = feedback._repr_mimebundle_()
    assert bundle["text/plain"] == feedback.as_text()
    assert "kl-embedded" in bundle["text/html"]


def test_what_is_shown(exercise: Exercise) -> None:
    assert repr(exercise) == "<Exercise within-a-team: new>"
    title = "Which job makes room within a team? (easy, about 10 minutes)"
    assert exercise.as_text().startswith(title)
    assert "0 of" in exercise._repr_html_()
    exercise.answer(RIGHT)
    exercise.check()
    assert "1 of" in exercise.progress.text


def test_every_exercise_is_complete() -> None:
    specs = workshop.specs()
    for spec in specs:
        assert spec.taught_in
        assert spec.difficulty in DIFFICULTIES
        assert 5 <= spec.minutes <= 60
        assert any(case.hidden for case in spec.cases)
        assert not spec.cases[0].hidden
        wanted = ["title", "goal", "why", "hint.1", "hint.2", "hint.3"]
        wanted += [f"check.{rule.id}" for rule in spec.rules]
        for case in spec.cases:
            wanted += [f"case.{case.id}", *(f"check.{check.id}" for check in case.checks)]
        assert set(wanted) == set(spec.texts.ids), spec.name


def test_names_and_files_that_are_wrong(tmp_path: Path) -> None:
    with pytest.raises(UnknownObjectError, match="Did you mean 'within-a-team'"):
        workshop.exercise("within-team")
    (tmp_path / "exercise.yaml").write_text("spec: {}", "utf-8")
    with pytest.raises(InputError, match="this is not an exercise"):
        read_exercise(tmp_path)


def test_the_demand_of_a_table_of_jobs_is_known_by_the_hour(tmp_path: Path) -> None:
    found = workshop.exercise(
        "room-for-a-new-team", tmp_path, progress=tmp_path / "progress.json"
    ).demand()
    head, *rows, highest = [line.split() for line in found.text.splitlines()]
    assert head == ["hour", "spare-jobs", "language-jobs", "vision-jobs", "robotics-jobs"]
    assert ["3h", "32", "36", "0", "0"] in rows
    assert highest == ["highest", "32", "36", "20", "16"]


def test_jobs_without_an_end_are_in_no_demand(exercise: Exercise) -> None:
    # sweep-1 and sweep-2 never finish; demo uses 4 cpu from 60 s on.
    assert exercise.demand().text.split() == ["hour", "research-jobs", "0h", "4", "highest", "4"]
