"""Every pending workload: its queue, position and age, one sentence why, and the best lever."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.trace.export import load_trace
from kueuelab.trace.pending_workloads import headline
from kueuelab.whatif.lab import LabRun
from kueuelab.whatif.pending import Pending, is_cheap, main_trace_of

QUEUE = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: small}
spec:
  manifests:
  - {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: team-a}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 1}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: team-a, namespace: default}
    spec: {clusterQueue: team-a}
  timeline:
"""


@pytest.fixture(scope="module")
def dump() -> LabRun:
    run = kl.load(scenarios.dump("two-teams")).run()
    assert isinstance(run, LabRun)
    return run


@pytest.fixture(scope="module")
def found(dump: LabRun) -> Pending:
    """What is pending in it, each with what would admit it."""
    return kl.pending(dump)


def test_a_workload_that_names_no_queue_has_a_dash_for_it() -> None:
    late = """
    apiVersion: kueue.x-k8s.io/v1beta2
    kind: Workload
    metadata: {name: late}
    spec:
      podSets:
      - name: main
        count: 1
        template: {spec: {restartPolicy: Never, containers: [{name: main, image: i}]}}
    """
    title = kl.pending(kl.load(late).run(), levers=False).as_text().splitlines()[1]
    assert title == "    -  default/late (LocalQueue -, priority 0, age 0s)"


def test_a_dump_has_one_row_for_each_pending_workload(dump: LabRun, found: Pending) -> None:
    assert [(row.about.cluster_queue, row.about.position, row.about.pending) for row in found] == [
        ("cq-b", 1, 3),
        ("cq-b", 2, 3),
        ("cq-b", 3, 3),
    ]
    assert [row.about.why for row in found] == [
        "It does not fit: 8 cpu requested, 2 available in generic (cq-b uses 8 and cq-a uses 6).",
        "It does not fit: 4 cpu requested, 2 available in generic (cq-b uses 8 and cq-a uses 6).",
        "It does not fit: 4 cpu requested, 2 available in generic (cq-b uses 8 and cq-a uses 6); "
        "8 nvidia.com/gpu requested, 4 available in gpu-h100 (cq-a uses 12).",
    ]
    # The dump was taken 8 s after the first two were created.
    assert [row.about.age_text for row in found] == ["8s", "8s", "3s"]
    for row in found:
        assert row.lever is not None
        changed = dump.fork().change(*row.lever.changes).run()
        assert changed.cluster.workloads[row.about.workload].has_quota_reservation


def test_levers_are_searched_only_where_that_is_asked_for_or_quick(dump: LabRun) -> None:
    assert all(row.report is None and not row.lever_text for row in kl.pending(dump, levers=False))
    many = "".join(
        f"  - {{at: 0s, submit: {{job: j{i}, queue: team-a, requests: {{cpu: 1}}}}}}\n"
        for i in range(12)
    )
    run = kl.load(QUEUE + many).run()
    found = kl.pending(run)
    assert len(found) == 11
    assert all(row.report is None for row in found)


def test_the_record_of_a_run_is_enough_without_levers(dump: LabRun, tmp_path: Path) -> None:
    dump.save(tmp_path / "run.json.gz")
    saved = kl.pending(load_trace(tmp_path / "run.json.gz"))
    assert [row.about for row in saved] == [row.about for row in kl.pending(dump, levers=False)]


def test_positions_follow_priority_then_time() -> None:
    jobs = [("a", 1, 0), ("low", 2, 0), ("high", 3, 100), ("low-2", 4, 0)]
    lines = "".join(
        f"  - {{at: {at}s, submit: {{job: {name}, queue: team-a, "
        f"requests: {{cpu: 1}}, priority: {priority}}}}}\n"
        for name, at, priority in jobs
    )
    found = kl.pending(kl.load(QUEUE + lines).run(), levers=False)
    assert [(row.about.position, row.about.workload) for row in found] == [
        (1, "default/high"),
        (2, "default/low"),
        (3, "default/low-2"),
    ]


