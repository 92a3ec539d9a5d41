"""Figures of two runs: at the end, also where no time goes by, and of cohorts with all below."""

from __future__ import annotations

import re

from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.session.figures import figures_table, queue_rows
from kueuelab.session.session import Session
from kueuelab.trace.statistics import statistics
from kueuelab.views.frame.comparison import ComparisonDocument

WORKLOAD = "team-b/job-b-cpu-2-71f14"


def tried() -> Session:
    session = Session().opened("two-teams")
    report = session["two-teams"].run.what_would_admit(WORKLOAD)
    quota = next(each for each in report if each.kind == "quota")
    return session.tried("two-teams", quota)


def test_where_no_time_goes_by_there_is_no_chart_and_the_figures_are_of_the_end() -> None:
    session = tried()
    before, after = (each.run.trace for each in session.branches)
    diff = session.diff(*session.names)
    found = ComparisonDocument(diff, before, after, english()).as_data()
    assert found["charts"] == []
    assert any("no chart over time" in line for line in found["comparison"]["lines"])
    shown = figures_table(before, after, english())
    rows = {
        row[0]: row
        for row in (re.findall(r"<td[^>]*>(.*?)</td>", tr) for tr in shown.split("<tr>"))
        if row
    }
    assert rows["cq-b"][1:3] == ["1 → 2", "3 → 2"], "admitted and pending"
    assert "weighted share" not in shown, "no queue has one"


def test_where_time_goes_by_there_is_a_chart_whose_axis_has_no_title_in_the_legend() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    found = ComparisonDocument(run.diff(run), run.trace, run.trace, english()).as_data()
    (chart,) = found["charts"]
    assert "title" not in chart["layout"]["xaxis"]
    assert chart["layout"]["xaxis"]["ticksuffix"].strip() == "s"
    assert not any("no chart over time" in line for line in found["comparison"]["lines"])


def test_a_cohort_has_the_use_and_the_quota_of_all_below_it() -> None:
    trace = Session().opened("two-teams").branches[0].run.trace
    state = trace.state_at(len(trace) - 1)
    rows = {name: row for (_, name), _, row in queue_rows(state, statistics(trace))}
    assert rows["org"][2].startswith("14/16 cpu/generic")
    assert rows["cq-a"][2].startswith("6/8 cpu/generic")
    assert rows["cq-b"][2].startswith("8/8 cpu/generic")
