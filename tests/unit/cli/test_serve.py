"""``kueuelab serve``: what it prints, its token, and its end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kueuelab.cli import app

TOKEN = "0123456789abcdef"


@contextmanager
def served(*options: str) -> Iterator[tuple[dict[str, Any], subprocess.Popen[str]]]:
    """Yield what a server says as JSON, and its process."""
    command = [sys.executable, "-m", "kueuelab", "serve", *options, "--port", "0", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "}\n")) + "}"
        try:
            yield json.loads(said), process
        finally:
            process.kill()


def pending(url: str, token: str) -> Any:
    request = urllib.request.Request(
        f"{url}v1/pending", headers={"Authorization": f"Bearer {token}"}
    )
    with urllib.request.urlopen(request) as answer:
        return json.load(answer)


def test_a_token_is_made_and_printed(tmp_path: Path) -> None:
    with served("two-teams") as (said, process):
        assert pending(said["url"], said["token"])["count"] == 3
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0


def test_the_token_of_a_file_is_not_printed(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text(f"{TOKEN}\n", "utf-8")
    with served("two-teams", "--token-file", str(file)) as (said, process):
        assert list(said) == ["url"]
        assert pending(said["url"], TOKEN)["count"] == 3
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "Name a file, or a cluster with --context or --in-cluster"),
        (["two-teams", "--in-cluster"], "Name a file, or a cluster"),
        (["nothing.yaml"], "nothing.yaml does not exist"),
        (["cluster-deleted"], "Serve a dump of one of them, or a cluster"),
    ],
)
def test_what_cannot_be_served_is_said(arguments: list[str], message: str) -> None:
    found = CliRunner().invoke(app, ["serve", *arguments], env={"COLUMNS": "200"})
    assert found.exit_code == 2
    assert message in " ".join(found.output.split())


def test_a_short_token_is_none(tmp_path: Path) -> None:
    file = tmp_path / "token"
    file.write_text("short", "utf-8")
    found = CliRunner().invoke(app, ["serve", "two-teams", "--token-file", str(file)])
    assert (found.exit_code, "fewer than 16 characters" in found.output) == (2, True)


def test_a_missing_package_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("kueuelab.cli.serve.find_spec", lambda name: None)
    found = CliRunner().invoke(app, ["serve", "two-teams"])
    assert (found.exit_code, "pip install 'kueuelab[serve]'" in found.output) == (2, True)