def test_a_workload_without_a_queue_has_no_position() -> None:
    line = "  - {at: 0s, submit: {job: j, queue: nowhere, requests: {cpu: 1}}}\n"
    found = kl.pending(kl.load(QUEUE + line).run(), levers=False)
    (row,) = found
    assert (row.about.position, row.about.cluster_queue) == (0, "")
    assert (found.as_table()[0]["queue"], found.as_table()[0]["position"]) == ("-", "-")
    assert found.as_text().splitlines() == [
        "in no ClusterQueue: 1 pending workload",
        "    -  default/j (LocalQueue nowhere, priority 0, age 0s)",
        "       Its LocalQueue nowhere does not exist in namespace default.",
    ]


def test_the_same_as_text_table_data_and_html(found: Pending) -> None:
    rows = found.as_table()
    html = found._repr_html_()
    for row, data in zip(rows, found.as_data(), strict=True):
        assert (row["workload"], row["why"]) == (data["workload"], data["why"])
        assert row["why"] in found.as_text()
        assert row["lever"] in found.as_text()
        assert row["why"] in html
    assert html.count("<tr>") == 1 + len(found)


def test_names_in_html_are_text(dump: LabRun) -> None:
    (row, *_) = kl.pending(dump, levers=False)
    hostile = replace(row, about=replace(row.about, why="<script>"))
    html = Pending((hostile,), english())._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


def test_lines_are_broken_between_words_where_a_terminal_ends(found: Pending) -> None:
    for width in range(40, 100):
        text = found.as_text(width)
        assert all(len(line) <= width for line in text.splitlines())
        assert re.sub(r"\s+", " ", text) == re.sub(r"\s+", " ", found.as_text())


def test_one_queue_can_be_asked_for(dump: LabRun) -> None:
    assert repr(kl.pending(dump, queue="cq-b", levers=False)) == "<Pending: 3 workloads>"
    assert repr(kl.pending(dump, queue="cq-a", levers=False)) == "<Pending: 0 workloads>"


def test_data_has_the_lever_as_data(dump: LabRun, found: Pending) -> None:
    for row in found:
        assert row.lever is not None
        assert (row.as_data()["leverSearched"], row.as_data()["lever"]) == (
            True,
            row.lever.as_data(),
        )
    (row, *_) = kl.pending(dump, levers=False)
    assert (row.as_data()["leverSearched"], row.as_data()["lever"]) == (False, None)


def test_nothing_pending_is_said() -> None:
    found = kl.pending(kl.load("{apiVersion: v1, kind: Namespace, metadata: {name: a}}").run())
    assert (len(found), found.as_text()) == (0, "No workload is pending.")
    assert found._repr_html_() == "<p>No workload is pending.</p>"


def test_several_clusters_are_asked_at_the_manager() -> None:
    run = scenarios.load("no-worker-connected").run()
    assert [row.lever_text for row in kl.pending(run)] == [""]
    assert [row.about for row in kl.pending(run.trace)] == [row.about for row in kl.pending(run)]
    assert len(kl.pending(run)) == sum(
        view.phase in ("Pending", "QuotaReserved")
        for view in run.main_trace.state_at(len(run.main_trace) - 1).workloads.values()
    )


@pytest.mark.parametrize(
    "name", ["cohort-1-borrowing", "checks-1-flexible-start", "topology-1-required"]
)
def test_each_has_a_sentence_at_each_step(name: str) -> None:
    trace = scenarios.load(name).run().trace
    for at in range(0, len(trace), 7):
        for row in kl.pending(trace, at):
            assert row.about.why.endswith((".", ")"))
            assert headline(trace, row.about.workload, at).startswith(row.about.workload)


def test_the_record_of_one_cluster_is_taken_as_it_is(dump: LabRun) -> None:
    assert main_trace_of(dump) is dump.trace
    assert main_trace_of(dump.trace) is dump.trace


