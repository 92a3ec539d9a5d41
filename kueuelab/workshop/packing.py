"""One archive for machines without internet: the packages, the course, and how to install them."""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from kueuelab.errors import KueueLabError
from kueuelab.files import replacing
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.starter import init_folder

__all__ = ["Packed", "archive_name", "pack"]

_CHECKOUT: Final = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Packed:
    """An archive that was written: how many packages and files of the course it has."""

    archive: Path
    packages: int
    files: int


def archive_name() -> str:
    """Return the name of an archive for this platform and this version of Python."""
    platform = sysconfig.get_platform().replace(".", "_")
    return f"kueuelab-workshop-{platform}-py{sys.version_info[0]}.{sys.version_info[1]}.zip"


def pack(
    archive: Path, words: Catalog, extras: Sequence[str] = ("lab", "sweep"), wheel: str = ""
) -> Packed:
    """Write the archive; pip brings the packages, from the index that it is set up for.

    Parameters
    ----------
    archive
        The file.
    words
        In which language the page in it is.
    extras
        Which extras of kueuelab to bring.
    wheel
        A wheel of kueuelab; by default it is built from the checkout.

    Raises
    ------
    KueueLabError
        If there is no checkout and no wheel, or pip fails.
    """
    source = wheel or str(_CHECKOUT)
    if not wheel and not (_CHECKOUT / "pyproject.toml").exists():
        raise KueueLabError(
            Message("workshop.pack.no-source"), hint=Message("workshop.pack.no-source.hint")
        )
    chosen = f"[{','.join(extras)}]" if extras else ""
    constraints = _CHECKOUT / "constraints.txt"
    with TemporaryDirectory() as name:
        folder = Path(name)
        wheels = folder / "wheelhouse"
        # One call for both: the wheel of kueuelab is among the others.
        arguments = ["wheel", "--wheel-dir", str(wheels), f"{source}{chosen}"]
        if not wheel and constraints.exists():
            arguments += ["--constraint", str(constraints)]
        _pip(arguments)
        files = init_folder(folder / "course")
        page = words.text("workshop.pack.page", extras=chosen).rstrip("\n")
        (folder / "README.txt").write_text(f"{page}\n", "utf-8")
        with replacing(archive) as stream, zipfile.ZipFile(stream, "w") as packed:
            for file in sorted(folder.rglob("*")):
                if file.is_file():
                    packed.write(file, file.relative_to(folder).as_posix())
        return Packed(archive, len(list(wheels.glob("*.whl"))), len(files))


def _pip(arguments: Sequence[str]) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input", *arguments],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "ERROR" in line] or ["pip"]
        raise KueueLabError(
            Message("workshop.pack.pip", error=lines[-1]), hint=Message("workshop.pack.pip.hint")
        )
