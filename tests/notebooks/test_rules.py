"""The form of every notebook of the course: how it begins and ends, how much code it shows."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path
from typing import Any

import pytest

from kueuelab import workshop
from kueuelab.teaching.predictions import questions

ROOT = Path(__file__).parents[2]
START = ROOT / "notebooks" / "00-start.ipynb"
NOTEBOOKS = sorted(set((ROOT / "notebooks").glob("*.ipynb")) - {START})
MOST_LINES_A_CELL = 5
MOST_LINES_A_NOTEBOOK = 40
#: So many fit into the sidebar of JupyterLab.
MOST_LETTERS = 32
#: Views of a run: each opens at a step that the text is about.
VIEWS = {"CohortGraph", "DecisionPanel", "Stepper", "Timeline", "Topology", "lab"}
CLUSTER_VIEWS = {"multikueue_board", "MultiKueueBoard"}
PICTURE = re.compile(r"!\[([^\]]+)\]\((pictures/[\w.-]+\.svg)\)")
LINK = re.compile(r"\]\(([\w./-]+\.ipynb)\)")

each_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


def cells(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["cells"]
    return found


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def code_of(path: Path) -> list[str]:
    return [source(cell) for cell in cells(path) if cell["cell_type"] == "code"]


def texts_of(path: Path) -> list[str]:
    return [source(cell) for cell in cells(path) if cell["cell_type"] == "markdown"]


def lines(code: str) -> int:
    return sum(1 for line in code.splitlines() if line.strip())


def calls(path: Path) -> list[ast.Call]:
    trees = [ast.parse(code) for code in code_of(path)]
    return [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.Call)]


def name_of(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else ""


@each_notebook
def test_it_begins_with_question_time_and_what_to_know(path: Path) -> None:
    first = cells(path)[0]
    assert first["cell_type"] == "markdown"
    title, question, facts, *_ = re.split(r"\n\s*\n", source(first))
    assert title.startswith("# ")
    assert re.fullmatch(r"\*\*[^*]+\?\*\*", question, re.DOTALL)
    assert re.match(r"\*\*Time:\*\* \d+ minutes\. \*\*Know before:\*\* \S", facts)


@each_notebook
def test_a_picture_comes_before_the_first_line_of_code(path: Path) -> None:
    begin = []
    for cell in cells(path):
        if cell["cell_type"] == "code":
            break
        begin.append(source(cell))
    found = PICTURE.findall("\n".join(begin))
    assert found
    for text, file in found:
        assert len(text) > 20, "the picture has no text for those who cannot see it"
        assert (path.parent / file).is_file()


@each_notebook
def test_it_ends_with_what_to_remember_questions_and_what_is_next(path: Path) -> None:
    last = texts_of(path)[-1]
    headings = re.findall(r"^## (.+)$", last, re.MULTILINE)
    assert headings[:3] == ["What to remember", "Ask yourself", "Next"]
    remember = last.partition("## What to remember")[2].partition("## Ask yourself")[0]
    assert len(re.findall(r"^- \S", remember, re.MULTILINE)) >= 3
    asked = last.partition("## Ask yourself")[2].partition("## Next")[0]
    assert len(re.findall(r"<details><summary>.*\?</summary>.+</details>", asked)) == 2
    following = last.partition("## Next")[2].partition("\n## ")[0]
    links = LINK.findall(following)
    assert all((path.parent / link).is_file() for link in links), links
    later = [link for link in links if "/" not in link]
    number = NOTEBOOKS.index(path)
    if path != NOTEBOOKS[-1]:
        assert NOTEBOOKS[number + 1].name in later
    exercises = {Path(link).stem for link in links} & set(workshop.names())
    can_follow = {spec.name for spec in workshop.specs() if spec.taught_in <= path.stem}
    own = {spec.name for spec in workshop.specs() if spec.taught_in == path.stem}
    assert own <= exercises <= can_follow, "an exercise follows the notebook that teaches it"
    assert exercises or not can_follow


@each_notebook
def test_cells_and_notebook_show_few_lines_of_code(path: Path) -> None:
    counts = [lines(code) for code in code_of(path)]
    assert max(counts) <= MOST_LINES_A_CELL
    assert sum(counts) <= MOST_LINES_A_NOTEBOOK


@each_notebook
def test_no_code_is_hidden(path: Path) -> None:
    for cell in cells(path):
        assert not cell["metadata"].get("jupyter", {}).get("source_hidden")


@each_notebook
def test_kueuelab_is_the_only_import(path: Path) -> None:
    first, *rest = code_of(path)
    assert first.splitlines()[0] == "import kueuelab as kl"
    trees = [ast.parse(code) for code in (first, *rest)]
    imports = [node for tree in trees for node in ast.walk(tree)]
    found = [node for node in imports if isinstance(node, (ast.Import, ast.ImportFrom))]
    assert len(found) == 1


def test_how_to_run_a_cell_is_said_once() -> None:
    said = [path.stem for path in NOTEBOOKS if "Shift" in "\n".join(texts_of(path))]
    assert said == ["01-first-preemption"]


@each_notebook
def test_views_open_at_the_step_that_the_text_is_about(path: Path) -> None:
    moves = {name_of(call) for call in calls(path)}
    for call in calls(path):
        has_place = any(keyword.arg == "at" for keyword in call.keywords)
        if name_of(call) in VIEWS:
            assert has_place, ast.unparse(call)
        if name_of(call) in CLUSTER_VIEWS:
            assert has_place or moves & {"at", "until"}, ast.unparse(call)


@each_notebook
def test_predictions_are_kept_and_come_back(path: Path) -> None:
    number = path.name[:2]
    asked = [call.args[0] for call in calls(path) if name_of(call) == "predict"]
    names = [each.value for each in asked if isinstance(each, ast.Constant)]
    assert names == [name for name in questions() if name.startswith(f"{number}.")]
    assert names
    recalled = [ast.unparse(call) for call in calls(path) if name_of(call) == "recall"]
    assert recalled == [f"kl.teaching.recall('{number}')"]
    assert "recall" in code_of(path)[-1]


def test_each_exercise_follows_a_notebook() -> None:
    assert {spec.taught_in for spec in workshop.specs()} <= {path.stem for path in NOTEBOOKS}


def test_each_question_belongs_to_a_notebook() -> None:
    numbers = {path.name[:2] for path in NOTEBOOKS}
    assert {name.partition(".")[0] for name in questions()} <= numbers
    for name, each in questions().items():
        assert each.answer in each.options, name
        assert len(set(each.options)) == len(each.options) > 1, name


def test_no_name_is_cut_off_in_the_list_of_files() -> None:
    too_long = [path.name for path in NOTEBOOKS if len(path.name) > MOST_LETTERS]
    assert too_long == []
