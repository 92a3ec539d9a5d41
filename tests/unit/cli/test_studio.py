"""``kueuelab studio``: the page is served on this machine only, and stops with the command."""

from __future__ import annotations

import json
import os
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


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_the_studio_is_served_until_it_is_interrupted(tmp_path: Path) -> None:
    environment = os.environ | {
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
    }
    command = [sys.executable, "-c", START, "studio", "two-teams", "--json", "--no-browser"]
    with subprocess.Popen(
        [*command, "--port", "18775"],
        env=environment,
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
            assert "/kueuelab/studio?file=two-teams&token=" in url
            cards = url.replace("studio?file=two-teams&", "cards?")
            with urllib.request.urlopen(cards, timeout=300) as answer:
                assert json.load(answer)["cards"][0]["id"] == "studio"
        finally:
            studio.send_signal(signal.SIGINT)
            _, errors = studio.communicate()
    assert studio.returncode == 0
    assert "Traceback" not in errors
    assert not list(tmp_path.glob("*.ipynb")), "nothing is written into the folder"
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(cards, timeout=300)


def test_without_voila_the_command_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(studio_command, "find_spec", lambda name: None)
    done = CliRunner().invoke(app, ["studio"])
    assert "pip install 'kueuelab[lab]'" in done.output


def test_what_is_wrong_with_a_file_is_said_before_a_server_starts() -> None:
    done = CliRunner().invoke(app, ["studio", "no-such-file.yaml"])
    assert "no-such-file.yaml does not exist" in done.output
