"""Why a workload of a real cluster is where it is: Kueue's words, and the lab's beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

from kueuelab.live.api import ClusterApi
from kueuelab.live.conditions import condition_of, is_true
from kueuelab.live.errors import LiveError
from kueuelab.live.events import LiveEvent, events_about
from kueuelab.live.queue_positions import Position, positions_in
from kueuelab.live.remembered import remembered
from kueuelab.live.snapshot import Snapshot, take
from kueuelab.live.verdict import Verdict, entry_of, judge_pending
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.loading.names import WorkloadNames
from kueuelab.manifests.result import PastEvent
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model import Condition, Workload, nearest_release
from kueuelab.model.times import format_time
from kueuelab.scheduler import Entry
from kueuelab.simulation import CycleRecord
from kueuelab.trace.status_read import earlier_text, read_status
from kueuelab.trace.unseen_penalties import unseen_penalties
from kueuelab.trace.wording import MessageParts
from kueuelab.whatif.lab import Lab, LabRun

if TYPE_CHECKING:
    from kueuelab.trace.explain import Explanation
    from kueuelab.whatif.report import Report

__all__ = ["LiveAnswer", "lab_of", "verdict_on", "why"]

_SHOWN_EVENTS = 10


@dataclass(frozen=True, slots=True, repr=False)
class LiveAnswer:
    """What Kueue says about a workload, what the lab says, and whether that is the same.

    Attributes
    ----------
    context
        The cluster.
    workload
        ``namespace/name``.
    time
        When it was looked at, in nanoseconds since 1970.
    conditions, events
        Kueue's own words.
    explanation
        The lab's explanation, with the numbers.
    verdict
        Whether they agree.
    report
        What would admit it; ``None`` if it holds quota or is finished.
    notes
        What could not be read, or is not modelled.
    position
        Where it stands in its queue, if it waits and Kueue's visibility API answers.
    """

    context: str
    workload: str
    time: int
    conditions: tuple[Condition, ...]
    events: tuple[LiveEvent, ...]
    explanation: Explanation
    verdict: Verdict
    report: Report | None
    notes: tuple[str, ...] = ()
    position: Position | None = None

    def __repr__(self) -> str:
        return f"<LiveAnswer {self.workload}: {self.verdict}>"

    def __str__(self) -> str:
        return self.as_text()

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return it as plain text in a language; the explanation is in the language of `why`."""
        return "\n".join(self._lines(language_of(language)))

    def _lines(self, catalog: Catalog) -> Iterator[str]:
        time = format_time(self.time)
        yield catalog.text(
            "live.answer.title", workload=self.workload, context=self.context, time=time
        )
        yield "\n" + catalog.text("live.answer.kueue-says")
        for condition in self.conditions:
            yield f"  {condition.type}={condition.status} {condition.reason}: {condition.message}"
        if not self.conditions:
            yield "  " + catalog.text("live.answer.nothing-yet")
        if self.position is not None:
            yield "  " + catalog.text("live.answer.position", position=self.position.as_text())
        for event in self.events[-_SHOWN_EVENTS:]:
            at = format_time(event.time) if event.time else catalog.text("live.answer.no-time")
            yield f"  {at} {event}"
        verdict = catalog.render(self.verdict.as_text())
        if self.verdict.is_ == "agrees":
            verdict = catalog.text("live.answer.lab-agrees", verdict=verdict)
        yield "\n" + verdict[0].upper() + verdict[1:]
        for section in self.explanation.sections:
            yield f"\n{section.title}"
            yield from (f"  {line.text}" for line in section.lines)
        if self.report is not None:
            yield "\n" + self.report.as_text(catalog)
        for note in self.notes:
            yield "\n" + catalog.text("live.answer.note", note=note)

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return {
            "context": self.context,
            "workload": self.workload,
            "time": format_time(self.time),
            "conditions": [
                {"type": c.type, "status": c.status, "reason": c.reason, "message": c.message}
                for c in self.conditions
            ],
            "events": [
                {"type": e.type, "reason": e.reason, "message": e.message, "count": e.count}
                for e in self.events
            ],
            "position": None if self.position is None else asdict(self.position),
            "verdict": {"is": self.verdict.is_, "text": self.verdict.text},
            "story": self.explanation.as_data(),
            "whatWouldAdmit": None if self.report is None else self.report.as_data(),
            "notes": list(self.notes),
        }


def lab_of(snapshot: Snapshot) -> Lab:
    """Return a lab in the state of a snapshot; nothing in it ends by itself.

    It decides as the release of Kueue that is nearest to the cluster's.

    Raises
    ------
    InputError
        If something in the snapshot can't be read.
    """
    spec = load_scenario(list(snapshot.objects), release=nearest_release(snapshot.kueue))
    manifests = replace(spec.manifests, runs={})
    return Lab(replace(spec, name=snapshot.context, start=snapshot.time, manifests=manifests))


def why(api: ClusterApi, workload: str, language: str | Catalog = "en") -> LiveAnswer:
    """Return why a workload of a cluster is where it is.

    Parameters
    ----------
    api
        The cluster; nothing is written to it.
    workload
        ``namespace/name`` of the workload or of its job; the name may do.
    language
        The language of the explanation: a code, or a catalogue of sentences.

    Raises
    ------
    LiveError
        If the cluster cannot be read.
    UnknownObjectError
        If there is no such workload.
    """
    snapshot = take(api)
    return explain(api, snapshot, workload, language)


