"""The what-if editor: mistakes while typing, a fork, both runs side by side."""

from __future__ import annotations

from typing import Any

import ipywidgets
import pytest

from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.widgets import WhatIf, lab


@pytest.fixture
def editor() -> WhatIf:
    return WhatIf(scenarios.load("reclaim-3-late-after-finish").run())


def change(editor: WhatIf, before: str, after: str) -> None:
    assert before in editor.text.value
    editor.text.value = editor.text.value.replace(before, after)


def test_objects_that_decide_come_first(editor: WhatIf) -> None:
    assert editor.object.options == (
        "ClusterQueue/team-a",
        "ClusterQueue/team-b",
        "LocalQueue/default/team-a-jobs",
        "LocalQueue/default/team-b-jobs",
        "ResourceFlavor/default",
        "Workload/default/job-0",
        "Workload/default/job-1",
        "Workload/default/job-2",
    )


def test_nothing_runs_before_something_is_changed(editor: WhatIf) -> None:
    assert editor.go.disabled
    editor.run()
    assert editor.diff is None
    assert "nothing is changed yet" in editor.as_text()


def test_mistakes_are_reported_with_their_line(editor: WhatIf) -> None:
    change(editor, "reclaimWithinCohort", "reclaimWithinCohorts")
    assert editor.go.disabled
    assert "line 18" in editor.status
    ((line, text),) = editor.text.problems
    assert line == 18
    assert text.endswith("Did you mean 'reclaimWithinCohort'?")
    change(editor, "reclaimWithinCohorts", "reclaimWithinCohort")
    assert editor.status == editor.text.said == "nothing is changed yet"
    assert editor.text.problems == []


def test_the_lines_that_were_changed_are_marked(editor: WhatIf) -> None:
    assert editor.text.changed == []
    change(editor, "nominalQuota: 500m", "nominalQuota: 700m")
    assert editor.text.changed == [15]
    editor.reset.click()
    assert editor.text.changed == []


@pytest.mark.parametrize("text", ["", "a: [", "kind: Nothing", "- 1"])
def test_no_text_breaks_the_editor(editor: WhatIf, text: str) -> None:
    editor.text.value = text
    assert editor.go.disabled
    assert editor.status


def test_another_object_is_not_an_edit(editor: WhatIf) -> None:
    change(editor, "name: team-a", "name: other-queue")
    assert editor.status == "this must be one object: ClusterQueue team-a"


def test_a_fork_is_compared_with_the_run(editor: WhatIf) -> None:
    change(
        editor,
        "    reclaimWithinCohort: LowerPriority\n",
        "    reclaimWithinCohort: LowerPriority\n    borrowWithinCohort: {policy: LowerPriority}\n",
    )
    assert editor.status == "changes spec.preemption"
    editor.run()
    assert editor.diff is not None
    assert "InCohortReclaimWhileBorrowing" in editor.as_text()
    (both,) = editor._result.children
    told = both.document["comparison"]
    assert "first decision that differs is number 3" in told["lines"][0]
    (table,) = told["tables"]
    assert ["team-b", "preemptions", "1", "1"] not in table["rows"]
    assert all(row[2] != row[3] for row in table["rows"])
    # Both runs can be stepped, each from the first decision that differs.
    assert editor.after is not None
    for side, run in (("before", editor.before), ("after", editor.after)):
        assert both.document["sides"][side]["steps"] == len(run.trace)
    starts = [both.document["sides"][side]["start"] for side in ("before", "after")]
    divergence = editor.diff.divergence
    assert divergence is not None
    assert divergence.before is not None
    assert divergence.after is not None
    assert starts == [divergence.before.index, divergence.after.index]
    (chart,) = both.document["charts"]
    assert {"pending (Before)", "pending (After)"} <= {line["name"] for line in chart["traces"]}


def test_what_is_asked_about_a_comparison_is_asked_about_one_run(editor: WhatIf) -> None:
    change(editor, "500m", "900m")
    editor.run()
    (both,) = editor._result.children
    sent: list[Any] = []
    both.send = sent.append
    for side, run in (("before", editor.before), ("after", editor.after)):
        question = {"ask": "chunk", "number": 0, "side": side, "id": side}
        both._handle_custom_msg(question, [])
        assert run is not None
        assert len(sent[-1]["patches"]) == len(run.trace) - 1
        assert sent[-1]["id"] == side


def test_reset_takes_the_change_back(editor: WhatIf) -> None:
    original = editor.text.value
    change(editor, "500m", "900m")
    editor.reset.click()
    assert editor.text.value == original


def test_a_workload_can_be_edited(editor: WhatIf) -> None:
    editor.object.value = "Workload/default/job-2"
    change(editor, "priority: 100", "priority: 5")
    editor.run()
    assert editor.after is not None
    assert not editor.after.trace.of_kind("Evicted")


def test_the_editor_begins_with_what_is_selected() -> None:
    view = lab(scenarios.load("reclaim-1-take-back").run())
    view.board.select("Workload", "default/job-1")
    assert view.what_if is not None
    assert view.what_if.object.value == "Workload/default/job-1"


def test_the_editor_follows_the_selection_until_something_is_typed() -> None:
    view = lab(scenarios.load("reclaim-3-late-after-finish").run())
    editor = view.what_if
    assert editor is not None
    view.board.select("ClusterQueue", "team-b")
    assert editor.object.value == "ClusterQueue/team-b"
    view.board.select("Workload", "default/job-1")
    assert editor.object.value == "Workload/default/job-1"
    change(editor, "priority: 10", "priority: 1000")
    view.board.select("ClusterQueue", "team-b")
    assert editor.object.value == "Workload/default/job-1"


def test_a_fork_may_leave_the_run_at_this_step(late: Trace) -> None:
    run = scenarios.load("reclaim-3-late-after-finish").run()
    view = lab(run)
    editor: Any = view.what_if
    view.board.go(run.trace.of_kind("Finished")[0] - 1)
    editor.where.value = "this step"
    change(editor, "reclaimWithinCohort: LowerPriority", "reclaimWithinCohort: Never")
    editor.run()
    assert editor.after.trace.steps[:60] == late.steps[:60]
    assert not editor.after.trace.of_kind("Evicted")


def test_a_trace_alone_cannot_be_forked(late: Trace) -> None:
    assert lab(late).what_if is None


def test_the_editor_is_labelled(editor: WhatIf) -> None:
    for control in (editor.object, editor.where, editor.go, editor.reset):
        assert isinstance(control, ipywidgets.Widget)
        assert control.description
        assert control.tooltip
    assert editor.text.label
    assert editor.text.hint
