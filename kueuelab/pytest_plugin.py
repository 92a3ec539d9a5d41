"""pytest collects policies under test: files named ``*.scenario.yaml`` with expectations.

Nothing of the lab is imported before there is such a file.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from kueuelab.policytests import Verdict

__all__ = ["pytest_addoption", "pytest_collect_file"]

_ENDINGS = (".scenario.yaml", ".scenario.yml")
_OPTION = "kueuelab_allow_outside"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add what can be set in pytest's configuration file."""
    # In the code, not in the catalogue: reading that would cost every run of pytest its time.
    text = "scenarios may name files outside of their folder"
    parser.addini(_OPTION, text, type="bool", default=False)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a scenario with expectations; any other file is left alone."""
    if not file_path.name.endswith(_ENDINGS):
        return None
    from kueuelab.files.policies import holds_expectations

    if not holds_expectations(file_path):
        return None
    found: pytest.Collector = _ScenarioFile.from_parent(parent, path=file_path)
    return found


class _ScenarioFile(pytest.File):
    """A scenario; it is run once, when the first of its tests is."""

    _verdicts: Sequence[Verdict] = ()

    def collect(self) -> Iterable[pytest.Item]:
        from kueuelab.errors import KueueLabError
        from kueuelab.policytests import PolicyFile, name_of

        self._file = PolicyFile(self.path, bool(self.config.getini(_OPTION)))
        try:
            self._spec = self._file.load()
        except KueueLabError as error:
            raise self.CollectError(str(error)) from error
        names: dict[str, int] = {}
        for number, expectation in enumerate(self._spec.expect):
            name = name_of(expectation)
            names[name] = count = names.get(name, 0) + 1
            shown = name if count == 1 else f"{name} ({count})"
            yield _Expectation.from_parent(self, name=shown, number=number)

    def line(self, number: int) -> int:
        """Return the line of an expectation, counted from 0 as pytest does."""
        location = self._spec.expect[number].location
        return 0 if location is None else max(location.line - 1, 0)

    def verdict(self, number: int) -> Verdict:
        """Return what came of an expectation."""
        if not self._verdicts:
            self._verdicts = self._file.run(self._spec)
        return self._verdicts[number]


class _Expectation(pytest.Item):
    """One expectation of a scenario."""

    def __init__(self, *, number: int, **more: Any) -> None:
        super().__init__(**more)
        self._number = number

    def runtest(self) -> None:
        assert isinstance(self.parent, _ScenarioFile)
        verdict = self.parent.verdict(self._number)
        if not verdict.passed:
            raise _NotMetError(verdict.message)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        if isinstance(excinfo.value, _NotMetError):
            return str(excinfo.value)
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int, str]:
        assert isinstance(self.parent, _ScenarioFile)
        return self.path, self.parent.line(self._number), self.name


class _NotMetError(Exception):
    """An expectation fails."""
