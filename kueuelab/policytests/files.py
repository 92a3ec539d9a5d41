"""The files that hold policies under test."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from kueuelab.errors import InputError, Problem
from kueuelab.files.policies import ENDINGS, holds_expectations
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.messages import Message
from kueuelab.multikueue import MultiKueueScenario
from kueuelab.policytests.verdicts import Verdict
from kueuelab.simulation import Scenario
from kueuelab.simulation.expectations import Outcome

__all__ = ["PolicyFile", "find"]


@dataclass(frozen=True, slots=True)
class PolicyFile:
    """A scenario with expectations.

    Attributes
    ----------
    path
        The file.
    allow_outside
        Whether it may name files outside of its folder.
    content
        What stands in it, if that is not read from a file: then the path is only a name.
    """

    path: Path
    allow_outside: bool = False
    content: bytes | None = None

    def cautions(self) -> tuple[str, ...]:
        """Return what the lab leaves out of the file, does not model, or takes for granted.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        spec = self.load()
        scenario = MultiKueueScenario(spec) if spec.workers else Scenario(spec)
        return (*scenario.left_out, *scenario.not_modelled, *scenario.assumptions)

    def load(self) -> ScenarioSpec:
        """Read the scenario.

        Raises
        ------
        InputError
            If something is wrong with it, or it expects nothing.
        """
        source = self.path if self.content is None else self.content
        name = "" if self.content is None else str(self.path)
        spec = load_scenario(source, name=name, allow_outside=self.allow_outside)
        if not spec.expect:
            text = Message("policytests.no-expectations", file=str(self.path))
            raise InputError(Problem(text, hint=Message("policytests.no-expectations.hint")))
        return spec

    def run(self, spec: ScenarioSpec | None = None) -> tuple[Verdict, ...]:
        """Run the scenario, and return what came of each expectation, in the order of the file.

        Parameters
        ----------
        spec
            The scenario, if it is loaded already.

        Raises
        ------
        InputError
            If it cannot be run.
        """
        spec = self.load() if spec is None else spec
        run = (MultiKueueScenario(spec) if spec.workers else Scenario(spec)).run()
        found = {id(outcome.expectation): outcome for outcome in run.outcomes}
        # A run that repeats itself is stopped before some are due.
        late = (Message("policytests.not-reached"),)
        return tuple(
            Verdict(str(self.path), found.get(id(each)) or Outcome(each, late))
            for each in spec.expect
        )


def find(paths: Iterable[Path], *, allow_outside: bool = False) -> Iterator[PolicyFile]:
    """Yield the files with policies under test, of folders those in it; sorted, each once.

    Raises
    ------
    InputError
        If a path does not exist, or a folder has none.
    """
    seen: set[Path] = set()
    for path in paths:
        if path.is_dir():
            inside = sorted(file for ending in ENDINGS for file in path.rglob(f"*{ending}"))
            found = [file for file in inside if holds_expectations(file)]
            if not found:
                text = Message("policytests.none-in-folder", folder=str(path))
                raise InputError(Problem(text, hint=Message("policytests.none-in-folder.hint")))
        elif path.exists():
            found = [path]
        else:
            raise InputError(Problem(Message("policytests.no-file", file=str(path))))
        for file in found:
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield PolicyFile(file, allow_outside)
