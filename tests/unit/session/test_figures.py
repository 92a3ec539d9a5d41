"""Figures of two runs: at the end, also where no time goes by, and of cohorts with all below."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.session.answers import QueueFigures
from kueuelab.session.clusters import clusters_compared
from kueuelab.session.figures import queue_figures
from kueuelab.session.session import Session
from kueuelab.trace.diff import queue_diffs
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.comparison import ComparisonDocument

WORKLOAD = "team-b/job-b-cpu-2-71f14"


def tried() -> Session:
    session = Session().opened("two-teams")
    report = session["two-teams"].run.what_would_admit(WORKLOAD)
    quota = next(each for each in report if each.kind == "quota")
    return session.tried("two-teams", quota)


def figures_of(before: Trace, after: Trace, *, rest: bool = False) -> dict[str, QueueFigures]:
    queues = queue_diffs(before, after)
    found = queue_figures(before, after, queues, english(), rest=rest)
    return {each.name: each for each in found}


def test_where_no_time_goes_by_there_is_no_chart_and_the_figures_are_of_the_end() -> None:
    session = tried()
    before, after = (each.run.trace for each in session.branches)
    diff = session.diff(*session.names)
    found = ComparisonDocument(diff, before, after, english()).as_data()
    assert found["charts"] == []
    assert any("no chart over time" in line for line in found["comparison"]["lines"])
    figures = figures_of(before, after)["cq-b"].figures
    shown = {each.title: (each.before, each.after) for each in figures}
    assert (shown["admitted"], shown["pending"]) == (("1", "2"), ("3", "2"))
    assert "weighted share" not in shown, "no queue has one"
    assert all(each.before != each.after for each in figures)
    numbers = {each.title: (each.value_before, each.value_after) for each in figures}
    assert numbers["pending"] == (3, 2)


def test_where_time_goes_by_there_is_a_chart_whose_axis_has_no_title_in_the_legend() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    found = ComparisonDocument(run.diff(run), run.trace, run.trace, english()).as_data()
    (chart,) = found["charts"]
    assert "title" not in chart["layout"]["xaxis"]
    assert chart["layout"]["xaxis"]["ticksuffix"].strip() == "s"
    assert not any("no chart over time" in line for line in found["comparison"]["lines"])


def test_a_cohort_has_the_use_and_the_quota_of_all_below_it() -> None:
    trace = Session().opened("two-teams").branches[0].run.trace
    rows = figures_of(trace, trace, rest=True)
    uses = {
        name: next(each.after for each in row.figures if each.title == "use of cpu in generic")
        for name, row in rows.items()
        if name in ("org", "cq-a", "cq-b")
    }
    assert uses == {"org": "14 of 16", "cq-a": "6 of 8", "cq-b": "8 of 8"}
    assert (rows["org"].kind, rows["org"].depth) == ("Cohort", 0)
    assert figures_of(trace, trace) == {}, "nothing differs"


def test_a_share_of_the_time_is_one_of_the_longer_run() -> None:
    """Both runs are looked at over the same time, as the lines of a comparison have it."""
    run = scenarios.load("reclaim-1-take-back").run()
    before = run.trace
    after = Trace(before.steps[:90], before.name, before.title, before.kueue_version)
    assert after.end < before.end
    queues = list(queue_diffs(before, after))
    rows = {each.name: each for each in queue_figures(before, after, queues, english(), rest=True)}
    for each in queues:
        shown = {
            figure.title: (figure.value_before, figure.value_after)
            for figure in rows[each.queue].figures
            if figure.figure == "utilisation"
        }
        assert shown
        pairs = zip(each.before.utilisation.values(), each.after.utilisation.values(), strict=True)
        assert list(shown.values()) == list(pairs)


def test_figures_of_several_clusters_name_the_cluster() -> None:
    session = Session().opened("lost-worker")
    (lost,) = session.cluster_sets
    found = clusters_compared(lost, lost, english(), rest=True)
    assert [each.name for each in found.figures][:2] == ["manager:dispatch", "w1:dispatch"]
    assert all(pair.before == pair.after for each in found.figures for pair in each.figures)
    assert clusters_compared(lost, lost, english()).figures == ()
