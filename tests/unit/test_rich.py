"""What a notebook shows of objects: a table or a text, and a short line everywhere else."""

from __future__ import annotations

import re

import pytest

import kueuelab as kl
from kueuelab import multikueue, scenarios

RUN = scenarios.load("reclaim-1-take-back").run()
STATE = RUN.state_at(len(RUN.trace) - 1)
SHOWN = {
    "lab": scenarios.load("reclaim-1-take-back"),
    "run": RUN,
    "fork": RUN.fork(0),
    "diff": RUN.diff(RUN),
    "state": STATE,
    "cluster queue": STATE.cluster_queue(STATE.names("ClusterQueue")[0]),
    "cohort": STATE.cohort("department"),
    "timeline": RUN.timeline,
    "pending": kl.pending(RUN),
    "explanation": RUN.why("default/job-1"),
    "report": RUN.what_would_admit("default/job-1"),
    "clusters": multikueue.load("lost-worker").run(),
}


@pytest.mark.parametrize("name", SHOWN)
def test_it_is_shown_in_a_notebook_and_has_a_short_line(name: str) -> None:
    found = SHOWN[name]
    assert found._repr_html_().startswith("<")
    assert len(repr(found)) < 100


def test_a_queue_is_shown_with_its_quota_and_what_is_used_of_it() -> None:
    name = STATE.names("ClusterQueue")[0]
    cells = re.findall(r"<td[^>]*>(.*?)</td>", STATE.cluster_queue(name)._repr_html_())
    assert cells[:4] == ["default", "cpu", "400m", "500m"]
    assert repr(STATE.cluster_queue(name)) == f"<ClusterQueue {name}>"
    assert repr(STATE.cluster_queue("none")) == "<ClusterQueue none, not there>"


def test_dir_has_every_public_name() -> None:
    assert {*kl.__all__, "studio", "teaching", "widgets", "workshop", "sweeps"} <= {*dir(kl)}
    for name in kl.__all__:
        assert getattr(kl, name) is not None
