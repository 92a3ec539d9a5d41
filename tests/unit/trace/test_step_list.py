"""Steps stored together are the same steps: by index, by part, by what they are about."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest

from kueuelab import scenarios
from kueuelab.bench.cluster_dump import DumpShape, dump_objects
from kueuelab.manifests import load_scenario
from kueuelab.simulation import Player
from kueuelab.trace.cycle_facts import CandidateConsidered
from kueuelab.trace.explain import who_evicted, why
from kueuelab.trace.fact_list import FactSequence
from kueuelab.trace.index import _IN_BLOCKS
from kueuelab.trace.mentions import mentions
from kueuelab.trace.pending_workloads import pending_workloads
from kueuelab.trace.places import Places
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.step import Facts
from kueuelab.trace.step_list import StepBlock, StepList
from kueuelab.trace.trace import Trace


class SingleSteps(Recorder):
    """Stores each step by itself."""

    __slots__ = ()

    def record_all(
        self, all_facts: Sequence[Facts], workload: str = "", cluster_queue: str = ""
    ) -> None:
        for facts in all_facts:
            self.record(facts, workload, cluster_queue)


def recorded(recorder: Recorder, queues: int) -> Trace:
    shape = DumpShape(queues=queues, pending=3, admitted=6)
    Player(load_scenario(list(dump_objects(shape))), recorder).play()
    return Trace.of(recorder)


@pytest.fixture(scope="module")
def traces() -> tuple[Trace, Trace]:
    return recorded(Recorder(), 30), recorded(SingleSteps(), 30)


def test_steps_are_the_same(traces: tuple[Trace, Trace]) -> None:
    together, single = traces
    assert together.steps.has_blocks
    assert not single.steps.has_blocks
    assert list(together) == list(single)
    assert together == single


def test_parts_are_the_same(traces: tuple[Trace, Trace]) -> None:
    together, single = traces
    steps, count = tuple(single), len(single)
    random = Random(0)
    for _ in range(200):
        start, stop = sorted(random.choices(range(count + 1), k=2))
        stop = min(stop, start + random.randrange(400))
        assert together.steps[start:stop] == steps[start:stop]
        assert together[start % count] == steps[start % count]
    assert together[-1] == steps[-1]
    assert together.steps[10:200:7] == steps[10:200:7]
    with pytest.raises(IndexError):
        together[count]


def test_state_is_the_same(traces: tuple[Trace, Trace]) -> None:
    together, single = traces
    random = Random(1)
    for index in random.choices(range(len(single)), k=40):
        assert together.state_at(index) == single.state_at(index)


def test_index_is_the_same(traces: tuple[Trace, Trace]) -> None:
    together, single = traces
    assert together.workloads == single.workloads
    for kind in ("CandidateConsidered", "CandidatesOrdered", "QueueSkipped", "Nominated"):
        assert list(together.of_kind(kind)) == list(single.of_kind(kind))
    for workload in single.workloads[::9]:
        for role in (None, "subject", "candidate", "target", "mentioned"):
            found = together.index.about(workload, role)
            assert list(found) == list(single.index.about(workload, role))
    assert list(together.index.of_queue("team-3")) == list(single.index.of_queue("team-3"))


def test_workloads_are_known_without_telling_steps_apart(
    traces: tuple[Trace, Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, single = traces
    mentioned = {key for step in single.steps for key, _ in mentions(step)}
    expected = mentioned | {step.workload for step in single.steps if step.workload}

    def told_apart(*_: object) -> None:
        raise AssertionError("in a large run there are hundreds of millions")

    together = recorded(Recorder(), 30)
    monkeypatch.setattr(StepBlock, "step", told_apart)
    assert set(together.workloads) == expected
    assert all(map(together.index.knows, expected))
    assert not together.index.knows("default/nobody")


def test_why_workloads_wait_is_told_without_telling_steps_apart(
    traces: tuple[Trace, Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    _, single = traces
    expected = pending_workloads(single)
    assert len(expected) > 50

    def told_apart(*_: object) -> None:
        raise AssertionError("in a large run there are hundreds of millions")

    together = recorded(Recorder(), 30)
    monkeypatch.setattr(StepBlock, "__iter__", told_apart)
    assert pending_workloads(together) == expected


def test_candidates_that_compare_alike_share_their_numbers(traces: tuple[Trace, Trace]) -> None:
    together, _ = traces
    blocks = [entry for entry in together.steps.stored if isinstance(entry, StepBlock)]
    considered = {
        id(facts): facts
        for block in blocks
        for facts in block.all_facts
        if isinstance(facts, CandidateConsidered) and "candidateQueuedAt" not in facts.numbers
    }
    texts = {repr(facts.numbers) for facts in considered.values()}
    numbers = {id(facts.numbers) for facts in considered.values()}
    # Searches of other contested resources or queues may write the same text once more.
    assert len(numbers) <= 4 * len(texts) < len(considered)


def test_storage_grows_with_the_number_of_queues_and_not_with_its_square() -> None:
    small, large = (recorded(Recorder(), queues) for queues in (20, 40))
    assert len(large) > 2.5 * len(small)
    assert len(large.steps.stored) < 2.3 * len(small.steps.stored)


def test_places_are_a_sequence() -> None:
    random = Random(2)
    numbers = sorted(random.sample(range(300), 150))
    places = Places()
    for number in numbers:
        places.append(number)
    assert list(places) == numbers
    assert list(reversed(places)) == numbers[::-1]
    assert [places[at] for at in range(-150, 150)] == [*numbers, *numbers]
    assert places[3:40:5] == numbers[3:40:5]


class _Untold(FactSequence):
    """Facts that nothing may look at."""

    def __len__(self) -> int:
        return 1000

    def fact(self, index: int) -> Facts:
        raise AssertionError("a verdict of another workload was looked at")


def test_an_explanation_leaves_verdicts_on_other_workloads_stored_together():
    trace = scenarios.load("reclaim-1-take-back").run().trace
    for key in ("default/job-1", "default/job-2"):
        steps = StepList()
        for step in trace:
            steps.append(replace(step, index=len(steps)))
            if step.kind == "CycleStarted":
                at = len(steps), step.time, step.cycle, "default/other", "other-queue"
                steps.append(StepBlock(*at, _Untold()))
        assert len(steps) > len(trace)
        others = Trace(steps, trace.name)
        assert why(others, key).as_text() == why(trace, key).as_text()
        assert (who_evicted(others, key) is None) is (who_evicted(trace, key) is None)


def test_an_explanation_takes_no_single_step_out_of_those_stored_together(
    traces: tuple[Trace, Trace], monkeypatch: pytest.MonkeyPatch
) -> None:
    stored, alone = traces
    searching = [step.workload for step in map(alone.__getitem__, alone.of_kind("TargetsChosen"))]
    expected = [why(alone, key).as_text() for key in searching[-3:]]
    monkeypatch.setattr(StepBlock, "step", None)
    assert [why(stored, key).as_text() for key in searching[-3:]] == expected


def test_single_steps_are_those_of_a_workload_without_verdicts(traces: tuple[Trace, Trace]) -> None:
    stored, alone = traces
    for key in stored.workloads[::7]:
        own = set(stored.index.about(key, "subject"))
        singles = stored.index.single_steps(key)
        assert own.issuperset(singles)
        assert list(singles) == sorted(singles)
        assert {stored[index].kind for index in own.difference(singles)} <= _IN_BLOCKS
        assert list(alone.index.single_steps(key)) == list(alone.index.about(key, "subject"))
