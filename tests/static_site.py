"""The app as a site that needs no server of kueuelab, and a server of files for it.

Benchmarks use it, too.
"""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

#: The unpacked npm package.
PYODIDE = Path(os.environ.get("KUEUELAB_PYODIDE", Path(__file__).parents[1] / "build" / "pyodide"))
_FETCHED_NODE = Path(__file__).parents[1] / "build" / "node" / "node_modules" / ".bin" / "node"
#: What prepares the memory: the one that ``make site`` fetches, or that of this machine.
NODE = str(_FETCHED_NODE) if _FETCHED_NODE.exists() else shutil.which("node")
#: What a host should send with every file: a worker has the policy that it came with.
POLICY = (
    "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self';"
    " img-src 'self' data:; connect-src 'self'; worker-src 'self'; base-uri 'none';"
    " form-action 'none'; frame-ancestors 'none'"
)


def obstacle() -> str:
    """Return why the site cannot be written here; "" if it can."""
    if not (PYODIDE / "pyodide.mjs").is_file():
        return f"no Pyodide in {PYODIDE}; fetch it with: make site"
    if NODE is None:
        return "no node here; install it with: apt-get install nodejs"
    return ""


class _Files(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def end_headers(self) -> None:
        self.send_header("Content-Security-Policy", POLICY)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        """Keep the terminal quiet."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_: object) -> None:
        """Say nothing of a browser that goes away before it has a whole file."""


@contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on this machine; yields the address."""
    with _Server(("127.0.0.1", 0), partial(_Files, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/"
        finally:
            server.shutdown()
            thread.join()
