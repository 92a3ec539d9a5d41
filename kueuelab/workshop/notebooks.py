"""Where the notebooks are: in the checkout, or copied out of the installed package."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Final

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

__all__ = [
    "COPIES",
    "START",
    "copy_notebooks",
    "first_notebook",
    "is_copy",
    "notebook_folder",
    "place_to_open",
    "shipped_notebooks",
]

#: What the folder is called that notebooks are copied to.
COPIES: Final = "kueuelab-notebooks"
#: The name of the notebook to begin with; it is no part of the tour.
START: Final = "00-start"

_PACKAGE: Final = Path(__file__).resolve().parent.parent


def notebook_folder(working: Path, package: Path | None = None) -> Path:
    """Return the folder with the notebooks; make one if they only come with the package.

    Notebooks of a checkout are used where they are. Those of an installed package are
    copied to the working folder, and a copy that is there already is left alone: it may
    hold a person's work.

    Parameters
    ----------
    working : Path
        Where to put copies.
    package : Path, optional
        The installed package; this one if left out.

    Returns
    -------
    Path
        A folder with at least one notebook.

    Raises
    ------
    KueueLabError
        If there are no notebooks.
    """
    package = package or _PACKAGE
    checkout = package.parent / "notebooks"
    return checkout if _notebooks(checkout) else copy_notebooks(working, package)


def copy_notebooks(working: Path, package: Path | None = None) -> Path:
    """Copy the notebooks to the working folder; what is there already is left alone.

    Parameters
    ----------
    working : Path
        Where to put the folder with the copies.
    package : Path, optional
        The installed package; this one if left out.

    Returns
    -------
    Path
        The folder with the copies.

    Raises
    ------
    KueueLabError
        If there are no notebooks.
    """
    shipped = shipped_notebooks(package)[0].parent
    copies = working / COPIES
    for source in sorted(shipped.rglob("*")):
        target = copies / source.relative_to(shipped)
        if source.is_file() and not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
    return copies


def shipped_notebooks(package: Path | None = None) -> list[Path]:
    """Return the notebooks of the checkout, or else those that come with the package, in order.

    Raises
    ------
    KueueLabError
        If there are none.
    """
    package = package or _PACKAGE
    for folder in (package.parent / "notebooks", package / "notebooks"):
        if found := _notebooks(folder):
            return found
    raise KueueLabError(Message("cli.lab.no-copies"), hint=Message("cli.lab.no-copies.hint"))


def place_to_open(directory: Path | None, working: Path) -> tuple[Path, Path]:
    """Return the folder to show, and the notebook in it to begin with.

    Parameters
    ----------
    directory : Path or None
        A folder with notebooks of its own; ``None`` for those of the checkout or package.
    working : Path
        Where to put copies of the latter.

    Raises
    ------
    KueueLabError
        If there are no notebooks.
    """
    if directory is None:
        folder = notebook_folder(working)
        return folder, first_notebook(folder)
    for folder in (directory / "notebooks", directory):
        if _notebooks(folder):
            return directory, first_notebook(folder)
    raise KueueLabError(
        Message("cli.lab.no-notebooks", folder=directory),
        hint=Message("cli.lab.no-notebooks.hint", folder=directory),
    )


def first_notebook(folder: Path) -> Path:
    """Return the notebook to begin with: the first by name."""
    return _notebooks(folder)[0]


def is_copy(notebook: Path, package: Path | None = None) -> bool:
    """Tell whether a notebook is a learner's copy: in neither checkout nor package."""
    package = package or _PACKAGE
    originals = (package.parent / "notebooks", package / "notebooks")
    return not any(notebook.resolve().is_relative_to(each.resolve()) for each in originals)


def _notebooks(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.ipynb"))
