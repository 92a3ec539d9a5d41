"""Makes slides of notebooks: runs them, and has nbconvert write one page of each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.files import write_text
from kueuelab.messages import Message
from kueuelab.workshop.kernel import run_notebook
from kueuelab.workshop.rehearsal import parts
from kueuelab.workshop.slides.planning import slides_of
from kueuelab.workshop.starter import init_folder

__all__ = ["SlideFile", "make_slides", "slides_page"]

_HERE: Final = Path(__file__).parent
#: The modules of reveal.js that a page holds, in their order.
_STYLES: Final = ("reset.css", "reveal.css")
_SCRIPTS: Final = ("reveal.js", "notes.js")


@dataclass(frozen=True, slots=True)
class SlideFile:
    """A page of slides that was written."""

    name: str
    file: Path
    slides: int


def make_slides(folder: Path, chosen: Iterable[str] = ()) -> Iterator[SlideFile]:
    """Write the slides of notebooks; yield each page when it is there.

    Parameters
    ----------
    folder
        Where the pages go.
    chosen
        Notebooks, or how their names begin; all by default.

    Raises
    ------
    KueueLabError
        If nbconvert is not installed, or a notebook fails.
    """
    if find_spec("nbconvert") is None:
        raise KueueLabError(
            Message("workshop.kernel.not-installed"),
            hint=Message("workshop.kernel.not-installed.hint"),
        )
    with TemporaryDirectory() as name:
        course = Path(name)
        init_folder(course)
        environment = {"KUEUELAB_PROGRESS": str(course / "progress.json")}
        for part, source in parts(course, chosen).items():
            if not source.is_relative_to(course / "notebooks"):
                continue  # exercises have no slides: they are solved
            notebook = run_notebook(source.read_text("utf-8"), source.parent, environment)
            text, count = slides_page(notebook, part, source.parent)
            folder.mkdir(parents=True, exist_ok=True)
            file = folder / f"{part}.html"
            write_text(file, text)
            yield SlideFile(part, file, count)


def slides_page(notebook: Any, name: str, folder: Path) -> tuple[str, int]:
    """Return the slides of a notebook that was run, as a page, and how many there are.

    Pictures that it names are in that folder; the page holds them.
    """
    import nbformat
    from nbconvert import SlidesExporter

    cells = slides_of(notebook["cells"])
    shown = nbformat.from_dict(  # type: ignore[no-untyped-call]
        {"nbformat": 4, "nbformat_minor": 4, "metadata": {}, "cells": cells}
    )
    exporter = SlidesExporter(  # type: ignore[no-untyped-call]
        extra_template_basedirs=[str(_HERE)],
        template_name="template",
        exclude_input=True,
        exclude_output_prompt=True,
        exclude_anchor_links=True,
        embed_images=True,
    )
    inlined = {
        "styles": [*map(_reveal, _STYLES), (_HERE / "slides.css").read_text("utf-8")],
        "scripts": [_reveal(each).replace("</script", "<\\/script") for each in _SCRIPTS],
        "title": name,
    }
    text, _ = exporter.from_notebook_node(
        shown, {"kueuelab": inlined, "metadata": {"name": name, "path": str(folder)}}
    )
    kinds = [each["metadata"]["slideshow"]["slide_type"] for each in cells]
    return text, kinds.count("slide")


def _reveal(name: str) -> str:
    return (_HERE / "reveal" / name).read_text("utf-8")
