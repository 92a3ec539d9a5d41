"""What is open in the studio: runs, and forks of them, as a tree with names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.messages import Message
from kueuelab.studio.patch import Patch, patch_between
from kueuelab.whatif.lab import Lab

if TYPE_CHECKING:
    from kueuelab.trace.diff import Diff
    from kueuelab.whatif.fork import Fork
    from kueuelab.whatif.lab import LabRun
    from kueuelab.whatif.report import Suggestion

__all__ = ["Branch", "Session"]


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
    """

    name: str
    run: LabRun
    parent: str = ""
    fork: Fork | None = None


@dataclass(frozen=True, slots=True)
class Session:
    """Everything that is open. Each change returns a new session, so that none is lost.

    Attributes
    ----------
    branches
        The branches, each after its parent.

    Examples
    --------
    >>> session = Session().opened("two-teams")
    >>> session.names
    ('two-teams',)
    >>> report = session["two-teams"].run.what_would_admit("team-b/job-b-cpu-2-71f14")
    >>> session = session.tried("two-teams", report[1])
    >>> session.names
    ('two-teams', 'two-teams: quota')
    """

    branches: tuple[Branch, ...] = ()

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

    def opened(self, source: str | Path) -> Session:
        """Open a packaged scenario or dump, a file, or a folder, and run it.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        named = str(source)
        if named in scenarios.dumps():
            return self._with_run(named, load_scenario(scenarios.dump(named)))
        if named in scenarios.names() or named in scenarios.names("multikueue"):
            return self._with_run(named, load_scenario(scenarios.text(named), name=f"{named}.yaml"))
        # A text with a line break would be read as YAML; this is a path.
        path = Path(named).expanduser()
        if not named or not path.exists():
            hint = Message("studio.open.no-file.hint")
            raise InputError(Problem(Message("studio.open.no-file", file=named), hint=hint))
        return self._with_run(path.stem, load_scenario(path))

    def uploaded(self, name: str, content: bytes) -> Session:
        """Open the content of a file that a browser sent, and run it.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        try:
            text = content.decode("utf-8")
        except UnicodeDecodeError:
            raise InputError(Problem(Message("studio.open.not-text", file=name))) from None
        # Text of one line without a colon would be taken for a path.
        return self._with_run(Path(name).stem, load_scenario(f"{text}\n", name=name))

    def _with_run(self, name: str, spec: Any) -> Session:
        if spec.workers:
            hint = Message("studio.open.several-clusters.hint")
            raise InputError(Problem(Message("studio.open.several-clusters", name=name), hint=hint))
        return self._with(Branch(self._free(spec.name or name), Lab(spec).run()))

    # --- forks ---------------------------------------------------------------------------

    def tried(self, name: str, suggestion: Suggestion) -> Session:
        """Fork a branch at its end with the changes of a suggestion, and run the fork."""
        fork = self[name].run.fork().change(*suggestion.changes)
        return self.kept(name, f"{name}: {suggestion.kind}", fork, fork.run())

    def kept(self, parent: str, name: str, fork: Fork, run: LabRun) -> Session:
        """Keep a fork that ran already."""
        return self._with(Branch(self._free(name), run, self[parent].name, fork))

    def renamed(self, name: str, new: str) -> Session:
        """Give a branch another name.

        Raises
        ------
        KueueLabError
            If the name is empty, or another branch has it.
        """
        branch, new = self[name], new.strip()
        if not new:
            raise KueueLabError(Message("studio.rename.empty"))
        if new != name and new in self.names:
            raise KueueLabError(Message("studio.rename.taken", name=new))
        return Session(
            tuple(
                replace(
                    each,
                    name=new if each is branch else each.name,
                    parent=new if each.parent == name else each.parent,
                )
                for each in self.branches
            )
        )

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

    def _with(self, branch: Branch) -> Session:
        return Session((*self.branches, branch))

    def _free(self, name: str) -> str:
        """Return the name, or with a number behind it if a branch has it."""
        found, number = name, 2
        while found in self.names:
            found, number = f"{name} {number}", number + 1
        return found
