"""The app as files of a site that needs no server: the front end, Python for browsers, the wheels.

Python is Pyodide, of the npm package ``pyodide``. The site also has an image of the memory of a
Python that has imported everything, since a browser would need seconds for that. It is made here,
by the same Python in node.
"""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from collections.abc import Mapping
from importlib import resources
from pathlib import Path
from typing import Any, Final, NamedTuple

from kueuelab.app.pages import index_page, page_files
from kueuelab.app.wheels import kueuelab_wheel, pyyaml_wheel
from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.session.handler import Handler

__all__ = ["PYODIDE_VERSION", "Site", "write_site"]

#: The version of the npm package; another one may start in another way.
PYODIDE_VERSION: Final = "314.0.7"
_LOCK: Final = "pyodide-lock.json"
#: The files of Pyodide that a page needs, but for the lock.
_CORE: Final = ("pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip")
#: What the service worker reads; it says that a folder is one of this site.
_LIST: Final = "files.js"


class Site(NamedTuple):
    """What was written: how many files, and their bytes together."""

    files: int
    size: int


def write_site(folder: Path, pyodide: Path, words: Catalog, node: str | None = None) -> Site:
    """Write the app into a folder, from which any server of files can serve it.

    Parameters
    ----------
    folder
        A folder that is new, empty, or was written before.
    pyodide
        The folder with the unpacked npm package ``pyodide``.
    words
        The language of the site.
    node
        The command of Node.js that prepares the memory of Python; by default ``node``. From 24 on,
        a page answers what is quick while it works on something long.

    Raises
    ------
    KueueLabError
        If the folder has other files, or Pyodide or node is missing.
    """
    _require_pyodide(pyodide)
    node = node or shutil.which("node")
    if node is None:
        raise KueueLabError(Message("app.static.no-node"), hint=Message("app.static.no-node.hint"))
    if folder.is_dir() and any(folder.iterdir()) and not (folder / _LIST).is_file():
        hint = Message("app.static.not-empty.hint")
        raise KueueLabError(Message("app.static.not-empty", folder=str(folder)), hint=hint)
    contents = dict(_front(words))
    contents |= {f"python/{name}": content for name, content in _python(pyodide).items()}
    for name, content in contents.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)
    _write_memory(node, folder / "python", words)
    contents["python/memory.gz"] = (folder / "python" / "memory.gz").read_bytes()
    listed = _list_of(contents)
    (folder / _LIST).write_bytes(listed)
    return Site(len(contents) + 1, sum(map(len, contents.values())) + len(listed))


def _require_pyodide(folder: Path) -> None:
    values = {"folder": str(folder), "version": PYODIDE_VERSION}
    hint = Message("app.static.no-pyodide.hint", version=PYODIDE_VERSION)
    for name in (*_CORE, _LOCK, "package.json"):
        if not (folder / name).is_file():
            raise KueueLabError(Message("app.static.no-pyodide", file=name, **values), hint=hint)
    found = json.loads((folder / "package.json").read_text("utf-8"))["version"]
    if found != PYODIDE_VERSION:
        raise KueueLabError(Message("app.static.other-pyodide", found=found, **values), hint=hint)


def _front(words: Catalog) -> Mapping[str, bytes]:
    found = dict(page_files())
    found["index.html"] = index_page("page")
    found["offline.js"] = _beside("offline.js").read_bytes()
    # A page is drawn with it before Python has been loaded.
    found["greeting.json"] = _json(Handler(words).answer({"do": "hello"}))
    return found


def _python(pyodide: Path) -> Mapping[str, bytes]:
    found = {name: (pyodide / name).read_bytes() for name in _CORE}
    # The packages that the lock names are on another origin, and none is needed.
    lock = json.loads((pyodide / _LOCK).read_text("utf-8"))
    found[_LOCK] = _json({**lock, "packages": {}})
    wheels = (kueuelab_wheel(), pyyaml_wheel())
    found |= {each.file: each.content for each in wheels}
    found["wheels.json"] = _json([each.file for each in wheels])
    return found


def _write_memory(node: str, folder: Path, words: Catalog) -> None:
    wheels = json.loads((folder / "wheels.json").read_text("utf-8"))
    command = [node, str(_beside("prepare.mjs")), str(folder), words.language, *wheels]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "Error" in line and len(line) < 500]
        values = {"folder": str(folder), "error": lines[-1] if lines else str(done.returncode)}
        raise KueueLabError(Message("app.static.not-prepared", **values))


def _list_of(contents: Mapping[str, bytes]) -> bytes:
    """Return the names of the files, and a version that changes when one of them does."""
    whole = hashlib.sha256()
    for name, content in sorted(contents.items()):
        whole.update(f"{name} {hashlib.sha256(content).hexdigest()}\n".encode())
    site = {"version": whole.hexdigest()[:16], "files": ["./", *sorted(contents)]}
    return b"self.site = " + _json(site)


def _beside(name: str) -> Path:
    return Path(str(resources.files("kueuelab.app"))) / name


def _json(data: Any) -> bytes:
    return json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
