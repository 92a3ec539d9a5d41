"""``kueuelab lab``: notebooks are found, JupyterLab starts on the first, and stops again."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.request
from pathlib import Path
from typing import Any
from urllib.error import HTTPError

import nbformat
import pytest

from kueuelab.cli import lab as lab_command
from kueuelab.cli.lab import has_display
from kueuelab.errors import KueueLabError
from kueuelab.workshop.notebooks import COPIES, first_notebook, notebook_folder, place_to_open


def notebooks(folder: Path, *names: str) -> Path:
    folder.mkdir(parents=True)
    for name in names:
        nbformat.write(nbformat.v4.new_notebook(), folder / name)
    return folder


def test_checkout_is_used_where_it_is(tmp_path: Path) -> None:
    folder = notebooks(tmp_path / "notebooks", "02-b.ipynb", "01-a.ipynb")
    assert notebook_folder(tmp_path / "work", tmp_path / "kueuelab") == folder
    assert first_notebook(folder).name == "01-a.ipynb"


def test_notebooks_of_the_package_are_copied(tmp_path: Path) -> None:
    package = tmp_path / "site-packages" / "kueuelab"
    shipped = notebooks(package / "notebooks", "01-a.ipynb")
    notebooks(shipped / "data", "deep.ipynb")
    folder = notebook_folder(tmp_path, package)
    assert folder == tmp_path / COPIES
    assert (folder / "data" / "deep.ipynb").exists()


def test_copies_keep_what_was_written(tmp_path: Path) -> None:
    package = tmp_path / "kueuelab"
    notebooks(package / "notebooks", "01-a.ipynb")
    work = tmp_path / "work"
    copy = notebook_folder(work, package) / "01-a.ipynb"
    copy.write_text("my work")
    notebook_folder(work, package)
    assert copy.read_text() == "my work"


def test_a_folder_of_ones_own_is_shown_whole(tmp_path: Path) -> None:
    mine = tmp_path / "course"
    notebooks(mine / "exercises", "take-back.ipynb")
    first = notebooks(mine / "notebooks", "02-b.ipynb", "01-a.ipynb") / "01-a.ipynb"
    assert place_to_open(mine, tmp_path) == (mine, first)
    assert place_to_open(first.parent, tmp_path) == (first.parent, first)
    with pytest.raises(KueueLabError, match="Make some: kueuelab init"):
        place_to_open(tmp_path / "nowhere", tmp_path)


def test_no_notebooks_is_said(tmp_path: Path) -> None:
    with pytest.raises(KueueLabError, match="the notebooks are not installed"):
        notebook_folder(tmp_path, tmp_path / "kueuelab")


@pytest.mark.parametrize(
    ("environment", "platform", "seen"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ""}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"BROWSER": "w3m"}, "linux", True),
        ({}, "win32", True),
        ({"SSH_CONNECTION": "here there"}, "darwin", False),
    ],
)
def test_display(environment: dict[str, str], platform: str, seen: bool) -> None:
    assert has_display(environment, platform) is seen


START = """
import sys
from pathlib import Path
from kueuelab.cli import main
from kueuelab.workshop import notebooks
notebooks._PACKAGE = Path(sys.argv.pop(1))
main()
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_without_display_the_address_is_printed_and_answers(tmp_path: Path) -> None:
    notebooks(tmp_path / "notebooks", "01-a.ipynb")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.endswith("DISPLAY")},
        "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime"),
        "JUPYTER_CONFIG_DIR": str(tmp_path / "config"),
    }
    environment.pop("BROWSER", None)
    command = [sys.executable, "-c", START, str(tmp_path / "kueuelab"), "lab", "--json"]
    errors = tmp_path / "errors.txt"
    with (
        errors.open("w") as written,
        subprocess.Popen(
            [*command, "--port", "18765"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=written,
            text=True,
        ) as lab,
    ):
        assert lab.stdout is not None
        try:
            text = ""
            while not text.endswith("}\n"):
                line = lab.stdout.readline()
                assert line, "the command ended before it printed an address"
                text += line
            record = json.loads(text)
            assert record["notebook"] == str(tmp_path / "notebooks" / "01-a.ipynb")
            assert "/lab/tree/01-a.ipynb?token=" in record["url"]
            with urllib.request.urlopen(record["url"], timeout=300) as answer:
                assert answer.status == 200
            app = record["url"].partition("/lab/")[0] + "/kueuelab/studio/"
            for path in ("", "front.js"):
                with urllib.request.urlopen(app + path, timeout=300) as answer:
                    assert "/login?next=" in answer.url
            with pytest.raises(HTTPError, match="403"):
                urllib.request.urlopen(f"{app}engine", timeout=300)
        finally:
            lab.send_signal(signal.SIGTERM)
            assert lab.wait() == 0
    # One address, that of the page: the server's own opens another one.
    assert "http" not in errors.read_text("utf-8")
    assert "arning" not in errors.read_text("utf-8")
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(record["url"], timeout=300)


def test_the_address_is_reported_when_the_server_takes_connections(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """JupyterLab writes its address down before it listens."""
    with socket.socket() as listener, subprocess.Popen(["sleep", "300"]) as server:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        looks = 0

        def servers() -> list[dict[str, Any]]:
            nonlocal looks
            looks += 1
            if looks == 3:
                listener.listen()
            return [{"pid": server.pid, "url": f"http://127.0.0.1:{port}/", "port": port}]

        monkeypatch.setattr("jupyter_server.serverapp.list_running_servers", servers)
        try:
            assert lab_command._address(server)["port"] == port
            assert looks == 3
        finally:
            server.kill()


@pytest.mark.slow
def test_server_that_cannot_start_is_said(tmp_path: Path) -> None:
    notebooks(tmp_path / "notebooks", "01-a.ipynb")
    (tmp_path / "runtime").write_text("no folder")
    environment = {**os.environ, "JUPYTER_RUNTIME_DIR": str(tmp_path / "runtime")}
    done = subprocess.run(
        [sys.executable, "-c", START, str(tmp_path / "kueuelab"), "lab", "--no-browser"],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "kueuelab: JupyterLab did not start" in done.stderr


def test_jupyterlab_has_our_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from jupyterlab_server.settings_utils import _get_overrides

    monkeypatch.setenv("JUPYTER_CONFIG_PATH", lab_command.with_settings({})["JUPYTER_CONFIG_PATH"])
    found, error = _get_overrides(str(tmp_path))
    assert not error
    assert found["@jupyterlab/apputils-extension:notification"]["fetchNews"] == "false"
    assert not found["@jupyterlab/filebrowser-extension:browser"]["showLastModifiedColumn"]
