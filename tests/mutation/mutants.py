"""The mutants of a room: mutmut makes them, and each can be put in the place of its function.

mutmut writes every mutant of a function beside it. A mutant is tried in a process of its own,
in which the function is given the mutant's code: that costs nothing at each call.
"""

from __future__ import annotations

import difflib
import functools
import gc
import importlib
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

ROOT = Path(__file__).parents[2]


#: The path of a file, a function in it, and how that function changes.
Identity = tuple[str, str, tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A function with one small change.

    ``change`` is what the change takes away and adds, line by line; together with the
    function it is the mutant's identity, which outlives changes elsewhere in the file.
    ``lines`` are the mutant's own, ``touched`` those of the function that it changes.
    """

    name: str
    path: str
    function: str
    lines: range
    change: tuple[str, ...]
    touched: frozenset[int] = frozenset()

    @property
    def identity(self) -> Identity:
        """What an entry of ``equivalent.yaml`` names it by."""
        return self.path, self.function, self.change

    @property
    def key(self) -> str:
        """Where its verdict is kept."""
        return f"{self.path} {self.function} {self.change}"

    def __str__(self) -> str:
        return f"{self.path} {self.function}\n  " + "\n  ".join(self.change)


#: The functions that have mutants, by the name that their mutants begin with.
_functions: dict[str, tuple[FunctionType, dict[str, Any]]] = {}


def write(target: Path, patterns: Iterable[str]) -> list[Mutant]:
    """Copy the package to a folder, with the mutants of the files that patterns name."""
    from mutmut.mutation.file_mutation import mutate_file_contents

    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(ROOT / "kueuelab", target / "kueuelab")
    # The exercises lie beside the package in a checkout.
    (target / "exercises").symlink_to(ROOT / "exercises")
    found: list[Mutant] = []
    paths = sorted({path for pattern in patterns for path in ROOT.glob(pattern)})
    for path in paths:
        relative = path.relative_to(ROOT)
        made = mutate_file_contents(str(relative), path.read_text("utf-8"))
        (target / relative).write_text(made.code, "utf-8")
        lines = made.code.split("\n")
        spans = made.line_span_by_function_name
        module = ".".join(relative.with_suffix("").parts).removesuffix(".__init__")
        for name in made.mutant_names:
            function = name.partition("__mutmut_")[0]
            original = spans[f"{function}__mutmut_orig"]
            span = spans[name]
            # The copies differ in their names anyway.
            before = _text(lines[original.start : original.end], f"{function}__mutmut_orig")
            after = _text(lines[span.start : span.end], name)
            change = tuple(
                line for line in difflib.ndiff(before, after) if line.startswith(("- ", "+ "))
            )
            found.append(
                Mutant(
                    f"{module}:{name}",
                    str(relative),
                    function.replace("ǁ", ".").removeprefix("x_").removeprefix("x."),
                    range(span.start, span.end + 1),
                    change,
                    frozenset(original.start + 1 + each for each in _touched(before, after)),
                )
            )
    return found


def _touched(before: list[str], after: list[str]) -> Iterator[int]:
    """Yield the places of lines that are changed, or before which something is added."""
    matcher = difflib.SequenceMatcher(None, before, after, autojunk=False)
    for tag, start, end, _, _ in matcher.get_opcodes():
        if tag != "equal":
            yield from range(start, max(end, start + 1))


def _text(lines: list[str], name: str) -> list[str]:
    return [line.strip().replace(name, "") for line in lines]


def load(target: Path) -> None:
    """Import the mutated package in the place of the real one."""
    import mutmut.mutation.trampoline as trampoline

    def register(
        mutants: dict[str, Any], is_classmethod: bool = False
    ) -> Callable[[FunctionType], FunctionType]:
        def keep(function: FunctionType) -> FunctionType:
            _functions[f"{function.__module__}:{id(mutants)}"] = (function, mutants)
            return function

        return keep

    trampoline.wrap_in_trampoline = register  # type: ignore[assignment]
    sys.path.insert(0, str(target))
    for path in sorted((target / "kueuelab").rglob("*.py")):
        if "_mutmut_mutated" in path.read_text("utf-8"):
            relative = path.relative_to(target).with_suffix("")
            importlib.import_module(".".join(relative.parts).removesuffix(".__init__"))


def functions() -> Iterator[tuple[str, CodeType]]:
    """Yield the functions that have mutants, with their code."""
    for function, mutants in _functions.values():
        for name in mutants:
            if name != "_mutmut_orig":
                yield f"{function.__module__}:{name.partition('__mutmut_')[0]}", function.__code__
                break


def all_code(code: CodeType) -> Iterator[CodeType]:
    """Yield a function's code, and that of what is defined in it."""
    yield code
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from all_code(each)


#: Rooms that never call one with mutants: what their caches hold stays true, and is dear to make.
_BELOW = tuple(f"kueuelab.{room}" for room in ("files", "manifests", "messages", "model"))
#: The caches of the other functions, as they are before the first mutant is put in place.
_caches: list[Any] = []
#: The mutant that is in place in this process.
_current: Mutant | None = None


def prepare() -> None:
    """Find the caches once, and keep the collector from what every process shares."""
    _caches[:] = [
        each
        for each in gc.get_objects()
        if isinstance(each, functools._lru_cache_wrapper)
        and str(each.__module__).startswith(("kueuelab", "tests"))
        and not str(each.__module__).startswith(_BELOW)
    ]
    gc.freeze()


def in_place() -> Mutant | None:
    """Return the mutant that is in place in this process."""
    return _current


def put_in_place(mutant: Mutant) -> None:
    """Let the function be the mutant, in this process; what caches remember of it is forgotten."""
    global _current
    for each in _caches:
        each.cache_clear()
    module, _, name = mutant.name.partition(":")
    for function, mutants in _functions.values():
        if name in mutants and function.__module__ == module:
            other = mutants[name]
            other = getattr(other, "__func__", other)
            function.__code__ = other.__code__
            function.__defaults__ = other.__defaults__
            function.__kwdefaults__ = other.__kwdefaults__
            _current = mutant
            return
    raise LookupError(f"{mutant.name} is not loaded")


#: What mypy says of the way in which mutants are written down, not of what they do.
_OF_THE_COPIES = ("[no-redef]", "[unused-ignore]", "[ignore-without-code]", "[has-type]")


def refused_by_types(target: Path, mutants: Iterable[Mutant]) -> set[str]:
    """Return the names of the mutants that mypy refuses, as ``make test`` would."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--no-error-summary"),
            *("--config-file", str(ROOT / "pyproject.toml")),
        ],
        cwd=target,
        capture_output=True,
        text=True,
        check=False,
    )
    errors: dict[tuple[str, int], str] = {}
    for line in done.stdout.splitlines():
        path, number, severity, *_ = [*line.split(":", 3), "", ""]
        if severity == " error" and not line.endswith(_OF_THE_COPIES):
            errors[path, int(number)] = line
    return {
        mutant.name
        for mutant in mutants
        if any((mutant.path, number) in errors for number in mutant.lines)
    }
