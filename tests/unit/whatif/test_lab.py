"""A lab and its runs: what they show of themselves, and where a run can be forked."""

from __future__ import annotations

from dataclasses import replace

import pytest
from small_labs import flavor, job, lab, manifest, queue

from kueuelab.errors import InputError
from kueuelab.messages import language_of
from kueuelab.trace.timeline import timeline_text
from kueuelab.whatif.lab import Lab

LAB = lab([flavor(), queue("q", {"default": 3})], [job("a", "q", 2), job("b", "q", 2)])
RUN = LAB.run()
SECOND = 10**9


def test_a_lab_shows_its_title_and_how_many_objects_of_each_kind_it_has() -> None:
    found = lab([flavor(), flavor("spot"), queue("q", {"default": 3})], [])
    assert repr(found) == "<Lab small: 4 objects, 0 actions>"
    html = found._repr_html_()
    for cells in (("kind", "objects"), ("ResourceFlavor", "2"), ("ClusterQueue", "1")):
        assert html.index(f">{cells[0]}<") < html.index(f">{cells[1]}<")
    assert "Lab small: 4 objects, 0 actions" in html
    assert "&lt;" not in html
    titled = Lab(replace(found.spec, title="Two flavors"))._repr_html_()
    assert "Two flavors" in titled
    assert "4 objects" not in titled


@pytest.mark.parametrize("forks", [1, 2])
def test_a_lab_counts_its_forks(forks: int) -> None:
    run = RUN
    for _ in range(forks):
        run = run.fork().set_active("b", False).run()
    assert repr(run.scenario) == (
        f"<Lab small: 3 objects, 2 actions, {forks} fork{'s' if forks > 1 else ''}>"
    )


def test_steps_are_counted_from_the_start_or_from_the_end() -> None:
    count = len(RUN.trace)
    assert repr(RUN.fork(at=4)) == "<Fork at step 4: 0 changes>"
    assert [LAB.fork(at=each).step for each in (0, 1, 4)] == [RUN.fork(at=0).step, 1, 4]
    for at in (-1, -count + 1):
        assert (RUN.fork(at=at).step, RUN.fork(at=at).time) == (
            count + at,
            RUN.trace[count + at].time,
        )
    assert RUN.fork(at=-count).step == 0
    for at in (count, -count - 1):
        with pytest.raises(InputError) as caught:
            RUN.fork(at=at)
        assert str(caught.value) == (f"there is no step {at}. The run has {count} steps, from 0")


def test_a_lab_is_forked_at_the_start_or_where_its_run_is() -> None:
    for at, place in ((0, "the start"), (1, "step 1")):
        assert repr(LAB.fork(at)) == repr(RUN.fork(at)) == f"<Fork at {place}: 0 changes>"


def test_what_is_changed_at_the_place_of_a_fork_or_before_it_is_kept() -> None:
    """And what is changed later is not, in the order of time or of steps."""
    first = RUN.fork(at="10s").set_active("b", False).run()
    second = first.fork(at="20s").delete("b").run()
    assert [len(second.fork(at=at).earlier) for at in ("9s", "10s", "19s", "20s", "30s")] == [
        *(0, 1, 1, 2, 2)
    ]
    at_a_step = RUN.fork(at=6).set_active("a", False).run()
    assert [len(at_a_step.fork(at=at).earlier) for at in (6, 7)] == [0, 1]
    assert len(at_a_step.fork().earlier) == 1
    assert at_a_step.fork(at=0).earlier == LAB.fork(at=0).earlier == ()


def test_a_run_that_stops_before_its_changes_can_be_forked() -> None:
    changed = RUN.fork(at="10s").set_active("b", False).run()
    assert changed.scenario.run(until=5).fork(at="3s").run().trace == RUN.trace


def test_the_clock_of_a_run() -> None:
    assert (RUN.moment("1m30s") - RUN.start, RUN.moment(1.5) - RUN.start) == (
        90 * SECOND,
        SECOND * 3 // 2,
    )
    assert RUN.fork(at="2h").time == RUN.start + 7200 * SECOND
    assert RUN.fork().time == RUN.cluster.now


def test_a_workload_is_called_by_its_key_or_its_name() -> None:
    assert {RUN.key_of("a"), RUN.key_of("default/a")} == {"default/a"}


def test_a_lab_of_a_fork_is_forked_where_its_run_is() -> None:
    changed = RUN.fork(at="10s").set_active("b", False).lab
    assert changed.fork(at=0).earlier == ()
    assert len(changed.fork(at=None).earlier) == 1
    assert changed.fork(at="5s").earlier == ()


def test_a_run_as_text_is_what_it_is_and_its_timeline_in_a_language() -> None:
    first, *rest = RUN.as_text().splitlines()
    assert first == repr(RUN)
    assert "\n".join(rest) == RUN.timeline.as_text() == timeline_text(RUN.trace)
    pseudo = language_of("en-XA")
    assert RUN.as_text("en-XA") == f"{RUN!r}\n{timeline_text(RUN.trace, catalog=pseudo)}"
    assert RUN.as_text("en-XA") != RUN.as_text()
    assert str(RUN) == RUN.as_text()


def test_objects_that_a_fork_has() -> None:
    local = manifest("LocalQueue", "other", {"clusterQueue": "q"})
    fork = RUN.fork().apply(local).remove("lq/q").delete("b")
    found = {(type(each).__name__, each.metadata.name) for each in fork.objects()}
    assert found == {
        ("ResourceFlavor", "default"),
        ("ClusterQueue", "q"),
        ("LocalQueue", "other"),
        ("Workload", "a"),
    }
