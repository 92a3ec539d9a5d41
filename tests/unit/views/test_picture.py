"""The picture in frames: bars and chips add up, arrows of borrowing, what is said of candidates."""

from __future__ import annotations

from collections import Counter
from typing import Any

from kueuelab.model import UNLIMITED
from kueuelab.trace import Trace
from kueuelab.trace.reading import State
from kueuelab.views import Document, RunIndex
from kueuelab.views.frame.maker import FrameMaker


def check_picture(state: State, frame: Any, *, loading: bool = False) -> None:
    tree, bars, chips = (frame.get(name, {}) for name in ("tree", "bars", "chips"))
    assert sorted(node["order"] for node in tree.values()) == list(range(len(tree)))
    for key, bar in bars.items():
        node = tree[bar["node"]]
        if node["kind"] != "ClusterQueue":
            continue
        used = state.cluster_queue(node["name"]).usage.get((bar["flavor"], bar["resource"]), 0)
        # What a cycle reserves for workloads that wait for it is counted, and not in use yet.
        assert bar["used"] + bar.get("reserved", 0) == used
        assert bar.get("borrowed", 0) == max(0, bar["used"] - bar["nominal"])
        assert 0 <= bar.get("lends", 0) <= max(0, bar["nominal"] - bar["used"])
        held = [chip for chip in chips.values() if chip.get("bar") == key]
        solid = sum(chip["amount"] for chip in held if chip.get("role") != "removed")
        assert bar.get("reserved", 0) == sum(chip["amount"] for chip in held if "waits" in chip)
        # What is held, reserved and counted in simulation adds up to what is used.
        assert solid == used or loading
    for queue, node in tree.items():
        if node["kind"] == "Cohort":
            for bar in (bar for bar in bars.values() if bar["node"] == queue):
                below = [
                    each["used"]
                    for each in bars.values()
                    if tree[each["node"]]["kind"] == "ClusterQueue"
                    and is_below(tree, each["node"], queue)
                    and (each["flavor"], each["resource"]) == (bar["flavor"], bar["resource"])
                ]
                assert bar["used"] == sum(below)
                assert bar["used"] + bar.get("reserved", 0) == sum(
                    each["used"] + each.get("reserved", 0)
                    for each in bars.values()
                    if tree[each["node"]]["kind"] == "ClusterQueue"
                    and is_below(tree, each["node"], queue)
                    and (each["flavor"], each["resource"]) == (bar["flavor"], bar["resource"])
                )
                assert bar["nominal"] <= UNLIMITED
    waiting = Counter(chip["workload"] for chip in chips.values() if "queue" in chip)
    for key, count in waiting.items():
        assert not key or (count == 1 and state.workload(key).phase == "Pending")


def is_below(tree: Any, node: str, top: str) -> bool:
    while node:
        if node == top:
            return True
        node = tree[node]["parent"]
    return False


def check_all(trace: Trace, loading: int = 0) -> None:
    maker = FrameMaker(RunIndex(trace))
    maker.go(0)
    for index in range(len(trace)):
        if index:
            maker.next()
        if index < 300 or index % 50 == 0:
            check_picture(trace.state_at(index), maker.frame(), loading=index < loading)


def test_bars_and_chips_add_up(trace: Trace) -> None:
    check_all(trace)


def test_bars_and_chips_add_up_in_curated_cases(curated: dict[str, Trace]) -> None:
    for trace in curated.values():
        cycles = trace.of_kind("CycleStarted")
        # Admitted workloads are there before their quota is counted.
        check_all(trace, loading=cycles[0] if cycles else len(trace))


def test_the_tree_stays_while_jobs_come_and_go(late: Trace) -> None:
    run_index = RunIndex(late)
    first = late.of_kind("WorkloadCreated")[0]
    trees = {id(run_index.tree(index)) for index in range(first, len(late))}
    assert len(trees) == 1


def test_the_tree_reads_from_the_top(late: Trace) -> None:
    tree = Document(late).frame(len(late) - 1)["tree"]
    found = sorted(tree.values(), key=lambda node: node["order"])
    assert [(node["kind"], node["name"], node["depth"]) for node in found] == [
        ("Cohort", "department", 0),
        ("ClusterQueue", "team-a", 1),
        ("LocalQueue", "default/team-a-jobs", 2),
        ("ClusterQueue", "team-b", 1),
        ("LocalQueue", "default/team-b-jobs", 2),
    ]


def test_borrowing_is_an_arrow_from_the_lender(late: Trace) -> None:
    frame = Document(late).frame(late.of_kind("Admitted")[1])
    (arrow,) = frame["arrows"].values()
    assert arrow == {
        "from": "q:team-a|default|cpu",
        "to": "q:team-b|default|cpu",
        "amount": 300,
    }


def test_a_candidate_tells_the_rule(within: Trace) -> None:
    frame = Document(within).frame(within.of_kind("CandidatesOrdered")[1])
    why = {row["workload"]: row["why"] for row in frame["candidates"].values()}
    assert why["default/job-0"] == "priority 100 is not lower than 100 under LowerPriority"
    assert why["default/job-1"] == "priority 10 is lower than 100 under LowerPriority"
    roles = {chip["workload"]: chip.get("role") for chip in frame["chips"].values()}
    assert (roles["default/job-0"], roles["default/job-1"]) == ("excluded", "candidate")


def test_a_skipped_queue_tells_why_and_its_workloads_are_excluded(
    curated: dict[str, Trace],
) -> None:
    found = 0
    for trace in curated.values():
        for index in trace.of_kind("TargetsChosen"):
            frame = Document(trace).frame(index)
            rows = [row for row in frame["candidates"].values() if not row["workload"]]
            assert all(row["why"] for row in rows)
            queues = {row["queue"] for row in rows}
            for chip in frame["chips"].values():
                bar = frame["bars"].get(chip.get("bar"))
                if bar and frame["tree"][bar["node"]]["name"] in queues and chip["workload"]:
                    assert chip["role"] in ("excluded", "target", "removed", "preemptor")
                    found += 1
    assert found > 5
