"""Every dump that is there: what it says of each workload is told, and so is what the lab says."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

import kueuelab as kl
from kueuelab.model import Workload
from kueuelab.trace.dump_summary import differences, dump_summary

ROOT = Path(__file__).parents[3]
LIVE = ROOT.parent / "shared" / "live"

_WORDS = {
    "Pending": "pending",
    "QuotaReserved": "not admitted yet, with quota reserved in ",
    "Admitted": "admitted by ",
    "Evicted": "evicted, and holds its quota in ",
    "Finished": "finished",
}


def _dumps() -> Iterator[Path]:
    yield from sorted(LIVE.glob("recorded/dump-*.yaml"))
    yield from sorted(LIVE.glob("recorded/**/before"))
    yield from sorted(path for path in LIVE.glob("snapshots/*/*") if path.is_dir())
    yield from sorted(LIVE.glob("scenarios/*/before"))
    yield from sorted(LIVE.glob("scenarios/*/final"))
    yield from sorted((ROOT / "exercises").glob("*/start.yaml"))


def _true(workload: Workload, type_: str) -> bool:
    return any(c.type == type_ and c.status == "True" for c in workload.status.conditions)


def _phase(workload: Workload) -> str:
    """What Kubernetes' own fields say, read once more without the code under test."""
    if _true(workload, "Finished"):
        return "Finished"
    if _true(workload, "QuotaReserved"):
        if _true(workload, "Evicted"):
            return "Evicted"
        return "Admitted" if _true(workload, "Admitted") else "QuotaReserved"
    return "Pending"


def _message(workload: Workload) -> str:
    found = (c.message for c in workload.status.conditions if c.type == "QuotaReserved")
    return next(found, "")


def _looked(workload: Workload) -> bool:
    """Tell whether the message is of a look at the pending workload, not of its eviction."""
    evicted = next((c for c in workload.status.conditions if c.type == "Evicted"), None)
    message = _message(workload)
    return bool(message) and (evicted is None or evicted.message != message)


def _changed_since(other: Workload, workload: Workload) -> bool:
    """Tell whether another workload got quota, lost it or finished after Kueue looked."""
    looked = next(
        c.last_transition_time for c in workload.status.conditions if c.type == "QuotaReserved"
    )
    return other.key != workload.key and any(
        c.last_transition_time >= looked
        for c in other.status.conditions
        if c.type in ("QuotaReserved", "Evicted", "Finished")
    )


def _check(run: Any, workload: Workload, others: Iterable[Workload]) -> None:
    key, phase = workload.key, _phase(workload)
    explanation = run.why(key)
    section = explanation.sections[0]
    assert section.id == "dump", key
    said, lab = section.lines[0], section.lines[-1]
    expected = "deactivated" if phase == "Pending" and not workload.active else _WORDS[phase]
    assert said.text.startswith(f"The dump says: {expected}"), key
    if workload.status.admission is not None and phase != "Finished":
        assert workload.status.admission.cluster_queue in said.text, key
    if phase == "Pending" and _message(workload):
        assert any(line.text.endswith(_message(workload)) for line in section.lines), key
    state = run.cluster.workloads[key]
    now = run.trace.state_at(len(run.trace) - 1).workload(key).phase
    moved = now != phase
    if now == phase == "Pending" and _message(workload):
        condition = state.conditions.get("QuotaReserved")
        moved = condition is None or condition.message != _message(workload)
    if moved and phase == "Pending" and not _looked(workload):
        assert lab.verdict == "agrees", key
        assert lab.text.startswith("Kueue had not "), key
    elif moved and phase == "Pending" and lab.verdict == "earlier":
        assert any(_changed_since(other, workload) for other in others), key
    elif moved and lab.verdict == "memory":
        # Which flavors the last attempt tried is in the message; where the next begins is not.
        assert _message(workload).startswith(("couldn't assign", "Workload")), key
        assert "Kueue keeps that in memory" in lab.text, key
    elif moved:
        assert lab.verdict == "differs", (key, lab.text)
        assert lab.text.startswith("THE LAB DIFFERS FROM THE DUMP"), key
    if phase == "Pending":
        # Whatever the dump's conditions say of evictions is told, with the preemptor's name.
        evicted = next((c for c in workload.status.conditions if c.type == "Evicted"), None)
        if evicted is not None and evicted.status == "True":
            eviction = run.who_evicted(key)
            assert eviction is not None, key
            assert eviction.message == evicted.message or eviction.cycle, key
            assert not eviction.preemption_reason or eviction.preemptor_path, key


@pytest.mark.parametrize(
    "path", list(_dumps()), ids=lambda path: str(path.relative_to(ROOT.parent))
)
def test_every_workload_is_reported_as_the_dump_has_it(path: Path) -> None:
    lab = kl.load(path)
    assert isinstance(lab, kl.Lab)
    run = lab.run(until=0)
    told = [w for w in lab.spec.manifests.workloads if w.status.conditions]
    for workload in told:
        _check(run, workload, told)
    lines = list(dump_summary(run.trace))
    assert bool(lines) == bool(told)
    if told:
        assert str(len(told)) in lines[0] or len(told) == 1
    assert any("DIFFERS" in line or "other reason" in line for line in lines) == bool(
        differences(run.trace)
    )
