"""What is kept of a cluster that is followed on and on: bounded by count, whatever the time."""

from __future__ import annotations

import gc
import sys
import types
from dataclasses import replace
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "simulation"))
from simulation_lab import Lab, flavor, local, make_lab, queue, work

from kueuelab.live.decisions import Counts
from kueuelab.live.mirror import Mirror
from kueuelab.live.record_window import EVERYTHING, Keep
from kueuelab.live.saved_parts import SavedParts
from kueuelab.manifests.encode import encode_object
from kueuelab.model import WorkloadStatus
from kueuelab.trace import Trace
from kueuelab.trace.export import load_trace
from kueuelab.trace.steps import EventEmitted

OBJECTS = (
    flavor("fa"),
    flavor("fb"),
    queue("a", "2", "fa fb", cohortName="all"),
    queue("b", "2", "fa fb", cohortName="all"),
    local("a-lq", "a"),
    local("b-lq", "b"),
)


class Busy:
    """A cluster in which jobs come, are admitted or wait, end and are deleted, again and again."""

    def __init__(self, window: Keep, parts: list[Trace] | None = None) -> None:
        self.lab: Lab = make_lab(*OBJECTS)
        self.written: list[str] = []
        self.lab.cluster.plane.on_write = self.written.append
        cluster = self.lab.cluster
        on_complete = None if parts is None else parts.append
        self.mirror = Mirror(
            cluster.configuration, cluster.now, "busy", window=window, on_complete=on_complete
        )
        self.mirror.load([encode_object(obj) for obj in cluster.objects])
        self.number = 0

    def _show(self) -> None:
        keys, self.written[:] = list(dict.fromkeys(self.written)), []
        for key in keys:
            state = self.lab.cluster.workloads[key]
            conditions = tuple(state.conditions.values())
            status = WorkloadStatus(conditions=conditions, admission=state.admission)
            body = encode_object(replace(state.obj, status=status))
            body["metadata"]["uid"] = f"uid-{key}"
            self.mirror.feed(self.lab.cluster.now, "MODIFIED", body)

    def go_on(self, rounds: int, seconds: float = 5) -> None:
        """Let so many rounds of jobs pass: of four, one has to wait for another to end."""
        cluster = self.lab.cluster
        for _ in range(rounds):
            self.number += 1
            names = [f"job-{self.number}-{each}" for each in range(4)]
            for name, queue_name in zip(names, ("a-lq", "b-lq") * 2, strict=True):
                self.lab.create(work(name, "3", queue_name=queue_name))
                self._show()
            for _ in range(8):
                cluster.cycle()
                self._show()
                running = [key for key, state in cluster.workloads.items() if state.is_admitted]
                for key in running:
                    if not cluster.workloads[key].is_finished:
                        cluster.finish(key)
                self._show()
                self.lab.wait(seconds / 8)
                self._show()
            for key in list(cluster.workloads):
                assert cluster.workloads[key].is_finished
                cluster.delete_workload(key)
                namespace, name = key.split("/")
                gone = {"kind": "Workload", "metadata": {"name": name, "namespace": namespace}}
                self.written.clear()
                self.mirror.feed(cluster.now, "DELETED", gone)


def reachable(root: object) -> int:
    """Return how many objects can be reached from one, without code and classes."""
    code = (type, types.ModuleType, types.FunctionType, types.MethodType, types.BuiltinMethodType)
    seen, waiting = {id(root)}, [root]
    while waiting:
        for each in gc.get_referents(waiting.pop()):
            if id(each) not in seen and not isinstance(each, code):
                seen.add(id(each))
                waiting.append(each)
    return len(seen)