def test_another_language(dump: LabRun) -> None:
    (english_row, *_), (row, *_) = (
        kl.pending(dump, language=language, levers=False).as_data() for language in ("en", "en-XA")
    )
    assert row["workload"] == english_row["workload"]
    assert row["why"] != english_row["why"]
    text = kl.pending(dump, language="en-XA").as_text()
    assert "pending" not in text.replace("kueue", "")


def test_the_whole_text_of_a_small_run() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    assert repr(kl.pending(run, levers=False)) == "<Pending: 1 workload>"
    assert kl.pending(run).as_text(88).splitlines() == [
        "team-b: 1 pending workload",
        "    1  default/job-1 (LocalQueue team-b-jobs, priority 10, age 3s)",
        "       It does not fit: 500m cpu requested, 300m available in default (team-a uses",
        "       400m), and to borrow it may not preempt (borrowWithinCohort is Never; another",
        "       policy would not help either, as team-b uses nothing of it and no other",
        "       ClusterQueue of its cohort borrows).",
        "       What would admit it: raise the nominal quota of ClusterQueue team-b by 200m",
        "       cpu/default; it evicts no workload.",
    ]


def test_queues_are_apart() -> None:
    lines = "".join(
        f"  - {{at: {at}s, submit: {{job: {name}, queue: {queue}, requests: {{cpu: 2}}}}}}\n"
        for at, name, queue in ((0, "a", "team-a"), (0, "a2", "team-a"), (1, "b", "nowhere"))
    )
    text = kl.pending(kl.load(QUEUE + lines).run(), levers=False).as_text().splitlines()
    (at,) = [place for place, line in enumerate(text) if not line]
    assert [text[0], text[at + 1]] == [
        "in no ClusterQueue: 1 pending workload",
        "team-a: 2 pending workloads",
    ]
    assert "default/b (LocalQueue nowhere, priority 0" in text[1]


def test_a_long_name_is_not_broken() -> None:
    name = "a-" * 25 + "b"
    line = f"  - {{at: 0s, submit: {{job: {name}, queue: nowhere, requests: {{cpu: 1}}}}}}\n"
    found = kl.pending(kl.load(QUEUE + line).run(), levers=False)
    assert f"default/{name}" in found.as_text(40).split()


@pytest.mark.parametrize(
    ("running", "waiting", "cheap"), [(32, 8, True), (33, 8, False), (31, 9, False), (1, 8, True)]
)
def test_a_search_is_cheap_in_a_small_cluster_with_few_that_wait(
    running: int, waiting: int, cheap: bool
) -> None:
    jobs = [(f"r{number}", "1m") for number in range(running)]
    jobs += [(f"w{number}", "2") for number in range(waiting)]
    lines = "".join(
        f"  - {{at: 0s, submit: {{job: {name}, queue: team-a, requests: {{cpu: {cpu}}}}}}}\n"
        for name, cpu in jobs
    )
    run = kl.load(QUEUE + lines).run()
    assert len(kl.pending(run, levers=False)) == waiting
    assert is_cheap(run) is cheap
    assert not is_cheap(run, at=len(run.trace) - 1)


def test_at_a_step_levers_are_those_of_that_step() -> None:
    lines = "".join(
        f"  - {{at: {at}s, submit: {{job: {name}, queue: team-a, requests: {{cpu: {cpu}}}}}}}\n"
        for at, name, cpu in ((1, "a", "600m"), (2, "b", "600m"))
    )
    run = kl.load(QUEUE + lines + "  - {at: 9s, finish: default/a}\n").run()
    then = run.trace.of_kind("Requeued")[0]
    (row,) = kl.pending(run, then)
    assert row.report is None
    (row,) = kl.pending(run, then, levers=True)
    assert row.about.workload == "default/b"
    assert row.report == run.what_would_admit("default/b", then)
    assert not kl.pending(run)
