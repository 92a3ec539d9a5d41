"""The list of mutants that nothing can notice is about the code as it is."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import pytest
import yaml

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
#: Path, function, change and reason.
ENTRIES: list[tuple[str, str, tuple[str, ...], str]] = [
    (entry["path"], entry["function"], tuple(change), entry["why"])
    for entry in yaml.safe_load((HERE / "equivalent.yaml").read_text("utf-8"))
    for change in entry.get("changes") or [entry["change"]]
]


def _lines_of(path: str, function: str) -> set[str]:
    """Return the lines of a function; the first is without its name, as in the list."""
    text = (ROOT / path).read_text("utf-8")
    scope: ast.AST = ast.parse(text)
    for name in function.split("."):
        scope = next(each for each in ast.iter_child_nodes(scope) if _is_named(each, name))
    segment = ast.get_source_segment(text, scope)
    assert segment is not None
    return {line.strip().replace(f"def {name}(", "def (") for line in segment.split("\n")}


def _is_named(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name


@pytest.mark.parametrize(("path", "function", "change", "why"), ENTRIES)
def test_every_entry_changes_lines_that_are_there(
    path: str, function: str, change: tuple[str, ...], why: str
) -> None:
    lines = _lines_of(path, function)
    assert {line[2:] for line in change if line.startswith("- ")} <= lines
    assert why


def test_no_entry_is_there_twice() -> None:
    keys = Counter(entry[:3] for entry in ENTRIES)
    assert [key for key, times in keys.items() if times > 1] == []
