"""Prose uses the nouns of the field: a short list of words does not occur in it.

Prose is what people read: pages, texts of notebooks, scenarios and exercises, catalogues, and the
docstrings and comments of the package. Notebooks' code and its output are not judged here, and
neither are Kueue's own messages.
"""

from __future__ import annotations

import ast
import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: A workload, queue or job is "it"; a person has a role. The others have plainer forms.
FORBIDDEN = re.compile(
    r"\b(nobody|somebody|everybody|whom|in vain|befalls?|befell|thereby|whither|whoever|alike)\b",
    re.IGNORECASE,
)
#: In code, a workload, job or controller is never *who*, and nothing is *told*.
FORBIDDEN_IN_CODE = re.compile(rf"{FORBIDDEN.pattern}|\b(who|told)\b", re.IGNORECASE)
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "tests").glob("*/README.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *sorted((ROOT / "exercises").glob("*/*.ipynb")),
    *sorted((ROOT / "exercises").glob("*/texts/*.yaml")),
    *sorted((ROOT / "kueuelab/messages/languages").glob("*/*.yaml")),
    *sorted((ROOT / "kueuelab/scenarios").glob("*/*.yaml")),
]
CODE = sorted((ROOT / "kueuelab").rglob("*.py"))


def prose(path: Path) -> Iterator[str]:
    """Yield the lines that people read; of a notebook, those of its text cells."""
    text = path.read_text("utf-8")
    if path.suffix != ".ipynb":
        yield from text.splitlines()
        return
    for cell in json.loads(text)["cells"]:
        if cell["cell_type"] == "markdown":
            yield from "".join(cell["source"]).splitlines()


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_prose_uses_plain_words(path: Path) -> None:
    without_ids = (re.sub(r"^ *[\w.-]+:(?= |$)", "", line) for line in prose(path))
    assert [line for line in without_ids if FORBIDDEN.search(line)] == []


def explanations(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and text of each docstring and comment."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Expr(value=ast.Constant(value=str(text))):
                for number, line in enumerate(text.splitlines()):
                    yield node.lineno + number, line
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


@pytest.mark.parametrize(
    "room", sorted({path.relative_to(ROOT / "kueuelab").parts[0] for path in CODE})
)
def test_docstrings_and_comments_use_plain_words(room: str) -> None:
    place = ROOT / "kueuelab" / room
    found = [
        f"{path.relative_to(ROOT)}:{number}: {text.strip()}"
        for path in CODE
        if path.is_relative_to(place)
        for number, text in explanations(path.read_text("utf-8"))
        if FORBIDDEN_IN_CODE.search(text)
    ]
    assert not found, "\n".join(found)


def test_words_in_docstrings_and_comments_are_found() -> None:
    source = 'x = "who"  # whom it preempts\n\n\ndef f():\n    """Who waits."""\n'
    assert dict(explanations(source)) == {1: "# whom it preempts", 5: "Who waits."}


def test_the_list_is_found_where_it_occurs() -> None:
    assert FORBIDDEN.search("Whom does it preempt?")
    assert not FORBIDDEN.search("A workload that waits")
