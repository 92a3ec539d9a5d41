"""``kueuelab lab``: JupyterLab on the first notebook."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote

import typer

from kueuelab.cli.output import AsJson, complain, say, say_json
from kueuelab.errors import KueueLabError

# A first start on a slow machine takes its time.
_SECONDS_TO_START: Final = 120.0
_SECONDS_TO_STOP: Final = 10.0


def command(
    directory: Annotated[
        Path | None,
        typer.Argument(
            metavar="DIR", help="A folder that was made by: kueuelab init.", show_default=False
        ),
    ] = None,
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="The port; another is taken if it is in use.")
    ] = 8888,
    browser: Annotated[
        bool | None,
        typer.Option(help="Whether to open a browser; by default if there is a display."),
    ] = None,
    folder: Annotated[
        Path,
        typer.Option(help="Where to put copies of the notebooks if there is no checkout."),
    ] = Path(),
    as_json: AsJson = False,
) -> None:
    """Open JupyterLab on the first notebook; without a display, print its address."""
    from kueuelab.cli.notebooks import place_to_open

    if find_spec("jupyterlab") is None:
        raise KueueLabError(
            "JupyterLab is not installed", hint="Install it with: pip install 'kueuelab[lab]'"
        )
    root, notebook = place_to_open(directory, folder)
    with _interruptible(), _server(root, port) as server:
        url = _notebook_url(_address(server), notebook.relative_to(root).as_posix())
        if as_json:
            say_json({"url": url, "notebook": str(notebook)})
        else:
            say([f"{notebook} is open at", "", f"    {url}", "", "Stop it with Ctrl-C."])
        sys.stdout.flush()
        if has_display(os.environ, sys.platform) if browser is None else browser:
            import webbrowser

            webbrowser.open(url)
        server.wait()


def has_display(environment: Mapping[str, str], platform: str) -> bool:
    """Tell whether a browser could be seen.

    Examples
    --------
    >>> has_display({}, "linux"), has_display({"DISPLAY": ":0"}, "linux"), has_display({}, "darwin")
    (False, True, True)
    """
    if platform in ("darwin", "win32"):
        return "SSH_CONNECTION" not in environment
    return any(environment.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))


@contextmanager
def _interruptible() -> Iterator[None]:
    """End quietly when somebody interrupts or terminates the command."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        complain("stopped")
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _server(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run JupyterLab as long as the block lasts."""
    arguments = [
        *(sys.executable, "-m", "jupyterlab", "--no-browser", "--log-level=ERROR"),
        *(f"--ServerApp.root_dir={folder.resolve()}", f"--ServerApp.port={port}"),
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    # In a session of its own it does not ask questions when the command is interrupted.
    server = subprocess.Popen(arguments, start_new_session=True, stdin=subprocess.DEVNULL)
    try:
        yield server
    finally:
        server.terminate()
        try:
            server.wait(_SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            server.kill()
            server.wait()


def _address(server: subprocess.Popen[bytes]) -> Mapping[str, Any]:
    """Wait until the server answers, and return what it says of itself."""
    from jupyter_server.serverapp import list_running_servers

    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline and server.poll() is None:
        for found in list_running_servers():
            if found["pid"] == server.pid:
                return dict(found)
        time.sleep(0.1)
    raise KueueLabError(
        "JupyterLab did not start", hint="What it says above may tell why; try another --port"
    )


def _notebook_url(server: Mapping[str, Any], name: str) -> str:
    token = f"?token={server['token']}" if server.get("token") else ""
    return f"{server['url']}lab/tree/{quote(name)}{token}"
