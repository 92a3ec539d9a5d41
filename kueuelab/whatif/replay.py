"""Playing a scenario again with changes on the way: the branches of a run."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass, replace

from kueuelab.manifests import Manifests, ScenarioSpec
from kueuelab.manifests.scenario import Action, Apply, Delete, Remove, Submit
from kueuelab.model import ModelObject, Workload
from kueuelab.model.times import from_seconds
from kueuelab.simulation import Player
from kueuelab.simulation.player import DEFAULT_START
from kueuelab.trace.recorder import Recorder
from kueuelab.whatif.changes import Change, Edit, LookAgain, carry_out
from kueuelab.whatif.configuring import Configure, configured
from kueuelab.whatif.fields import edited
from kueuelab.whatif.references import ObjectIndex, Reference

__all__ = ["Branch", "at_the_start", "objects_at", "player_at", "replay"]


@dataclass(frozen=True, slots=True)
class Branch:
    """Where a run leaves its path, and what is different from there on.

    Attributes
    ----------
    step
        The step at which; the changes come at the next moment at which nothing is under
        way: before the first cycle of an instant, or after a cycle. ``None`` for a time: the
        clock goes on to it, all that is due until then is done, and then the changes.
    time
        When that is, in nanoseconds since 1970.
    changes
        What is done there.
    """

    step: int | None
    time: int
    changes: tuple[Change, ...]


class _StoppedError(Exception):
    """The place was reached at which a replay was to stop."""


class _Replay:
    """Plays, and carries the changes out as their places are reached.

    ``carried_out`` says of each branch, in order, before which step and when.
    """

    def __init__(
        self, spec: ScenarioSpec, branches: Iterable[Branch], recorder: Recorder, stop: int | None
    ) -> None:
        self.player = Player(spec, recorder)
        self.player.on_pause = self._pause
        self.carried_out: list[tuple[int, int]] = []
        self._recorder = recorder
        self._branches = list(branches)
        self._stop = stop

    def play(self, end: int | None) -> Player:
        player = self.player
        with suppress(_StoppedError):
            self._play_to(end)
        player.on_pause = None
        return player

    def _play_to(self, end: int | None) -> None:
        player = self.player
        while self._branches:
            timed = next((branch for branch in self._branches if branch.step is None), None)
            if timed is not None and end is not None and timed.time > end:
                break
            # A loop that takes time is left again by a change at a later time.
            player.stops_at_recurrence = timed is None
            player.play(end if timed is None else timed.time)
            player.stops_at_recurrence = True
            # What is left came after the last moment at which a change could be made.
            if not self._branches:
                return
            self._carry_out(self._branches.pop(0))
        player.play(end)

    def _pause(self) -> bool:
        recorded = len(self._recorder.steps)
        branches = self._branches
        changed = False
        while branches and branches[0].step is not None and recorded > branches[0].step:
            changed = bool(branches[0].changes) or changed
            self._carry_out(branches.pop(0))
        if self._stop is not None and recorded > self._stop:
            raise _StoppedError
        return changed

    def _carry_out(self, branch: Branch) -> None:
        self.carried_out.append((len(self._recorder.steps), self.player.cluster.now))
        if branch.changes:
            self.player.intervene()
        for change in branch.changes:
            carry_out(self.player, change)


def replay(
    spec: ScenarioSpec, branches: Iterable[Branch], recorder: Recorder, until: float | None = None
) -> tuple[Player, tuple[tuple[int, int], ...]]:
    """Play a scenario to its end, or for so many seconds, with changes on the way.

    Returns the player, and of each branch before which step and when it was carried out.
    """
    run = _Replay(spec, branches, recorder, None)
    player = run.play(None if until is None else run.player.start + from_seconds(until))
    return player, tuple(run.carried_out)


def player_at(
    spec: ScenarioSpec, branches: Iterable[Branch], step: int | None, time: int | None
) -> Player:
    """Return a player that stands where a fork would make its changes.

    That is the next moment after a step at which nothing goes on, or, without a step, a time
    (ns since 1970) when all that is due is done.
    """
    return _Replay(spec, branches, Recorder(), step).play(time if step is None else None)


# --- what there is, and what there is to begin with ----------------------------------------


def objects_at(spec: ScenarioSpec, branches: Iterable[Branch], time: int | None) -> ObjectIndex:
    """Return the objects that there are at a time (ns since 1970).

    They are as they were written, whatever became of them. ``None`` is the whole run: every
    workload that there ever is, deleted or not.
    """
    index = ObjectIndex(spec.manifests, spec.aliases)
    start = DEFAULT_START if spec.start is None else spec.start
    happenings: list[tuple[int, Change]] = [(start + a.at, a) for a in spec.timeline]
    for branch in branches:
        happenings += [(branch.time, change) for change in branch.changes]
    for when, change in sorted(happenings, key=lambda each: each[0]):
        if time is None and isinstance(change, Delete):
            continue
        if time is None or when <= time:
            happen(index, change)
    return index


def happen(index: ObjectIndex, change: Change) -> None:
    """Put what a change creates into an index, and take away what it deletes."""
    match change:
        case Submit(workloads=workloads):
            for workload in workloads:
                index.put(workload)
        case Apply(objects=objects):
            for obj in objects:
                index.put(obj)
        case Remove(kind=kind, name=name, namespace=namespace):
            index.drop(Reference(kind, namespace, name))
        case Delete(workload=key):
            index.drop(Reference.of_workload(key))
        case Edit(object=object_, values=values):
            index.put(edited(index[object_], values))


def at_the_start(spec: ScenarioSpec, change: Change) -> ScenarioSpec:
    """Return a scenario that begins with a change.

    An edit of a workload that is submitted later changes what is submitted.
    """
    match change:
        case Edit(object=object_, values=values):
            return _edited(spec, object_, values)
        case Apply(objects=objects):
            for obj in objects:
                spec = replace(spec, manifests=_with_object(spec.manifests, obj))
            return spec
        case Remove():
            return replace(spec, manifests=_without_object(spec.manifests, change))
        case Configure(values=values):
            return replace(spec, configuration=configured(spec.configuration, values))
        case LookAgain():
            return spec  # Kueue looks at all in the beginning.
    index = sum(action.at <= 0 for action in spec.timeline)
    timeline = (*spec.timeline[:index], change, *spec.timeline[index:])
    return replace(spec, timeline=timeline)


def _edited(spec: ScenarioSpec, object_: Reference, values: object) -> ScenarioSpec:
    assert isinstance(values, dict)
    for obj in spec.manifests.objects.get(object_.kind, ()):
        if Reference.of(obj) == object_:
            new = edited(obj, values)
            return replace(spec, manifests=_with_object(spec.manifests, new))
    timeline = tuple(_edited_action(action, object_, values) for action in spec.timeline)
    return replace(spec, timeline=timeline)


def _edited_action(action: Action, object_: Reference, values: dict[str, object]) -> Action:
    if isinstance(action, Submit):
        workloads = [_edited_object(each, object_, values) for each in action.workloads]
        return replace(action, workloads=tuple(w for w in workloads if isinstance(w, Workload)))
    return action


def _edited_object(obj: ModelObject, object_: Reference, values: dict[str, object]) -> ModelObject:
    return edited(obj, values) if Reference.of(obj) == object_ else obj


def _with_object(manifests: Manifests, obj: ModelObject) -> Manifests:
    kind = type(obj).__name__
    known = manifests.objects.get(kind, ())
    reference = Reference.of(obj)
    if any(Reference.of(each) == reference for each in known):
        found = tuple(obj if Reference.of(each) == reference else each for each in known)
    else:
        found = (*known, obj)
    return replace(manifests, objects={**manifests.objects, kind: found})


def _without_object(manifests: Manifests, removed: Remove) -> Manifests:
    reference = Reference(removed.kind, removed.namespace, removed.name)
    known = manifests.objects.get(removed.kind, ())
    kept = tuple(obj for obj in known if Reference.of(obj) != reference)
    return replace(manifests, objects={**manifests.objects, removed.kind: kept})
