"""What changes with another release of Kueue: settings, objects, decisions, known bugs."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from kueuelab.errors import InputError
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.messages import Catalog, Message
from kueuelab.model import FeatureGate, Release
from kueuelab.model.release import RULES
from kueuelab.multikueue import MultiKueueScenario
from kueuelab.simulation import Scenario
from kueuelab.simulation.known_bugs import KNOWN_BUGS
from kueuelab.trace.diff import Diff, diff
from kueuelab.trace.trace import Trace

__all__ = ["GateChange", "Upgrade", "gate_changes", "played", "read_as", "upgrade"]


@dataclass(frozen=True, slots=True)
class GateChange:
    """A feature gate that is not the same in both releases.

    Attributes
    ----------
    name
        The gate.
    before, after
        The gate in both releases, ``None`` in one that does not have it.
    written
        What the Configuration sets it to, ``None`` if it does not name it.
    """

    name: str
    before: FeatureGate | None
    after: FeatureGate | None
    written: bool | None = None

    @property
    def kind(self) -> str:
        """What happens to it: ``gone``, ``new``, ``locked``, ``default`` or ``stage``."""
        if self.before is None:
            return "new"
        if self.after is None:
            return "gone"
        if self.after.locked and not self.before.locked:
            return "locked"
        return "stage" if self.after.default == self.before.default else "default"

    @property
    def is_refused(self) -> bool:
        """Whether Kueue does not start any more with what the Configuration sets."""
        if self.written is None:
            return False
        return self.after is None or (self.after.locked and self.written != self.after.default)

    @property
    def text(self) -> str:
        """What happens to it, and what to do, as one sentence."""
        if self.is_refused:
            return Message(
                f"whatif.upgrade.gate.refused.{'gone' if self.after is None else 'locked'}",
                name=self.name,
            )
        values: dict[str, object] = {"name": self.name}
        for side, gate in (("before", self.before), ("after", self.after)):
            if gate is not None:
                values[side] = str(gate.default).lower()
                values[f"{side}_stage"] = gate.stage
        kept = self.kind == "default" and self.written is not None
        return Message(f"whatif.upgrade.gate.{'written' if kept else self.kind}", **values)


@dataclass(frozen=True, slots=True)
class Upgrade:
    """What comes of it if Kueue is replaced by another release.

    Attributes
    ----------
    before, after
        The releases.
    gates
        The feature gates that differ, those first that the Configuration has to change.
    objects
        Objects in a version of Kueue's API that is not served any more.
    rejected
        What the new release refuses in manifests that the old one accepts, a line each.
    decisions
        What differs between the runs under both.
    causes
        What alone makes the first decisions differ: gates, and rules without a gate.
    fixed, brought
        The known bugs that the workloads meet under one release and not under the other.
    """

    before: Release
    after: Release
    gates: tuple[GateChange, ...]
    objects: tuple[str, ...]
    rejected: tuple[str, ...]
    decisions: Diff
    causes: tuple[str, ...] = ()
    fixed: tuple[str, ...] = ()
    brought: tuple[str, ...] = ()

    @property
    def refused(self) -> tuple[GateChange, ...]:
        """The gates with which the new release does not start."""
        return tuple(change for change in self.gates if change.is_refused)

    @property
    def notable(self) -> tuple[GateChange, ...]:
        """The gates with another default, a lock, or new, of which none has to be changed."""
        kinds = ("default", "locked", "new")
        return tuple(each for each in self.gates if each.kind in kinds and not each.is_refused)

    @property
    def is_safe(self) -> bool:
        """Whether nothing has to be changed, and nothing is decided otherwise."""
        to_change = self.refused or self.objects or self.rejected
        return not (to_change or self.decisions.decides_otherwise)

    def as_data(self) -> dict[str, Any]:
        """Return what changes as plain JSON values."""
        return {
            "before": self.before.version,
            "after": self.after.version,
            "gates": [
                {
                    "name": change.name,
                    "change": change.kind,
                    "refused": change.is_refused,
                    "text": str(change.text),
                }
                for change in self.gates
            ],
            "objects": list(self.objects),
            "rejected": list(self.rejected),
            "decisions": self.decisions.as_data(),
            "causes": list(self.causes),
            "fixed": list(self.fixed),
            "brought": list(self.brought),
        }


def upgrade(
    load: Callable[[Release], ScenarioSpec],
    before: Release,
    after: Release,
    catalog: Catalog | None = None,
) -> Upgrade:
    """Play the same under two releases of Kueue, and compare.

    Parameters
    ----------
    load
        Reads what is played, as a release reads it.
    before, after
        The releases.

    Examples
    --------
    >>> from kueuelab.model import release_named
    >>> empty = lambda release: ScenarioSpec(name="empty")
    >>> found = upgrade(empty, release_named("v0.18.6"), release_named("v0.19.2"))
    >>> found.decisions, found.is_safe
    (<Diff: the same>, True)
    >>> [change.name for change in found.gates if change.kind == "default"][:2]
    ['SkipReassignmentForPodOwnedWorkloads', 'TASReplaceNodeDueToNotReadyOverFixedTime']
    """
    spec = load(before)

    def read(release: Release) -> ScenarioSpec:
        return read_as(load, release, spec)[0]

    spec_after, rejected = read_as(load, after, spec)
    one, bugs_before = _played(spec)
    other, bugs_after = _played(spec_after)
    decisions = diff(one, other, catalog)
    return Upgrade(
        before,
        after,
        gate_changes(before, after, spec),
        tuple(_not_served(spec, after)),
        rejected,
        decisions,
        tuple(_causes(read, before, after, one)) if decisions.decides_otherwise else (),
        tuple(text for bug, text in bugs_before.items() if bug not in _ids(after)),
        tuple(text for bug, text in bugs_after.items() if bug not in _ids(before)),
    )


def gate_changes(
    before: Release, after: Release, spec: ScenarioSpec | None = None
) -> tuple[GateChange, ...]:
    """Return the feature gates that differ; what a scenario's Configuration sets comes first."""
    written: dict[str, bool] = {}
    if spec is not None:
        gates = spec.configuration.gates
        written = {**gates.overrides, **gates.left_out}
    names = dict.fromkeys((*before.gates, *after.gates))
    found = [
        GateChange(name, before.gates.get(name), after.gates.get(name), written.get(name))
        for name in names
        if before.gates.get(name) != after.gates.get(name)
    ]
    order = ("default", "locked", "gone", "new", "stage")
    return tuple(sorted(found, key=lambda each: (not each.is_refused, order.index(each.kind))))


