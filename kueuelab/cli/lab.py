"""``kueuelab lab``: JupyterLab on the start page."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final
from urllib.parse import quote, urlsplit

import typer

from kueuelab.cli.output import AsJson, Speaker, speaker
from kueuelab.errors import KueueLabError
from kueuelab.frozen import EMPTY
from kueuelab.messages import Message

# A first start on a slow machine takes its time.
_SECONDS_TO_START: Final = 120.0
_SECONDS_TO_STOP: Final = 10.0
#: After which an interrupt is noticed at the latest.
_SECONDS_TO_NOTICE: Final = 1.0
#: A folder with defaults for JupyterLab's settings, as it reads them from its configuration.
_SETTINGS: Final = Path(__file__).parent / "jupyter"

#: What the server loads for the app, and where JupyterLab finds its cards.
EXTENSION: Final = "kueuelab.app.jupyter.extension"
CARDS: Final = Path(__file__).parents[1] / "app" / "labextensions"


def command(
    ctx: typer.Context,
    directory: Annotated[
        Path | None,
        typer.Argument(metavar="DIR", help="cli.lab.directory.help", show_default=False),
    ] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.lab.port.help")] = 8888,
    browser: Annotated[
        bool | None,
        typer.Option(help="cli.lab.browser.help"),
    ] = None,
    folder: Annotated[
        Path,
        typer.Option(help="cli.lab.folder.help"),
    ] = Path(),
    as_json: AsJson = False,
) -> None:
    """Open JupyterLab on the start page; without a display, print its address."""
    from kueuelab.teaching.stored_progress import show_progress
    from kueuelab.workshop.notebooks import place_to_open

    out = speaker(ctx)
    check_installed()
    root, notebook = place_to_open(directory, folder)
    show_progress(notebook)
    address = f"lab/tree/{quote(notebook.relative_to(root).as_posix())}"
    head = Message("cli.lab.open", notebook=notebook)
    data = {"notebook": str(notebook)}
    _serve(out, root, address, port, browser, head=head, data=data, as_json=as_json)


def check_installed() -> None:
    """Refuse to go on without JupyterLab."""
    if find_spec("jupyterlab") is None:
        raise KueueLabError(
            Message("cli.lab.not-installed"), hint=Message("cli.lab.not-installed.hint")
        )


def _serve(
    out: Speaker,
    root: Path,
    address: str,
    port: int,
    browser: bool | None,
    *,
    head: str,
    data: Mapping[str, str] = EMPTY,
    as_json: bool = False,
) -> None:
    """Run JupyterLab until it is stopped.

    Parameters
    ----------
    out
        Where its address is written.
    root
        The folder that it shows.
    address
        What is opened, below the address of the server.
    port
        The port; another one is used if it is taken.
    browser
        Whether to open a browser; ``None``: if there is a display.
    head
        What is said before the address.
    data
        What is written besides the address as JSON.
    as_json
        Whether to write the address as JSON.
    """
    with _interruptible(out), _server(root, port) as server:
        url = _url(_address(server), address)
        if as_json:
            out.say_json({"url": url, **data})
        else:
            out.say([head, "", f"    {url}", "", Message("cli.lab.stop")])
        sys.stdout.flush()
        if has_display(os.environ, sys.platform) if browser is None else browser:
            import webbrowser

            webbrowser.open(url)
        while server.poll() is None:
            # An interrupt that comes right before the system call does not end it.
            with suppress(subprocess.TimeoutExpired):
                server.wait(_SECONDS_TO_NOTICE)


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


def with_settings(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment with our defaults for JupyterLab: no news, room for file names.

    What a person has set in JupyterLab itself counts more than a default.

    Examples
    --------
    >>> with_settings({"JUPYTER_CONFIG_PATH": "/mine"})["JUPYTER_CONFIG_PATH"].endswith("/mine")
    True
    """
    own = environment.get("JUPYTER_CONFIG_PATH", "")
    paths = os.pathsep.join(filter(None, (str(_SETTINGS), own)))
    return {**environment, "JUPYTER_CONFIG_PATH": paths}


@contextmanager
def _interruptible(out: Speaker) -> Iterator[None]:
    """End quietly when the command is interrupted or terminated."""
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        yield
    except KeyboardInterrupt:
        out.complain(Message("cli.lab.stopped"))
    finally:
        signal.signal(signal.SIGTERM, before)


@contextmanager
def _server(folder: Path, port: int) -> Iterator[subprocess.Popen[bytes]]:
    """Run JupyterLab as long as the block lasts."""
    arguments = [
        *(
            sys.executable,
            "-m",
            "jupyterlab",
            "--no-browser",
            "--log-level=ERROR",
            "--LabApp.log_level=ERROR",
        ),
        *(f"--ServerApp.root_dir={folder.resolve()}", f"--ServerApp.port={port}"),
        # Only this machine can reach it, whatever the configuration says.
        "--ServerApp.ip=127.0.0.1",
        # The app and its cards are there also where the package only lies on the path.
        f"--ServerApp.jpserver_extensions={EXTENSION}=True",
        f"--LabApp.extra_labextensions_path={CARDS}",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        arguments.append("--allow-root")
    # In a session of its own it does not ask questions when the command is interrupted.
    server = subprocess.Popen(
        arguments,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        env=with_settings(os.environ),
    )
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
            if found["pid"] == server.pid and _answers(found):
                return dict(found)
        time.sleep(0.1)
    raise KueueLabError(Message("cli.lab.not-started"), hint=Message("cli.lab.not-started.hint"))


def _answers(server: Mapping[str, Any]) -> bool:
    """Tell whether the server takes connections: it writes its address down before it does."""
    try:
        host = urlsplit(server["url"]).hostname
        socket.create_connection((host, server["port"]), timeout=1).close()
    except OSError:
        return False
    return True


def _url(server: Mapping[str, Any], address: str) -> str:
    if not server.get("token"):
        return f"{server['url']}{address}"
    return f"{server['url']}{address}{'&' if '?' in address else '?'}token={server['token']}"
