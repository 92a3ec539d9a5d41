"""The map of the exercises: order, states, what is next, and its picture."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kueuelab import workshop
from kueuelab.errors import InputError
from kueuelab.workshop import ExerciseMap, Progress
from kueuelab.workshop.course_map import next_after
from kueuelab.workshop.library import in_course_order

RIGHT = {"cluster-queue/research": {"spec.preemption.withinClusterQueue": "LowerPriority"}}
SVG = "{http://www.w3.org/2000/svg}"


def after(tmp_path: Path, solved: Iterable[str], tried: Iterable[str] = ()) -> ExerciseMap:
    progress = Progress(tmp_path / "progress.json")
    for name in solved:
        progress.checked(name, 3, 3)
    for name in tried:
        progress.checked(name, 1, 3)
    return workshop.exercise_map(progress=progress.path)


def states(shown: ExerciseMap) -> dict[str, str]:
    return {place.spec.name: place.state for place in shown.places}


def test_what_an_exercise_requires_comes_before_it() -> None:
    seen: set[str] = set()
    for spec in workshop.specs():
        assert seen.issuperset(spec.requires), spec.name
        seen.add(spec.name)
    notebooks = [spec.taught_in for spec in workshop.specs()]
    assert notebooks == sorted(notebooks)


def test_the_start_of_the_map(tmp_path: Path) -> None:
    found = states(after(tmp_path, ()))
    assert found["share-a-cohort"] == "next"
    assert found["blocked-head"] == "new"
    assert found["take-back"] == "later"


def test_states_follow_the_progress(tmp_path: Path) -> None:
    shown = after(tmp_path, ["share-a-cohort", "within-a-team"], ["blocked-head"])
    found = states(shown)
    assert (found["share-a-cohort"], found["blocked-head"]) == ("solved", "tried")
    assert (found["take-back"], found["right-queue"]) == ("new", "later")
    assert shown.next is not None
    assert shown.next.name == "stranded-quota"
    assert repr(shown) == f"<ExerciseMap: 2 of {len(workshop.names())} solved>"


def test_the_next_one_requires_what_was_just_solved() -> None:
    record = workshop.progress.Record(solved=True)
    course = workshop.specs()
    assert next_after(course, {}).name == "share-a-cohort"  # type: ignore[union-attr]
    records = {"blocked-head": record}
    found = next_after(course, records, "blocked-head")
    assert found is not None
    assert found.name == "right-queue"
    # Nothing follows: the first of the course that can be begun.
    records = {"within-a-team": record, "right-level": record, "room-in-one-rack": record}
    found = next_after(course, records, "room-in-one-rack")
    assert found is not None
    assert found.name == "share-a-cohort"


def test_the_end_of_the_map(tmp_path: Path) -> None:
    shown = after(tmp_path, workshop.names())
    assert shown.next is None
    assert set(states(shown).values()) == {"solved"}
    assert shown.as_text().splitlines()[-1] == "All exercises are solved."
    assert shown.as_data()["next"] is None


def test_the_text_has_each_exercise_below_its_topic(tmp_path: Path) -> None:
    lines = after(tmp_path, ["share-a-cohort"]).as_text().splitlines()
    assert lines[0] == f"Map of the exercises: 1 of {len(workshop.names())} solved"
    assert lines[1] == "Quotas and cohorts"
    assert lines[2].split() == ["✓", "share-a-cohort", "medium", "20", "min", "solved"]
    assert any(line.endswith("after unreachable-quota, stranded-quota") for line in lines)
    assert lines[-1].endswith("kueuelab exercise start stranded-quota")


def test_the_picture_has_a_box_for_each_and_a_line_for_what_it_requires(tmp_path: Path) -> None:
    shown = after(tmp_path, ["share-a-cohort"])
    root = ElementTree.fromstring(shown.as_svg())
    boxes = list(root.iter(f"{SVG}g"))
    assert [box.get("class") for box in boxes] == [place.state for place in shown.places]
    lines = list(root.iter(f"{SVG}path"))
    assert len(lines) == sum(len(spec.requires) for spec in workshop.specs())
    followers = sum("share-a-cohort" in spec.requires for spec in workshop.specs())
    assert [path.get("class") for path in lines].count("edge done") == followers
    assert (root.get("role"), root.findtext(f"{SVG}desc")) == ("img", shown.as_text())


def test_boxes_do_not_overlap(tmp_path: Path) -> None:
    root = ElementTree.fromstring(after(tmp_path, ()).as_svg())
    corners = [
        (int(rect.get("x", 0)), int(rect.get("y", 0)))
        for rect in root.iter(f"{SVG}rect")
        if rect.get("class") == "box"
    ]
    width, height = (int(root.get(name, 0)) for name in ("width", "height"))
    for x, y in corners:
        assert x + 190 <= width
        assert y + 52 <= height
        assert not any(
            (x, y) != (a, b) and abs(x - a) < 190 and abs(y - b) < 52 for a, b in corners
        )


def test_boxes_lead_somewhere(tmp_path: Path) -> None:
    root = ElementTree.fromstring(after(tmp_path, ()).as_svg(lambda name: f"{name}/?a=1&b=2"))
    links = [link.get("href") for link in root.iter(f"{SVG}a")]
    assert links == [f"{name}/?a=1&b=2" for name in workshop.names()]
    # What is inside of an image cannot be reached with the keyboard.
    assert root.get("role") == "group"


def test_what_is_required_must_be_there() -> None:
    first, second, *_ = workshop.specs()
    wrong = replace(second, requires=(first.name, "nothing"))
    with pytest.raises(InputError, match=r"exercise\.yaml: .*there is no exercise nothing"):
        in_course_order([wrong, first])


def test_exercises_do_not_require_each_other() -> None:
    first, second, *_ = workshop.specs()
    round_ = [replace(first, requires=(second.name,)), replace(second, requires=(first.name,))]
    with pytest.raises(InputError, match="these exercises require each other") as caught:
        in_course_order(round_)
    assert str(caught.value).count(first.name) >= 2


def test_the_next_exercise_is_suggested_after_a_passed_check(tmp_path: Path) -> None:
    exercise = workshop.exercise("within-a-team", tmp_path, progress=tmp_path / "p.json")
    failed = exercise.check()
    assert (failed.following, failed.suggestion) == ("", "")
    assert "Next:" not in failed.as_text()
    exercise.answer(RIGHT)
    feedback = exercise.check()
    assert feedback.following == feedback.as_data()["next"] == "borrow-before-evicting"
    assert feedback.as_text().splitlines()[-1].startswith("Next: Borrow before evicting (medium,")
    assert feedback.suggestion in feedback._html()


def test_in_a_notebook_boxes_lead_to_the_notebooks_of_exercises(tmp_path: Path) -> None:
    shown = workshop.exercise_map(progress=tmp_path / "p.json", folder="../exercises")
    bundle = shown._repr_mimebundle_()
    root = ElementTree.fromstring(bundle["text/html"])
    links = [str(link.get("href")) for link in root.iter(f"{SVG}a")]
    page = workshop.library.exercise_folder().parent / "notebooks"
    assert [(page / link).resolve() for link in links] == [
        spec.notebook.resolve() for spec in workshop.specs()
    ]
    assert bundle["text/plain"] == shown.as_text()