def played(spec: ScenarioSpec) -> Trace:
    """Return the record of a run, of one cluster or of several."""
    return _played(spec)[0]


def _played(spec: ScenarioSpec) -> tuple[Trace, dict[str, str]]:
    """Return the record of a run, and what it says of known bugs, by bug."""
    if spec.workers:
        return MultiKueueScenario(spec).run().trace, {}
    run = Scenario(spec).run()
    return run.trace, {each.bug.id: str(each.as_text()) for each in run.known_bugs()}


def _ids(release: Release) -> set[str]:
    return {bug.id for bug in KNOWN_BUGS.get(release.version, ())}


def read_as(
    load: Callable[[Release], ScenarioSpec], release: Release, accepted: ScenarioSpec
) -> tuple[ScenarioSpec, tuple[str, ...]]:
    """Return what is loaded by a release, and what it refuses.

    What it refuses is played as another release accepted it (``accepted``).
    """
    try:
        return load(release), ()
    except InputError as error:
        spec = accepted.of_release(release)
        return spec, tuple(str(problem) for problem in error.problems)


def _not_served(spec: ScenarioSpec, release: Release) -> Iterator[str]:
    """Yield the objects that are written in a version which a release does not serve."""
    for note in spec.notes:
        version = _converted_from(note.message)
        if version and version not in release.api_versions:
            place = "" if note.location is None else f"{note.location}: "
            yield f"{place}{note.object}"


def _converted_from(message: object) -> str:
    """Return the API version of which a note says that it was converted, ``""`` of other notes."""
    if not isinstance(message, Message):
        return ""
    if message.id == "manifests.loader.converted":
        return str(message.values["old"])
    return _converted_from(message.values.get("first"))


def _causes(
    read: Callable[[Release], ScenarioSpec], before: Release, after: Release, run: Trace
) -> Iterator[str]:
    """Yield each gate and rule that alone makes a run under ``before`` decide otherwise."""
    for name in dict.fromkeys((*before.gates, *after.gates)):
        one, other = before.default_of(name), after.default_of(name)
        if one == other or other is None:
            continue
        gate = before.gates.get(name) or after.gates[name]
        if _decides_otherwise(read(before.with_gate(replace(gate, default=other))), run):
            yield name
    rules = {rule: getattr(before, rule) for rule in RULES}
    changed = [rule for rule, value in rules.items() if getattr(after, rule) != value]
    if changed:
        # A rule without its gate decides nothing: all gates are those of the new release.
        kept = played(read(replace(after, **rules)))
        for rule in changed:
            value = getattr(after, rule)
            if _decides_otherwise(read(replace(after, **{**rules, rule: value})), kept):
                yield f"kueue#{RULES[rule]}"


def _decides_otherwise(spec: ScenarioSpec, run: Trace) -> bool:
    return diff(run, played(spec)).decides_otherwise
