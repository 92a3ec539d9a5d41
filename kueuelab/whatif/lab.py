"""The lab: a scenario to run, to ask and to change; what `kueuelab.load` gives."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar, overload

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Problem, UnknownObjectError
from kueuelab.messages import Catalog, Message, language_of
from kueuelab.model.times import format_duration
from kueuelab.simulation import Player, Run, Scenario
from kueuelab.trace.html import table
from kueuelab.trace.recorder import Recorder
from kueuelab.trace.timeline import timeline_text
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.fork import Fork
from kueuelab.whatif.moments import moment_of, moment_of_fork
from kueuelab.whatif.replay import Branch, replay

if TYPE_CHECKING:
    from kueuelab.simulation.scenario_backend import ScenarioBackend
    from kueuelab.whatif.loops import LoopReport
    from kueuelab.whatif.report import Report
    from kueuelab.whatif.table import Timeline

__all__ = ["Lab", "LabRun"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True, repr=False)
class Lab(Scenario):
    """A scenario, ready to run as often as wanted; every run is the same to the byte.

    Attributes
    ----------
    spec
        What was written.
    branches
        What is different from it on the way.

    Examples
    --------
    >>> from kueuelab.manifests import ScenarioSpec
    >>> lab = Lab(ScenarioSpec(name="empty"))
    >>> lab, lab.run()
    (<Lab empty: 0 objects, 0 actions>, <Run empty: 0 workloads, 0 cycles, 0s>)
    """

    branches: tuple[Branch, ...] = ()

    def __repr__(self) -> str:
        spec = self.spec
        forks = len(self.branches)
        forked = f", {forks} fork{'s' * (forks != 1)}" if forks else ""
        return (
            f"<Lab {spec.name or 'unnamed'}: {len(spec.manifests)} objects, "
            f"{len(spec.timeline)} actions{forked}>"
        )

    def _repr_html_(self) -> str:
        """Return its title, and how many objects of each kind it has, for a notebook."""
        counts = Counter(type(each).__name__ for each in self.spec.manifests)
        rows = [(kind, str(count)) for kind, count in counts.items()]
        return table(("kind", "objects"), rows, self.title or repr(self).strip("<>"))

    @overload
    def run(
        self, *, until: float | None = None, chance: int | None = None, on: None = None
    ) -> LabRun: ...

    @overload
    def run(self, *, until: float | None = None, on: ScenarioBackend[T]) -> T: ...

    def run(
        self,
        *,
        until: float | None = None,
        chance: int | None = None,
        on: ScenarioBackend[T] | None = None,
    ) -> LabRun | T:
        """Play the scenario to its end and record it.

        Parameters
        ----------
        until
            Stop after so many seconds of virtual time; by default when nothing is left
            to do.
        chance
            The seed of another outcome where Kueue leaves the outcome to chance; see
            :meth:`LabRun.chances`. Forks of the run have the same.
        on
            Where it is played instead of here: a real cluster that
            ``kueuelab.live.connect`` gives. What comes of it has the same views.

        Raises
        ------
        InputError
            If it can't be played there.
        """
        if on is not None:
            if self.branches or until is not None:
                hint = Message("whatif.fork.live.hint")
                raise InputError(Problem(Message("whatif.fork.live"), hint=hint))
            return on.run(self.spec)
        lab, recorder = self.with_chance(chance), Recorder()
        player, carried_out = replay(lab.spec, lab.branches, recorder, until)
        return LabRun(lab, player, recorder, carried_out)

    def as_read(self) -> LabRun:
        """Load the scenario, and record what it says itself: nothing is decided.

        Examples
        --------
        >>> from kueuelab import scenarios
        >>> scenarios.load("reclaim-1-take-back").as_read().trace.cycles
        ()
        """
        recorder = Recorder()
        with without_collection(circles=False):
            run = LabRun(self, Player(self.spec, recorder), recorder)
        _ = run.trace  # What is recorded later is no part of it.
        return run

    def fork(self, at: int | str | None = 0) -> Fork:
        """Branch off at a step or a time; at 0, the default, before the start.

        See :meth:`LabRun.fork`.
        """
        return Fork(self.spec) if at == 0 else self.run().fork(at)


class LabRun(Run):
    """What came of a scenario, with answers to what people ask about it.

    Examples
    --------
    >>> import kueuelab as kl
    >>> run = kl.load('''
    ... apiVersion: kueuelab/v1
    ... kind: Scenario
    ... metadata: {name: lonely}
    ... spec:
    ...   timeline: [{at: 5s, submit: {job: job-0, queue: team-a}}]
    ... ''').run()
    >>> run.until(event="created")
    <Cursor at step 0 of 2: WorkloadCreated>
    """

    def __init__(
        self,
        lab: Lab,
        player: Player,
        recorder: Recorder,
        carried_out: Sequence[tuple[int, int]] = (),
    ) -> None:
        super().__init__(lab, player, recorder)
        self._lab = lab
        #: Of each branch, before which step it was carried out, and when.
        self._carried_out = tuple(carried_out)

    @property
    def origin(self) -> Lab:
        """What was run, with its branches."""
        return self._lab

    @property
    def player(self) -> Player:
        """The player as the run left it."""
        return self._player

    # --- reading -------------------------------------------------------------------------

    @cached_property
    def timeline(self) -> Timeline:
        """What happened, one row per thing that a person wants to read."""
        from kueuelab.whatif.table import Timeline

        return Timeline.of(self.trace)

    def as_text(self, language: str | Catalog = "en") -> str:
        """Return the timeline, and what became of the run, as text."""
        words = language_of(language)
        lines = [repr(self), timeline_text(self.trace, catalog=words)]
        if self.loop_report is not None:
            lines.append(self.loop_report.as_text(words))
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.as_text()

    def key_of(self, workload: str) -> str:
        """Return the key of the workload that a name means: its own, or its job's.

        Slices of elastic jobs and variants have names of their own, which no file has.

        Raises
        ------
        UnknownObjectError
            If there is no such workload.
        """
        # To look for all that steps mention takes a second in a large run.
        if workload in self.player.cluster.workloads or workload in self.trace.workloads:
            return workload
        try:
            return self.fork()._object_index().names_of_all.key_of(workload)
        except UnknownObjectError:
            found = [key for key in self.trace.workloads if key.endswith(f"/{workload}")]
            if len(found) != 1:
                raise
            return found[0]

    def what_would_admit(
        self,
        workload: str,
        at: int | str | None = None,
        until: float | str | None = None,
        progress: Callable[[], object] | None = None,
    ) -> Report:
        """Search for changes by which a workload would be admitted, or admitted sooner.

        Each is verified by simulating it, from the end of the run, a step or a time (``at``,
        as for :meth:`fork`), to the end of the run or a time (``until``: ``"90s"``, or
        seconds). The report says when the workload is admitted with each of them. ``progress``
        is called after each change that was simulated.
        """
        from kueuelab.whatif.search import what_would_admit

        return what_would_admit(self, self.key_of(workload), at, until, progress)

    @cached_property
    def loop_report(self) -> LoopReport | None:
        """What keeps a loop going: workloads, rules, policies; ``None`` without a loop."""
        from kueuelab.whatif.loops import loop_report

        return loop_report(self)

    def what_would_break_the_loop(self) -> list[Edit]:
        """Return weaker preemption policies, any of which ends the loop; each is simulated."""
        from kueuelab.whatif.loops import breaking_edits

        return breaking_edits(self)

    # --- what if -------------------------------------------------------------------------

    def again(self, *, until: float | None = None) -> LabRun:
        """Run the same once more, up to so many seconds after the start; to its end if omitted."""
        return self._lab.run(until=until)

    def fork(self, at: int | str | None = None) -> Fork:
        """Branch off at a step, at a time, or (by default) at the end.

        Parameters
        ----------
        at
            The index of a step of this run (negative: from its end); 0 is before the start.
            Or a time since the start (``"50s"``): the clock goes on to it, behind the end of
            the run, too; all that is due until then is done first, and then the changes.
            What was changed in this run behind that place is not carried over.

        Raises
        ------
        InputError
            If the run has no such step, or never gets to that time.

        Examples
        --------
        >>> import kueuelab as kl
        >>> lab = kl.load("{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}")
        >>> run = lab.run().fork(at="50s").remove("namespace/team-a").run()
        >>> run
        <Run unnamed: 0 workloads, 0 cycles, 50s>
        """
        lab, trace = self._lab, self.trace
        if at is None:
            return Fork(lab.spec, lab.branches, None, self.cluster.now)
        if isinstance(at, str):
            time = self._moment(at)
            kept = self._branches_if(lambda _, __, when: when <= time)
            after = format_duration(time - self.start)
            return Fork(lab.spec, kept, None, time, after=after)
        if at == 0:
            return Fork(lab.spec)
        index = at + len(trace) if at < 0 else at
        if not 0 <= index < len(trace):
            hint = Message("whatif.fork.no-step.hint", count=len(trace))
            raise InputError(Problem(Message("whatif.fork.no-step", step=at), hint=hint))
        kept = self._branches_if(
            lambda b, before, _: before <= index if b.step is None else b.step < index
        )
        return Fork(lab.spec, kept, index, trace[index].time)

    def _branches_if(self, condition: Callable[[Branch, int, int], bool]) -> tuple[Branch, ...]:
        """Return the branches of which a condition holds, given before which step, and when."""
        branches = zip(self._lab.branches, self._carried_out, strict=False)
        return tuple(branch for branch, where in branches if condition(branch, *where))

    def _moment(self, text: str) -> int:
        """Return a time since the start in nanoseconds since 1970."""
        time = self.start + moment_of_fork(text)
        if self.loop is not None and not self.loop.period and time > self.loop.time:
            looping_at = format_duration(self.loop.time - self.start)
            hint = Message("whatif.fork.in-a-loop.hint", time=looping_at)
            message = Message("whatif.fork.in-a-loop", text=text, time=looping_at)
            raise InputError(Problem(message, hint=hint))
        return time

    def moment(self, after: float | str) -> int:
        """Return a time since the start, in seconds or as text, in nanoseconds since 1970."""
        return self.start + moment_of(after)
