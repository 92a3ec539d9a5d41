"""``kueuelab studio``: the app is served on this machine only, and stops with the command."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab.cli import studio as studio_command
from kueuelab.cli.app import app

START = "from kueuelab.cli import main; main()"


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
@pytest.mark.parametrize(
    ("arguments", "page"),
    [
        (["two-teams", "loop-2-policies-in-turn"], "open=two-teams"),
        (["--context", "kind-a", "two-teams"], "open=context%3Akind-a"),
    ],
)
def test_the_app_is_served_until_it_is_interrupted(
    tmp_path: Path, arguments: list[str], page: str
) -> None:
    command = [sys.executable, "-c", START, "studio", *arguments, "--json", "--no-browser"]
    with subprocess.Popen(
        [*command, "--port", "0"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A shell that runs this in the background has it ignore Ctrl-C.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as studio:
        assert studio.stdout is not None
        try:
            text = ""
            while not text.endswith("}\n"):
                line = studio.stdout.readline()
                assert line, "the command ended before it printed an address"
                text += line
            url = json.loads(text)["url"]
            assert url.startswith("http://127.0.0.1:")
            assert url.endswith(f"#/overview?{page}")
            with urllib.request.urlopen(url.partition("?")[0], timeout=300) as answer:
                assert b'data-engine="machine"' in answer.read()
        finally:
            studio.send_signal(signal.SIGINT)
            more, errors = studio.communicate()
    assert (studio.returncode, more, errors) == (0, "", "")
    assert not list(tmp_path.iterdir()), "nothing is written into the folder"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(url.partition("?")[0], timeout=300)


def test_without_tornado_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_command, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["studio"])
    assert "pip install 'kueuelab[app]'" in done.output


@pytest.mark.parametrize("files", [["no-such-file.yaml"], ["two-teams", "no-such-file.yaml"]])
def test_what_is_not_there_is_said_before_a_server_starts(files: list[str]) -> None:
    done = CliRunner().invoke(app, ["studio", *files])
    assert done.exit_code == 2
    assert "no-such-file.yaml does not exist" in done.output


def test_what_is_wrong_with_a_second_file_is_said_before_a_server_starts(tmp_path: Path) -> None:
    file = tmp_path / "wrong.yaml"
    file.write_text("kind: [", "utf-8")
    done = CliRunner().invoke(app, ["studio", "two-teams", str(file)])
    assert "wrong.yaml:" in done.output


def test_nothing_of_jupyter_and_no_scheduler_is_imported_for_the_address() -> None:
    code = (
        "import sys, kueuelab.app.server\n"
        "from kueuelab.cli import studio\n"
        "studio._check(('two-teams',))\n"
        "rooms = ('jupyter', 'IPython', 'ipywidgets', 'kueuelab.simulation', 'kueuelab.live')\n"
        "print([name for name in sys.modules if name.startswith(rooms)])"
    )
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout.strip() == "[]"
