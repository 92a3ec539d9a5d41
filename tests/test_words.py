"""Prose uses the nouns of the field: a short list of words does not occur in it.

Notebooks' code and its output are not judged here, and neither are Kueue's own messages.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: A workload, queue or job is "it"; a person has a role. The others have plainer forms.
FORBIDDEN = re.compile(
    r"\b(nobody|somebody|everybody|whom|in vain|befalls?|befell|thereby|whither|whoever|alike)\b",
    re.IGNORECASE,
)
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "tests").glob("*/README.md")),
    *sorted((ROOT / "notebooks").glob("*.ipynb")),
    *sorted((ROOT / "exercises").glob("*/*.ipynb")),
    *sorted((ROOT / "exercises").glob("*/texts/*.yaml")),
    *sorted((ROOT / "kueuelab/messages/languages").glob("*/*.yaml")),
]


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


def test_the_list_is_found_where_it_occurs() -> None:
    assert FORBIDDEN.search("Whom does it preempt?")
    assert not FORBIDDEN.search("A workload that waits")
