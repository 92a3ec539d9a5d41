"""The wheels that a browser's Python gets: the rooms that the session needs, and PyYAML."""

from __future__ import annotations

import ast
import base64
import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from importlib import metadata, resources
from pathlib import Path
from typing import Final, NamedTuple

import yaml

from kueuelab.workshop.library import exercise_folder
from kueuelab.workshop.solution import solution_alone

__all__ = ["BARE", "ROOMS", "Wheel", "kueuelab_wheel", "pyyaml_wheel"]

#: The rooms that :mod:`kueuelab.session` imports, and what these import.
ROOMS: Final = (
    "files",
    "forecast",
    "frontend",
    "lint",
    "manifests",
    "messages",
    "model",
    "multikueue",
    "queues",
    "quota",
    "scenarios",
    "scheduler",
    "session",
    "simulation",
    "sweeps",
    "topology",
    "trace",
    "views",
    "whatif",
    "workload",
    "workshop",
)
#: Of the workshop only what judges answers: the rest is for instructors, notebooks and other
#: processes.
_WORKSHOP: Final = (
    *("__init__", "answer", "changes", "checks", "confined", "course_map", "exercise", "feedback"),
    *("finding", "hints", "job_table", "judging", "library", "limited_process", "live_check"),
    *("map_picture", "multikueue_case", "multikueue_checks", "play", "progress", "reading"),
    *("rules", "scripts", "solution", "spec", "submitted", "texts", "unpacked"),
)
#: They are empty in the wheel: what they bring together is left out of it.
BARE: Final = ("kueuelab/sweeps/__init__.py", "kueuelab/sweeps/workloads/__init__.py")
#: Of sweeps only what makes one run: a page asks for one after the other, and for no table.
_SWEEPS: Final = (
    *("__init__", "designs", "factors", "measures", "observation", "plan", "shuffled"),
    *("jobs", "mapping", "model"),
)
#: Of each exercise: the learner's notebook is no part of a page.
_EXERCISE: Final = ("*.yaml", "*.py", "*.csv", "texts/*.yaml", "*.source.ipynb")
#: The front end is in the site already: of its room, what packs frames is enough.
_FOR_BROWSERS: Final = (".js", ".css", ".html")
#: The same content gives the same bytes.
_DATE: Final = (1980, 1, 1, 0, 0, 0)


class Wheel(NamedTuple):
    """A wheel: the name of its file, and its bytes."""

    file: str
    content: bytes


def kueuelab_wheel() -> Wheel:
    """Return a wheel of this package with the rooms that a page needs.

    Examples
    --------
    >>> kueuelab_wheel().file
    'kueuelab-0.1.0-py3-none-any.whl'
    """
    root = Path(str(resources.files("kueuelab")))
    parts = [*root.glob("*.py"), *(file for room in ROOMS for file in (root / room).rglob("*"))]
    parts = [file for file in parts if not _is_left_out(file)]
    contents = dict(_contents(parts, root.parent))
    folder = exercise_folder()
    found = [file for pattern in _EXERCISE for file in folder.glob(f"*/{pattern}")]
    # In a checkout they are beside the package.
    for name, content in _contents(found, folder):
        is_source = name.endswith(".ipynb")
        kept = solution_alone(content.decode()).encode() if is_source else content
        contents[f"kueuelab/exercises/{name}"] = kept
    contents |= dict.fromkeys(BARE, b"")
    files = {
        name: _condensed(content) if name.endswith(".py") else content
        for name, content in contents.items()
    }
    return _wheel("kueuelab", metadata.version("kueuelab"), files)


def _is_left_out(file: Path) -> bool:
    """Tell whether no page asks for a file: other rooms' sentences, most of the workshop."""
    if "sweeps" in file.parent.parts:
        return file.stem not in _SWEEPS
    if "workshop" in file.parent.parts and file.parent.name != "languages":
        return file.parent.name != "workshop" or file.stem not in _WORKSHOP
    return file.parent.parent.name == "languages" and file.stem not in (*ROOMS, "app", "errors")


def pyyaml_wheel() -> Wheel:
    """Return a wheel of the PyYAML that is installed, without the loader that is written in C."""
    root = Path(yaml.__file__).parent
    return _wheel("pyyaml", yaml.__version__, dict(_contents([*root.glob("*.py")], root.parent)))


def _contents(files: list[Path], root: Path) -> Iterator[tuple[str, bytes]]:
    for file in sorted(files):
        if file.is_file() and file.suffix not in (".pyc", *_FOR_BROWSERS):
            yield file.relative_to(root).as_posix(), file.read_bytes()


def _condensed(code: bytes) -> bytes:
    """Return a module without what no browser needs: comments, docstrings, types of parameters.

    A class keeps a docstring of one character: without any, ``dataclass`` would compute one from
    the signature of each class that is imported. What ``singledispatch`` registers keeps its types,
    as fields do.
    """
    tree = ast.parse(code)
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            _drop_types(node)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            _drop_docstring(node)
    return ast.unparse(tree).encode()


def _drop_types(function: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
    if any(getattr(each, "attr", "") == "register" for each in function.decorator_list):
        return
    function.returns = None
    given = function.args
    others = [each for each in (given.vararg, given.kwarg) if each is not None]
    for each in (*given.posonlyargs, *given.args, *given.kwonlyargs, *others):
        each.annotation = None


def _drop_docstring(
    node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef,
) -> None:
    match node.body:
        case [ast.Expr(ast.Constant(str())), *rest]:
            if isinstance(node, ast.ClassDef):
                rest.insert(0, ast.Expr(ast.Constant(".")))
            node.body = rest or [ast.Pass()]


def _about(name: str) -> Iterator[tuple[str, bytes]]:
    for file in metadata.files(name) or ():
        if ".dist-info" in file.as_posix() and file.name in ("LICENSE", "METADATA"):
            yield file.name, file.read_binary()


def _wheel(name: str, version: str, files: Mapping[str, bytes]) -> Wheel:
    info = f"{name}-{version}.dist-info"
    about = {
        "WHEEL": b"Wheel-Version: 1.0\nGenerator: kueuelab\nRoot-Is-Purelib: true\n"
        b"Tag: py3-none-any\n",
        **dict(_about(name)),
    }
    whole = {**files, **{f"{info}/{each}": text for each, text in about.items()}}
    record = [f"{each},sha256={_digest(content)},{len(content)}" for each, content in whole.items()]
    whole[f"{info}/RECORD"] = "\n".join([*record, f"{info}/RECORD,,", ""]).encode()
    return Wheel(f"{name}-{version}-py3-none-any.whl", _zipped(whole))


def _digest(content: bytes) -> str:
    return base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()


def _zipped(files: Mapping[str, bytes]) -> bytes:
    found = io.BytesIO()
    with zipfile.ZipFile(found, "w") as archive:
        for name, content in files.items():
            entry = zipfile.ZipInfo(name, _DATE)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, 9)
    return found.getvalue()
