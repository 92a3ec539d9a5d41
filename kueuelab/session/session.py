"""What is open in the studio: runs, and forks of them, as a tree with names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Message, listed
from kueuelab.session.built import Built
from kueuelab.session.listing import Listing, listing_of
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.opening import require_there
from kueuelab.session.patch import Patch, patch_between
from kueuelab.whatif.clusters import MultiKueueLab, MultiKueueRun
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from kueuelab.multikueue import ClusterSetRun
    from kueuelab.session.building.draft import Draft
    from kueuelab.trace.diff import Diff
    from kueuelab.trace.recorded_run import RecordedRun
    from kueuelab.whatif.changes import Edit
    from kueuelab.whatif.fork import Fork
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.report import Suggestion

__all__ = ["Branch", "ClusterSetBranch", "ListedBranch", "Session", "decided", "loaded"]

#: The branch of a scenario without a name.
_UNNAMED: Final = "unnamed"
#: An input with more workloads is large: to decide it takes longer than one likes to wait.
_MANY: Final = 5_000


@dataclass(frozen=True, slots=True)
class Branch:
    """A run with a name.

    Attributes
    ----------
    name
        Its name in the session.
    run
        The run.
    parent
        The name of the branch that it was forked from; ``""`` if it was opened.
    fork
        What is different from the parent; ``None`` if it was opened.
    kept
        Whether it stays: a suggestion that is tried is not kept at first.
    input
        What it was read from; ``None`` for a fork, and for what was read from a cluster.
    command
        The command that made it of its parent, for a link; ``None`` if another one did.
    decided
        Whether it ran: a large input is shown as it was read until a run is needed.
    """

    name: str
    run: LabRun
    parent: str = ""
    fork: Fork | None = None
    kept: bool = True
    input: OpenedInput | None = None
    command: Mapping[str, Any] | None = None
    decided: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class ListedBranch:
    """A large input with a name, of which nothing is checked and loaded yet.

    Attributes
    ----------
    name
        Its name in the session.
    listing
        What is written in it.
    input
        What it was read from.
    """

    name: str
    listing: Listing
    input: OpenedInput


@dataclass(frozen=True, slots=True)
class ClusterSetBranch:
    """A run of several clusters with a name.

    Attributes
    ----------
    name
        Its name in the session.
    run
        The run.
    parent
        The name of the run that it was made from; ``""`` if it was opened.
    change
        What is different from the parent, as text.
    input
        What it was read from; ``None`` for a run that was made from another one.
    command
        The command that made it from its parent, as a link repeats it.
    """

    name: str
    run: ClusterSetRun
    parent: str = ""
    change: str = ""
    input: OpenedInput | None = None
    command: Mapping[str, Any] | None = None

    @property
    def manager(self) -> str:
        """The name of the manager."""
        return self.run.cluster_set.manager.member.name

    @property
    def clusters(self) -> tuple[str, ...]:
        """The names of the clusters, the manager first."""
        members = self.run.cluster_set.members
        return (self.manager, *(name for name in members if name != self.manager))


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that is open. Each change returns a new session, so that none is lost.

    Attributes
    ----------
    branches
        The branches, each after its parent.
    cluster_sets
        The runs of several clusters.
    listed
        The inputs that become branches when they are loaded.
    last
        The name of what was opened or made last.
    built
        The draft that is built; ``None`` if there is none.

    Examples
    --------
    >>> session = Session().opened("two-teams")
    >>> session.names
    ('two-teams',)
    >>> report = session["two-teams"].run.what_would_admit("team-b/job-b-cpu-2-71f14")
    >>> session = session.tried("two-teams", report[1])
    >>> session.names
    ('two-teams', 'two-teams: priority')
    """

    branches: tuple[Branch, ...] = ()
    cluster_sets: tuple[ClusterSetBranch, ...] = ()
    listed: tuple[ListedBranch, ...] = ()
    last: str = ""
    built: Built | None = None

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the branches."""
        return tuple(branch.name for branch in self.branches)

    def __getitem__(self, name: str) -> Branch:
        for branch in self.branches:
            if branch.name == name:
                return branch
        raise UnknownObjectError("branch", name, self.names)

    # --- opening -------------------------------------------------------------------------

    def opened(self, source: str | Path, release: str = "", *, decide: bool = True) -> Session:
        """Open a packaged scenario or dump, a file, or a folder, and run it.

        Parameters
        ----------
        source
            A packaged name, or a path.
        release
            The release of Kueue that decides; by default the one that the input names.
        decide
            Whether a large input runs at once; if not, its workloads are only listed.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        named = str(source)
        if named in scenarios.dumps():
            found = OpenedInput(scenarios.dump(named), release=release, address=named)
            return self._read(named, found, decide=decide)
        if named in scenarios.names() or named in scenarios.names("multikueue"):
            text = scenarios.text(named)
            found = OpenedInput(text, f"{named}.yaml", release=release, address=named)
            return self._read(named, found, decide=decide)
        require_there(named)
        path = Path(named).expanduser()
        found = OpenedInput(path, release=release, address=named)
        return self._read(path.stem, found, decide=decide)

    def uploaded(
        self, name: str, content: str | bytes | Path, release: str = "", *, decide: bool = True
    ) -> Session:
        """Open what a browser sent, its text or where the engine keeps it, and run it.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        if isinstance(content, str) and "\n" not in content:
            content += "\n"  # Text of one line without a colon would be taken for a path.
        source = OpenedInput(content, name, has_folder=False, release=release)
        return self._read(Path(name).stem, source, decide=decide)

    def connected(self, context: str, *, decide: bool = True) -> Session:
        """Read a cluster, as kubectl would, and open its state; nothing is written to it.

        Raises
        ------
        KueueLabError
            If it cannot be read.
        """
        from kueuelab.live.access import open_cluster
        from kueuelab.live.snapshot import take
        from kueuelab.live.why import lab_of

        api = open_cluster(context)
        try:
            lab = lab_of(take(api))
        finally:
            api.close()
        name = self._free(context or lab.spec.name)
        return self._with_lab(name, lab, None, until=0, decide=decide)

    def root(self, name: str) -> Branch:
        """Return what was opened, that a branch goes back to."""
        return next(reversed((self[name], *self._ancestors(name))))

    def source_of(self, name: str) -> OpenedInput | None:
        """Return what a branch, of one cluster or of several, goes back to.

        ``None`` of what was not read from a file or a text.
        """
        sets = {each.name: each for each in self.cluster_sets}
        if name not in sets:
            return self.root(name).input
        while sets[name].parent:
            name = sets[name].parent
        return sets[name].input

    def with_spec(
        self,
        name: str,
        spec: ScenarioSpec,
        source: OpenedInput | None = None,
        *,
        decide: bool = True,
    ) -> Session:
        """Run a scenario of one cluster, or of several; a large one only to ``decide`` it."""
        free = self._free(spec.name or name)
        if spec.workers:
            return self._with_set(ClusterSetBranch(free, MultiKueueLab(spec).run(), input=source))
        return self._with_lab(free, Lab(spec), source, until=None, decide=decide)

    def with_loaded(self, listed: ListedBranch, loaded: Branch | None = None) -> Session:
        """Return the session in which an input is loaded; without one, it is gone."""
        if all(each is not listed for each in self.listed):
            return self
        last = self.last
        if loaded is None and last == listed.name:
            last = self.branches[-1].name if self.branches else ""
        return replace(
            self,
            branches=(*self.branches, *([] if loaded is None else [loaded])),
            listed=tuple(each for each in self.listed if each is not listed),
            last=last,
        )

    def with_decided(self, undecided: Branch, decided: Branch) -> Session:
        """Return the session in which a branch that was only read has run."""
        return replace(
            self,
            branches=tuple(decided if each is undecided else each for each in self.branches),
        )

    def with_run(self, run: RecordedRun) -> Session:
        """Open what ran already.

        Raises
        ------
        InputError
            If it is only a record, of which no fork can be made.
        """
        from kueuelab.multikueue import ClusterSetRun
        from kueuelab.whatif.lab import LabRun

        name = self._free(run.trace.name or _UNNAMED)
        match run:
            case LabRun():
                return self._with(Branch(name, run))
            case ClusterSetRun():
                return self._with_set(ClusterSetBranch(name, run))
            case _:
                hint = Message("session.open.only-record.hint")
                problem = Problem(Message("session.open.only-record", name=name), hint=hint)
                raise InputError(problem)

    # --- building ------------------------------------------------------------------------

    def with_draft(self, draft: Draft) -> Session:
        """Go on building with another draft."""
        built = Built(draft) if self.built is None else replace(self.built, draft=draft)
        return replace(self, built=built)

    def ran_draft(self, release: str = "") -> Session:
        """Run the draft; its run replaces its last one, unless that was forked.

        Parameters
        ----------
        release
            The release of Kueue that decides; by default the one that the draft names.

        Raises
        ------
        InputError
            If there is no draft, or something is wrong with it.
        """
        built = self.built
        if built is None:
            raise InputError(Problem(Message("session.build.no-draft")))
        draft = built.draft
        if draft.spec is None:
            raise InputError(draft.problems)
        last = built.branch
        parents = [each.parent for each in self.branches]
        is_forked = last in [*parents, *(each.parent for each in self.cluster_sets)]
        kept = replace(
            self,
            branches=tuple(each for each in self.branches if is_forked or each.name != last),
            cluster_sets=tuple(
                each for each in self.cluster_sets if is_forked or each.name != last
            ),
        )
        text = f"{draft.text}\n\n"
        source = OpenedInput(text, draft.name, has_folder=False, release=release)
        spec = source.spec() if release else draft.spec
        found = kept.with_spec(Path(draft.name).stem, spec, source)
        return replace(found, built=replace(built, branch=found.last))

    # --- forks ---------------------------------------------------------------------------

    def tried(self, name: str, suggestion: Suggestion) -> Session:
        """Fork a branch at its end with the changes of a suggestion, and run the fork."""
        fork = self[name].run.fork().change(*suggestion.changes)
        free = self._free(f"{name}: {suggestion.kind}")
        return self._with(Branch(free, fork.run(), name, fork, kept=False))

    def set_tried(self, branch: ClusterSetBranch, suggestion: Suggestion) -> Session:
        """Fork a run of several clusters at its end with a suggestion, and run the fork.

        Raises
        ------
        InputError
            If the suggestion changes nothing.
        """
        run, cluster = branch.run, suggestion.cluster
        assert isinstance(run, MultiKueueRun)
        fork = run.fork().change(*suggestion.changes, cluster=cluster)
        name = f"{branch.name}: {suggestion.kind} {cluster}"
        return self.set_kept(branch.name, name, listed(suggestion.change_texts), fork.run())

    def edited(self, name: str, edit: Edit) -> Session:
        """Fork a branch at its start with an object edited, and run the fork."""
        fork = self[name].run.fork(0).change(edit)
        free = self._free(f"{name}: {edit.object.name}")
        return self._with(Branch(free, fork.run(), name, fork, kept=False))

    def kept(self, parent: str, name: str, fork: Fork, run: LabRun) -> Session:
        """Keep a fork that ran already."""
        return self._with(Branch(self._free(name), run, self[parent].name, fork))

    def made_by(self, command: Mapping[str, Any]) -> Session:
        """Take note of the command that made the last branch, of one cluster or of several."""
        if self.cluster_sets and self.cluster_sets[-1].name == self.last:
            *sets, newest = self.cluster_sets
            return replace(self, cluster_sets=(*sets, replace(newest, command=command)))
        *others, last = self.branches
        return replace(self, branches=(*others, replace(last, command=command)))

    def set_kept(self, parent: str, name: str, change: str, run: ClusterSetRun) -> Session:
        """Keep a run that was made from one of several clusters."""
        return self._with_set(ClusterSetBranch(self._free(name), run, parent, change))

    def renamed(self, name: str, new: str) -> Session:
        """Give a branch another name.

        Raises
        ------
        KueueLabError
            If the name is empty, or another branch has it.
        """
        branch, new = self[name], new.strip()
        if not new:
            raise KueueLabError(Message("session.rename.empty"))
        if new != name and self._free(new) != new:
            raise KueueLabError(Message("session.rename.taken", name=new))
        return replace(
            self,
            branches=tuple(
                replace(
                    each,
                    name=new if each is branch else each.name,
                    parent=new if each.parent == name else each.parent,
                )
                for each in self.branches
            ),
        )

    def keeping(self, name: str) -> Session:
        """Keep a branch, and what it was forked from."""
        kept = {name, *(branch.name for branch in self._ancestors(name))}
        return replace(
            self,
            branches=tuple(
                replace(each, kept=each.kept or each.name in kept) for each in self.branches
            ),
        )

    def reverted(self, name: str) -> Session:
        """Take a fork back, and what was forked from it; what was opened stays.

        Raises
        ------
        KueueLabError
            If the branch is no fork.
        """
        if not self[name].parent:
            raise KueueLabError(Message("session.no-fork", name=name))
        gone = {name}
        for each in self.branches:
            if each.parent in gone:
                gone.add(each.name)
        return replace(
            self, branches=tuple(each for each in self.branches if each.name not in gone)
        )

    def cluster_set(self, name: str) -> ClusterSetBranch:
        """Return a run of several clusters by its name."""
        for each in self.cluster_sets:
            if each.name == name:
                return each
        raise UnknownObjectError("branch", name, [each.name for each in self.cluster_sets])

    def member(self, name: str) -> tuple[ClusterSetBranch, str] | None:
        """Return the cluster that a name of a branch means, ``None`` if it has but one.

        It is ``BRANCH/CLUSTER``; of ``BRANCH`` alone, the manager. No name is the last branch.

        Examples
        --------
        >>> found = Session().opened("lost-worker").member("lost-worker/w1")
        >>> found[0].name, found[1]
        ('lost-worker', 'w1')
        """
        wanted = name or self.last
        for each in self.cluster_sets:
            if each.name == wanted:
                return each, each.manager
            if wanted in (f"{each.name}/{cluster}" for cluster in each.clusters):
                return each, wanted.removeprefix(f"{each.name}/")
        return None

    def depth(self, name: str) -> int:
        """Return how many forks lead from what was opened to a branch."""
        return sum(1 for _ in self._ancestors(name))

    def _ancestors(self, name: str) -> Iterator[Branch]:
        branch = self[name]
        while branch.parent:
            branch = self[branch.parent]
            yield branch

    # --- comparing -----------------------------------------------------------------------

    def diff(self, before: str, after: str) -> Diff:
        """Return what differs between two branches."""
        return self[after].run.diff(self[before].run)

    def patch(self, before: str, after: str) -> Patch:
        """Return what has to be applied to a cluster as in one branch to be as in another."""
        forks = []
        branch = self[after]
        while branch.fork is not None and branch.name != before:
            forks.append(branch.fork)
            branch = self[branch.parent]
        changes = [change for fork in reversed(forks) for change in fork.changes]
        return patch_between(
            self[before].run.fork().objects(), self[after].run.fork().objects(), changes
        )

    # --- inside --------------------------------------------------------------------------

    def _read(self, name: str, source: OpenedInput, *, decide: bool) -> Session:
        if decide:
            return self.with_spec(name, source.spec(), source)
        documents = source.documents()
        found = None if documents is None else listing_of(documents, _MANY + 1)
        if found is not None:
            free = self._free(name)
            listed = ListedBranch(free, found, source)
            return replace(self, listed=(*self.listed, listed), last=free)
        return self.with_spec(name, source.spec(documents=documents), source, decide=False)

    def _with_lab(
        self, name: str, lab: Lab, source: OpenedInput | None, *, until: float | None, decide: bool
    ) -> Session:
        if decide or len(lab.spec.manifests.workloads) <= _MANY:
            return self._with(Branch(name, lab.run(until=until), input=source))
        return self._with(Branch(name, lab.as_read(), input=source, decided=False))

    def _with(self, branch: Branch) -> Session:
        return replace(self, branches=(*self.branches, branch), last=branch.name)

    def _with_set(self, branch: ClusterSetBranch) -> Session:
        return replace(self, cluster_sets=(*self.cluster_sets, branch), last=branch.name)

    def _free(self, name: str) -> str:
        """Return the name, or with a number behind it if a branch has it."""
        there = {*self.names, *(each.name for each in self.cluster_sets)}
        there.update(each.name for each in self.listed)
        found, number = name, 2
        while found in there:
            found, number = f"{name} {number}", number + 1
        return found


def loaded(listed: ListedBranch) -> Branch:
    """Return a listed input, checked and loaded: it is shown as it was read.

    Raises
    ------
    InputError
        If something is wrong with it.
    """
    spec = listed.input.spec(documents=listed.listing.taken() or listed.input.documents())
    return Branch(listed.name, Lab(spec).as_read(), input=listed.input, decided=False)


def decided(branch: Branch) -> Branch:
    """Return a branch that was only read, with its run.

    Of the state of a cluster, it is what is decided at once.
    """
    run = branch.run.again(until=0 if branch.input is None else None)
    return replace(branch, run=run, decided=True)
