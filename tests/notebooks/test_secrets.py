"""Nothing that is shown before a question tells its answer: in notebooks, slides and exercises."""

from __future__ import annotations

import ast
import html
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
import pytest
import yaml

import kueuelab as kl
from kueuelab import workshop
from kueuelab.teaching.predictions import questions
from kueuelab.workshop.slides.planning import slides_of
from kueuelab.workshop.solution import solution_of

ROOT = Path(__file__).parents[2]
NOTEBOOKS = ROOT / "notebooks"
#: By question: what gives its answer away.
ANSWERS: dict[str, list[str]] = yaml.safe_load(
    (Path(__file__).parent / "answers.yaml").read_text("utf-8")
)
PICTURE = re.compile(r"\]\((pictures/[\w.-]+\.svg)\)")
NOTES = "notes"
#: A shorter answer is a name, which occurs in any text about the run.
FEW_LETTERS = 20

each_question = pytest.mark.parametrize("name", sorted(questions()))


def notebook_of(name: str) -> list[dict[str, Any]]:
    (path,) = NOTEBOOKS.glob(f"{name[:2]}-*.ipynb")
    found: list[dict[str, Any]] = nbformat.read(path, as_version=4)["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def asks(cell: dict[str, Any], name: str) -> bool:
    return f'predict("{name}")' in source(cell)


def text_of_svg(text: str) -> str:
    return html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "\n", text, flags=re.DOTALL))


def titles(code: str) -> Iterator[str]:
    """Titles of the scenarios of the package that code names: views and the studio show them."""
    known = {*kl.scenarios.names(), *kl.scenarios.names("multikueue")}
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and node.value in known:
            yield kl.scenarios.load(str(node.value)).title


def shown_in(cell: dict[str, Any], *, code: bool) -> str:
    """Everything of a cell that a reader sees, with its pictures as text."""
    text = source(cell)
    if cell["cell_type"] == "markdown":
        files = [NOTEBOOKS / each for each in PICTURE.findall(text)]
        return "\n".join([text, *(text_of_svg(file.read_text("utf-8")) for file in files)])
    parts = [text] if code else []
    parts += titles(text)
    for output in cell["outputs"]:
        data = output.get("data", {})
        parts += ["".join(output.get("text", "")), "".join(data.get("text/plain", ""))]
        parts += [text_of_svg("".join(data.get("text/html", "")))]
    return "\n".join(parts)


def told(name: str, text: str) -> list[str]:
    found = [each for each in ANSWERS[name] if re.search(each, text)]
    answer = questions()[name].answer
    is_telling = len(answer) > FEW_LETTERS and answer in text
    return [*found, answer] if is_telling else found


def test_each_question_has_what_gives_it_away() -> None:
    assert sorted(ANSWERS) == sorted(questions())
    assert all(ANSWERS.values())


@each_question
def test_a_notebook_keeps_the_answer_until_its_question(name: str) -> None:
    cells = notebook_of(name)
    at = next(index for index, cell in enumerate(cells) if asks(cell, name))
    before = "\n".join(shown_in(cell, code=True) for cell in cells[:at])
    assert told(name, before) == []
    after = "\n".join(shown_in(cell, code=True) for cell in cells[at + 1 :])
    missing = [each for each in ANSWERS[name] if not re.search(each, after)]
    assert missing == [], "what never occurs keeps no answer"


@each_question
def test_slides_keep_the_answer_until_its_question(name: str) -> None:
    cells = slides_of(notebook_of(name))
    shown = [cell for cell in cells if cell["metadata"]["slideshow"]["slide_type"] != NOTES]
    at = next(index for index, cell in enumerate(shown) if asks(cell, name))
    text = "\n".join(shown_in(cell, code=False) for cell in shown[:at])
    assert told(name, text) == []


@pytest.mark.parametrize("spec", workshop.specs(), ids=lambda spec: spec.name)
def test_an_exercise_tells_no_setting_of_its_solution(spec: Any) -> None:
    cells = json.loads(spec.notebook.read_text("utf-8"))["cells"]
    at = next(
        index
        for index, cell in enumerate(cells)
        if cell["metadata"].get("nbgrader", {}).get("solution")
    )
    text = "\n".join([spec.title, spec.goal, *map(source, cells[:at])])
    telling = [
        f"{field}: {value}"
        for field, value in _settings(solution_of(spec.source))
        if f"{field}: {value}" not in spec.start  # what another object has may be named
        and re.search(rf"\b{field}\W+{re.escape(value)}(?!\w)", text)
    ]
    assert telling == []


def _settings(solution: str) -> Iterator[tuple[str, str]]:
    for node in ast.walk(ast.parse(solution)):
        if not isinstance(node, ast.Dict):
            continue
        for key, value in zip(node.keys, node.values, strict=True):
            if isinstance(key, ast.Constant) and isinstance(value, ast.Constant):
                yield str(key.value).rpartition(".")[2], str(value.value)