def explain(
    api: ClusterApi, snapshot: Snapshot, workload: str, language: str | Catalog = "en"
) -> LiveAnswer:
    """Answer from a snapshot; only events and the position are read from the cluster."""
    lab = lab_of(snapshot)
    key = WorkloadNames(lab.spec.manifests.workloads).key_of(workload)
    found = next(each for each in lab.spec.manifests.workloads if each.key == key)
    notes = [*snapshot.notes, *lab.not_modelled, *lab.assumptions]
    namespace, _, name = key.partition("/")
    events: tuple[LiveEvent, ...] = ()
    try:
        events = events_about(api, namespace, name)
    except LiveError as error:
        notes.append(Message("live.left-out.events", error=error))
    run = _with_events(lab, events).run(until=0)
    position = None
    if _is_pending(found) and (cluster_queue := _cluster_queue(snapshot, found)):
        position = positions_in(api, cluster_queue, notes).get(key)
    return LiveAnswer(
        context=snapshot.context,
        workload=key,
        time=snapshot.time,
        conditions=found.status.conditions,
        events=events,
        explanation=run.why(key, _moment(run, key), language),
        verdict=verdict_on(run, lab.spec, found, language),
        report=run.what_would_admit(key, _beginning(run)) if _is_pending(found) else None,
        notes=tuple(notes),
        position=position,
    )


def _with_events(lab: Lab, events: Iterable[LiveEvent]) -> Lab:
    """Return a lab with the events of its workloads."""
    past = tuple(PastEvent(each.object, each.time, each.reason, each.message) for each in events)
    return Lab(replace(lab.spec, manifests=replace(lab.spec.manifests, events=past)))


def _cluster_queue(snapshot: Snapshot, workload: Workload) -> str:
    """Return the ClusterQueue in which a workload waits, ``""`` if there is none."""
    for queue in snapshot.of_kind("LocalQueue"):
        meta = queue["metadata"]
        if (meta["namespace"], meta["name"]) == (workload.namespace, workload.queue_name):
            return str(queue["spec"].get("clusterQueue") or "")
    return ""


def _is_pending(workload: Workload) -> bool:
    return not is_true(workload, "QuotaReserved") and not is_true(workload, "Finished")


def verdict_on(
    run: LabRun, spec: ScenarioSpec, workload: Workload, language: str | Catalog = "en"
) -> Verdict:
    """Return whether the lab decides as Kueue did about a workload.

    Parameters
    ----------
    run
        The lab's run, which goes on from a snapshot.
    spec
        The snapshot.
    workload
        The workload, as Kueue has it.
    language
        The language of what changed.
    """
    if is_true(workload, "Finished"):
        return Verdict("undecided", Message("live.verdict.finished"))
    if not workload.active:
        return Verdict("agrees", Message("live.verdict.deactivated"))
    if not _is_pending(workload):
        return Verdict("undecided", Message("live.verdict.holds-quota"))
    state = run.cluster.workloads[workload.key]
    found = entry_of(run.player.cycles, workload.key)
    lab = state.conditions.get("QuotaReserved")
    earlier = _earlier(run, workload, found, MessageParts(language_of(language)))
    kueue = condition_of(workload, "QuotaReserved")
    verdict = judge_pending(kueue, found, lab, earlier)
    if verdict.is_ not in ("differs", "earlier") or kueue is None or found is None:
        return verdict
    by_memory = remembered(spec, workload, kueue.message, found[1])
    if by_memory is not None or verdict.is_ == "earlier":
        return by_memory or verdict
    queue = found[1].cluster_queue
    charged = unseen_penalties(run.trace, run.trace.state_at(_beginning(run) or 0), queue)
    if charged:
        text = Message("live.verdict.penalty", queues=", ".join(charged), text=verdict.text)
        return Verdict("undecided", text)
    return verdict


def _earlier(
    run: LabRun, workload: Workload, found: tuple[CycleRecord, Entry] | None, words: MessageParts
) -> str:
    """Return what changed between Kueue's last attempt and the lab's; ``""`` if nothing."""
    kueue, evicted = (condition_of(workload, each) for each in ("QuotaReserved", "Evicted"))
    if kueue is not None and evicted is not None and kueue.message == evicted.message != "":
        return Message("live.verdict.not-since-eviction")
    read = read_status(run.trace, workload.key, len(run.trace) - 1)
    changed = "" if read is None else earlier_text(read, words)
    # Quota that others get first can prevent an admission, but not cause one.
    if changed or found is None or found[1].status == "assumed":
        return changed
    cycle = found[0].number
    given = (run.trace[index] for index in run.trace.of_kind("QuotaReserved"))
    names = ", ".join(dict.fromkeys(step.workload for step in given if step.cycle < cycle))
    return Message("live.verdict.quota-first", names=names) if names else ""


def _moment(run: LabRun, key: str) -> int | None:
    """Return the last step of the cycle in which the lab looked at a workload."""
    found = entry_of(run.player.cycles, key)
    if found is None:
        return _beginning(run)
    number = found[0].number
    return max(step.index for step in run.trace if step.cycle == number)


def _beginning(run: LabRun) -> int | None:
    """Return the last step before the lab decides anything."""
    cycles = run.trace.cycles
    if not cycles:
        return len(run.trace) - 1
    return max(cycles[0].first - 1, 0)
