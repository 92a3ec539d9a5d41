"""README says what is true: its commands print what it shows, and its links lead somewhere."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "README.md").read_text("utf-8")
_COMMAND = r"^\$ kueuelab (.+)\n((?:(?!\$ ).*\n)*)"
#: Each command with what README says that it prints; a line of dots stands for any lines.
COMMANDS = [
    (command, printed)
    for block in re.findall(r"^```console\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
    for command, printed in re.findall(_COMMAND, block, re.MULTILINE)
]
PYTHON = re.findall(r"^```python\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
#: What fits on the first screen of the page, at 1440 by 900.
FIRST_LINES = 60


@pytest.mark.parametrize(("command", "printed"), COMMANDS, ids=[each for each, _ in COMMANDS])
def test_a_command_prints_what_readme_shows(command: str, printed: str) -> None:
    result = CliRunner().invoke(app, shlex.split(command))
    assert result.exit_code == 0, result.output
    rest = result.stdout.splitlines()
    gap = False
    for line in printed.splitlines():
        if line == "...":
            gap = True
            continue
        found = rest.index(line) if gap and line in rest else 0
        assert rest, f"no more lines, and not: {line}"
        assert rest[found] == line
        rest, gap = rest[found + 1 :], False
    assert gap or not rest


def test_it_shows_a_dump_a_reason_and_a_patch() -> None:
    commands = [command for command, _ in COMMANDS]
    assert [command.split()[0] for command in commands[:3]] == ["pending", "explain", "explain"]
    assert "--patch" in commands[2]


@pytest.mark.parametrize("code", PYTHON)
def test_its_python_runs(code: str, capsys: pytest.CaptureFixture[str]) -> None:
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out


def test_the_first_screen_has_a_moving_picture_and_trust_is_the_first_heading() -> None:
    first = PAGE.splitlines()[:FIRST_LINES]
    text = "\n".join(first)
    wide = re.findall(r'<img src="([\w/.-]+\.svg)" alt="[^"]{20,}">', text)
    narrow = re.findall(r'<source media="\(max-width: \d+px\)" srcset="([\w/.-]+\.svg)">', text)
    assert (len(wide), len(narrow)) == (1, 1)
    for picture in wide + narrow:
        assert "@keyframes" in (ROOT / picture).read_text("utf-8")
    headings = [line for line in PAGE.splitlines() if line.startswith("## ")]
    assert headings[0] == "## May I trust it?"
    assert headings[0] in first
    assert "## On a real cluster" not in headings


@pytest.mark.parametrize("page", ["README.md", "docs/real-cluster.md"])
def test_links_lead_somewhere(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    for link in re.findall(r"\]\((?!https?:)([^)#]+)(?:#[\w-]*)?\)", text):
        assert ((ROOT / page).parent / link).exists(), link
