"""Nothing that is shown before a question tells its answer: in notebooks, slides and exercises."""

from __future__ import annotations

import ast
import base64
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
from kueuelab.whatif.lab import Lab
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
SCENARIOS = frozenset({*kl.scenarios.names(), *kl.scenarios.names("multikueue")})
MARKUP = ("text/html", "image/svg+xml")
EMBEDDED = re.compile(r"data:image/svg\+xml;base64,([\w+/=]+)")
SPOKEN = re.compile(r"\b(alt|title|aria-label|aria-description)=\"([^\"]*)\"")
#: What says that something happens, and what only allows it.
HAPPENS = re.compile(r"\b(preempts?|preempted|evicts?|evicted)\b")
ALLOWS = re.compile(r"\b(may|could|can|would|might|whether|which)\b", re.IGNORECASE)
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


def text_of_markup(text: str) -> str:
    """Return all that markup shows or reads aloud: text, alternatives, and pictures in it."""
    inner = [base64.b64decode(data).decode("utf-8") for data in EMBEDDED.findall(text)]
    spoken = [html.unescape(each) for _, each in SPOKEN.findall(text)]
    shown = html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", "\n", text, flags=re.DOTALL))
    return "\n".join([shown, *spoken, *map(text_of_markup, inner)])


def said_of_scenarios(code: str) -> Iterator[str]:
    """Title and description of packaged scenarios that code names: views and lists show them."""
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, ast.Constant) and node.value in SCENARIOS:
            spec = kl.scenarios.load(str(node.value)).spec
            yield f"{spec.title}\n{spec.description}"


def shown_in(cell: dict[str, Any], *, code: bool, folder: Path = NOTEBOOKS) -> str:
    """Everything of a cell that a reader sees, with its pictures as text."""
    text = source(cell)
    if cell["cell_type"] == "markdown":
        files = [folder / each for each in PICTURE.findall(text)]
        return "\n".join([text, *(text_of_markup(file.read_text("utf-8")) for file in files)])
    parts = [text] if code else []
    parts += said_of_scenarios(text)
    for output in cell["outputs"]:
        parts.append("".join(output.get("text", "")))
        for kind, value in output.get("data", {}).items():
            joined = value if isinstance(value, str) else "".join(map(str, value))
            parts.append(text_of_markup(joined) if kind in MARKUP else joined)
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


@pytest.mark.parametrize("name", kl.scenarios.names())
def test_a_description_is_the_situation_and_not_what_comes_of_it(name: str) -> None:
    lab = kl.scenarios.load(name)
    assert isinstance(lab, Lab)
    run = lab.run()
    taken = {step.workload.rpartition("/")[2] for step in run.trace if step.kind == "Evicted"}
    last = run.state_at(len(run.trace) - 1)
    pending = {
        key.rpartition("/")[2] for key, view in last.workloads.items() if view.phase == "Pending"
    }
    for sentence in re.split(r"(?<=[.;:]) ", lab.spec.description):
        named = set(re.findall(r"[\w-]+", sentence))
        if named & taken and HAPPENS.search(sentence):
            assert ALLOWS.search(sentence), sentence
        if named & pending:
            assert not re.search(r"stays? pending|never admitted|never be admitted", sentence)


def test_what_comes_of_it_is_said_apart() -> None:
    """An outcome gives answers away; it is not what lists and views show."""
    outcomes = {name: kl.scenarios.load(name).spec.outcome for name in SCENARIOS}
    asked = {
        name
        for path in NOTEBOOKS.glob("[0-9]*.ipynb")
        for cell in nbformat.read(path, as_version=4)["cells"]
        if cell["cell_type"] == "code"
        for name in SCENARIOS
        if f'"{name}"' in source(cell)
    }
    assert len(asked) > 20
    assert sorted(name for name in asked if not outcomes[name]) == ["quota-automated"]


def test_text_in_pictures_and_alternatives_is_read() -> None:
    drawn = base64.b64encode(b"<svg><title>secret-1</title><text>secret-2</text></svg>").decode()
    markup = f'<img alt="secret-3" src="data:image/svg+xml;base64,{drawn}"><p>secret-4</p>'
    assert {f"secret-{number}" for number in range(1, 5)} <= set(text_of_markup(markup).split())


@pytest.mark.parametrize("spec", workshop.specs(), ids=lambda spec: spec.name)
def test_an_exercise_tells_no_setting_of_its_solution(spec: Any) -> None:
    cells = json.loads(spec.notebook.read_text("utf-8"))["cells"]
    at = next(
        index
        for index, cell in enumerate(cells)
        if cell["metadata"].get("nbgrader", {}).get("solution")
    )
    shown = (shown_in(cell, code=True, folder=spec.folder) for cell in cells[:at])
    text = "\n".join([spec.title, spec.goal, *shown])
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