def test_what_is_kept_is_bounded_by_count_not_by_time() -> None:
    busy = Busy(Keep(decisions=40))
    sizes = []
    for _ in range(4):
        busy.go_on(30)
        sizes.append(reachable(busy.mirror))
        assert 40 <= len(busy.mirror.decisions) <= 80
        assert len(busy.mirror.seen) <= 80
    # After the first 30 rounds it is as large as it gets.
    assert max(sizes[1:]) < 1.3 * sizes[0]
    everything = Busy(EVERYTHING)
    everything.go_on(120)
    assert reachable(everything.mirror) > 3 * max(sizes)
    assert everything.mirror.counts == busy.mirror.counts
    assert len(everything.mirror.decisions) == busy.mirror.counts.judged


def test_the_same_decisions_in_more_time_take_no_more() -> None:
    slow, fast = Busy(Keep(decisions=40)), Busy(Keep(decisions=40))
    slow.go_on(40, seconds=600)
    fast.go_on(40)
    assert slow.mirror.counts == fast.mirror.counts
    assert reachable(slow.mirror) < 1.1 * reachable(fast.mirror)


def test_older_decisions_are_counted_and_the_later_are_judged_as_if_all_were_kept() -> None:
    bounded, everything = Busy(Keep(decisions=20)), Busy(EVERYTHING)
    for busy in (bounded, everything):
        busy.go_on(20)
        busy.mirror.settle()
    assert bounded.mirror.forgotten.judged > 0
    assert (
        bounded.mirror.counts == everything.mirror.counts == Counts.of(everything.mirror.decisions)
    )
    last = len(bounded.mirror.decisions)
    assert list(map(str, bounded.mirror.decisions)) == list(
        map(str, everything.mirror.decisions[-last:])
    )


def marks(trace: Trace) -> list[str]:
    """Return the decisions that a record has, in their order."""
    found = [step.facts for step in trace if isinstance(step.facts, EventEmitted)]
    return [str(facts.message) for facts in found if "Kueue" in facts.reason]


def test_complete_parts_follow_one_another_without_a_gap() -> None:
    parts: list[Trace] = []
    busy, everything = Busy(Keep(decisions=20), parts), Busy(EVERYTHING)
    for each in (busy, everything):
        each.go_on(30)
        each.mirror.settle()
    assert len(parts) > 2
    found = [mark for part in (*parts, busy.mirror.last_trace) for mark in marks(part)]
    assert found == marks(everything.mirror.trace)
    # Each begins with what was there, so that it can be read by itself.
    assert all(part.state_at(len(part) - 1).queues for part in parts)


def test_minutes_bound_it_too() -> None:
    busy = Busy(Keep(minutes=1, steps=None))
    busy.go_on(60)
    times = [decision.observed.time for decision in busy.mirror.decisions]
    assert 60 <= (busy.mirror.now - times[0]) / 1e9 <= 130


def test_steps_bound_it_whatever_else_is_asked_for() -> None:
    busy = Busy(Keep(decisions=1_000_000, steps=500))
    busy.go_on(30)
    assert len(busy.mirror.trace) < 1_500
    assert busy.mirror.forgotten.judged > 0


def test_parts_are_files_that_can_be_opened(tmp_path: Path) -> None:
    saved = SavedParts(tmp_path / "run.json.gz")
    busy = Busy(Keep(decisions=20))
    busy.mirror._record._on_complete = saved.next
    busy.go_on(20)
    saved.last(busy.mirror.last_trace)
    names = sorted(file.name for file in tmp_path.iterdir())
    assert names[0] == "run-0001.json.gz"
    assert names[-1] == "run.json.gz"
    assert len(names) == saved.count + 1 > 2
    assert len(marks(load_trace(tmp_path / "run-0001.json.gz"))) >= 40


@pytest.mark.parametrize("name", ["run.txt", "run"])
def test_a_name_that_does_not_say_what_to_write_is_refused_at_once(name: str) -> None:
    with pytest.raises(Exception, match="ending"):
        SavedParts(name)


def test_a_window_of_some_decisions() -> None:
    keep = Keep(decisions=3)
    assert keep.is_reached(3, 0, 0)
    assert not keep.is_reached(2, 10**18, 0)
    assert keep.is_reached(0, 0, 250_000)
