"""Kustomizations, rendered by ``kubectl kustomize`` or ``kustomize`` where one is installed.

A patch of an overlay looks like an object and is none, so the files of a kustomization are never
read one by one. The program runs without a shell, and only for what is on this machine: a
kustomization can name resources in the network, and the lab fetches nothing.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, Location, Problem
from kueuelab.files.folders import KUSTOMIZATIONS
from kueuelab.files.reading import read_bytes
from kueuelab.messages import Message

__all__ = ["Kustomize", "Rendered", "command_for", "folders_used", "render"]

#: Fields that name folders or files of manifests.
_RESOURCES: Final = ("resources", "bases", "components")
#: Fields that name other files, or have their content in place.
_FILES: Final = (
    "configurations",
    "crds",
    "generators",
    "patchesStrategicMerge",
    "transformers",
    "validators",
)
#: Fields whose entries name a file as ``path``.
_PATHS: Final = ("patches", "patchesJson6902", "replacements")
_GENERATED: Final = ("configMapGenerator", "secretGenerator")
#: A program that tries the network all the same finds none.
_OFFLINE: Final = {
    "GIT_ALLOW_PROTOCOL": "file",
    "GIT_TERMINAL_PROMPT": "0",
    "HTTPS_PROXY": "http://127.0.0.1:1",
    "HTTP_PROXY": "http://127.0.0.1:1",
    "NO_PROXY": "",
}
_SECONDS: Final = 60.0
#: What kubectl puts in front of what is wrong.
_LOG_LINE: Final = re.compile(r'^E\d{4} [^\]]*\] "command failed" err=')

#: Runs a program and returns its exit code, what it wrote and what it complained of.
Run = Callable[[Sequence[str]], tuple[int, bytes, str]]


@dataclass(frozen=True, slots=True)
class Rendered:
    """The manifests that a kustomization stands for, and the command that wrote them."""

    command: str
    content: bytes


def _run(args: Sequence[str]) -> tuple[int, bytes, str]:
    done = subprocess.run(
        args,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=_SECONDS,
        check=False,
        env={**os.environ, **_OFFLINE, **{name.lower(): url for name, url in _OFFLINE.items()}},
    )
    return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")


@dataclass(frozen=True, slots=True)
class Kustomize:
    """What finds and runs the program that renders.

    Parameters
    ----------
    find
        Returns the path of a program, ``None`` where it is not installed.
    run
        Runs it.
    """

    find: Callable[[str], str | None] = shutil.which
    run: Run = _run


def command_for(folder: Path) -> str:
    """Return the command that renders a folder, to be shown.

    Examples
    --------
    >>> command_for(Path("overlays/my team"))
    "kubectl kustomize 'overlays/my team'"
    """
    return shlex.join(("kubectl", "kustomize", str(folder)))


def render(folder: Path, kustomize: Kustomize | None = None) -> Rendered:
    """Return the manifests that a kustomization stands for.

    Raises
    ------
    InputError
        If nothing is installed that renders it, it fails, or it names what is not on this machine.
    """
    kustomize = kustomize or Kustomize()
    for _ in folders_used(folder):
        pass  # what is not on this machine is refused
    for program, verb in (("kubectl", "kustomize"), ("kustomize", "build")):
        if (found := kustomize.find(program)) is None:
            continue
        shown = shlex.join((program, verb, str(folder)))
        try:
            # A path never is an option.
            code, output, said = kustomize.run((found, verb, os.path.abspath(folder)))
        except subprocess.TimeoutExpired as error:
            message = Message("files.kustomize.timeout", command=shown, seconds=f"{_SECONDS:g}")
            raise _refused(folder, message) from error
        except OSError as error:
            message = Message("files.kustomize.failed", command=shown, said=str(error))
            raise _refused(folder, message) from error
        if code:
            words = _LOG_LINE.sub("", " ".join(said.split())) or str(code)
            message = Message("files.kustomize.failed", command=shown, said=words)
            raise InputError(Problem(message, location=Location(str(folder))))
        return Rendered(shown, output)
    raise _refused(folder, Message("files.kustomize.no-program"))


def folders_used(folder: Path) -> Iterator[Path]:
    """Yield a kustomization and the kustomizations that it uses, bases among them.

    Raises
    ------
    InputError
        If one of them can't be read, or names what is not on this machine.
    """
    seen: set[str] = set()
    left = [folder]
    while left:
        here = left.pop()
        real = os.path.realpath(here)
        if real in seen:
            continue
        seen.add(real)
        yield here
        content = _read(here)
        for name in _names(content):
            path = here / name
            if not path.exists():
                raise _refused(folder, Message("files.kustomize.elsewhere", name=name), here)
            if path.is_dir():
                left.append(path)


def _read(folder: Path) -> Mapping[str, Any]:
    import yaml  # only needed for a kustomization

    found = [folder / name for name in KUSTOMIZATIONS if (folder / name).is_file()]
    if len(found) != 1:
        form = "none" if not found else "several"
        message = Message(f"files.kustomize.{form}")
        raise InputError(Problem(message, location=Location(str(folder))))
    try:
        text = read_bytes(found[0]).decode("utf-8")
        content = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (ValueError, RecursionError, yaml.YAMLError) as error:
        message = Message("files.kustomize.not-yaml", error=str(error).splitlines()[0])
        raise InputError(Problem(message, location=Location(str(found[0])))) from error
    return content if isinstance(content, Mapping) else {}


def _names(content: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files and folders that a kustomization names."""
    for field in (*_RESOURCES, *_FILES):
        for entry in _entries(content.get(field)):
            # A text of several lines is the content itself.
            if isinstance(entry, str) and "\n" not in entry and not entry.startswith("{"):
                yield entry
    for field in _PATHS:
        for entry in _entries(content.get(field)):
            if isinstance(entry, Mapping) and isinstance(entry.get("path"), str):
                yield entry["path"]
    for field in _GENERATED:
        for entry in _entries(content.get(field)):
            if isinstance(entry, Mapping):
                for name in (*_entries(entry.get("files")), *_entries(entry.get("envs"))):
                    yield str(name).rpartition("=")[2]
    schema = content.get("openapi")
    if isinstance(schema, Mapping) and isinstance(schema.get("path"), str):
        yield schema["path"]


def _entries(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _refused(folder: Path, message: str, where: Path | None = None) -> InputError:
    hint = Message("files.kustomize.hint", command=command_for(folder))
    return InputError(Problem(message, location=Location(str(where or folder)), hint=hint))
