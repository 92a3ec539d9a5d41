"""The exercises of a package that is in an archive, as files."""

from __future__ import annotations

import sys
from functools import cache
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path
from tempfile import mkdtemp

__all__ = ["unpacked_exercises"]


def unpacked_exercises() -> Path:
    """Return a folder with the exercises; they are written again if they are gone.

    A process that starts from an image of memory, as in a browser, has the same folder, without its
    files.
    """
    folder = _folder()
    if not any(folder.glob("*/exercise.yaml")):
        _copy(resources.files("kueuelab") / "exercises", folder)
    return folder


@cache
def _folder() -> Path:
    if sys.platform == "emscripten":  # a browser: the same image of memory each time it is made
        return Path("/tmp/kueuelab-exercises")
    return Path(mkdtemp(prefix="kueuelab-exercises-"))


def _copy(source: Traversable, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for each in source.iterdir():
        if each.is_dir():
            _copy(each, folder / each.name)
        else:
            (folder / each.name).write_bytes(each.read_bytes())
