"""What of a notebook is on its slides, and what is in the speaker notes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape
from typing import Any, Final

__all__ = ["is_bare_heading", "slides_of"]

_HEADING: Final = re.compile(r"^(?=#{1,3} )", re.MULTILINE)
_PARAGRAPHS: Final = re.compile(r"\n\s*\n")
#: An output with more lines has a slide of its own.
_FEW_LINES: Final = 8
_VIEW: Final = "kl-embedded"
_FRAME: Final = "kueuelab"
_NOTES: Final = "notes"
_WIDGET: Final = "application/vnd.jupyter.widget-view+json"

Cell = dict[str, Any]


def slides_of(cells: list[Cell]) -> list[Cell]:
    r"""Return cells with the metadata of nbconvert's slides.

    Slides follow one another in one line. A heading begins a slide, and so does other prose, with
    its first paragraph and the table below it; the title slide has all up to its picture. The rest
    of the prose, and the code, are in the notes. Views and long outputs have slides of their own,
    but no slide has a heading alone: what comes next is below it.

    Examples
    --------
    >>> prose = {"cell_type": "markdown", "metadata": {}, "source": "# A\n\nFirst.\n\nMore."}
    >>> for each in slides_of([prose]):
    ...     print(each["metadata"]["slideshow"]["slide_type"], repr(each["source"]))
    slide '# A\n\nFirst.'
    notes 'More.'
    """
    return _without_bare_headings(_planned(cells))


def _planned(cells: list[Cell]) -> list[Cell]:
    found: list[Cell] = []
    for cell in cells:
        if cell["cell_type"] == "markdown":
            for part in _HEADING.split(cell["source"]):
                if part.strip():
                    found += _prose(part.strip(), is_first=not found)
        elif cell["cell_type"] == "code":
            found += _outputs(cell, beside_view=_is_view(found))
    return found


def _without_bare_headings(cells: list[Cell]) -> list[Cell]:
    """Put below a heading what has a slide of its own after it."""
    found: list[Cell] = []
    bare = False
    for cell in cells:
        kind = cell["metadata"]["slideshow"]["slide_type"]
        if kind == _NOTES:
            found.append(cell)
            continue
        is_heading = is_bare_heading(cell)
        found.append({**cell, "metadata": _slide("-")} if bare and not is_heading else cell)
        bare = is_heading
    return found


def is_bare_heading(cell: Cell) -> bool:
    """Tell whether a cell of a slide has a heading and nothing else."""
    text = cell["source"].strip()
    return cell["cell_type"] == "markdown" and text.startswith("#") and "\n" not in text


def _is_view(cells: list[Cell]) -> bool:
    """Tell whether the slide so far has a view, which fills it."""
    shown = [each for each in cells if each["metadata"]["slideshow"]["slide_type"] != _NOTES]
    return bool(shown) and any("kl-frame" in _html(each) for each in shown[-1].get("outputs", []))


def _prose(text: str, *, is_first: bool) -> Iterator[Cell]:
    heading = text.startswith("#")
    head, *paragraphs = _PARAGRAPHS.split(text)
    shown = [head]
    if heading and paragraphs:
        count = _up_to_picture(paragraphs) if is_first else 1
        if paragraphs[count:] and paragraphs[count].startswith("|"):
            count += 1
        shown += paragraphs[:count]
        del paragraphs[:count]
    yield _markdown("slide", "\n\n".join(shown))
    if paragraphs:
        yield _markdown(_NOTES, "\n\n".join(paragraphs))


def _up_to_picture(paragraphs: list[str]) -> int:
    """Return how many paragraphs there are up to the first picture, and with it; or one."""
    pictures = (index for index, each in enumerate(paragraphs) if each.startswith("!["))
    return next(pictures, 0) + 1


def _outputs(cell: Cell, *, beside_view: bool) -> Iterator[Cell]:
    outputs = [_without_widget(each) for each in cell["outputs"]]
    # Beside a view, forms that need a kernel are left out.
    views = [_framed(each) for each in outputs if _VIEW in _html(each)]
    outputs = views or outputs
    outputs = [each for each in outputs if each.get("data") or each.get("text")]
    if outputs:
        is_large = beside_view or any(_is_large(each) for each in outputs)
        yield {**cell, "outputs": outputs, "metadata": _slide("slide" if is_large else "-")}
    code = "\n".join(line for line in cell["source"].splitlines() if not line.startswith("# NBVAL"))
    yield _markdown(_NOTES, f"```python\n{code}\n```")


def _without_widget(output: Cell) -> Cell:
    """Return an output without the form that needs a kernel."""
    if "data" not in output:
        return output
    return {**output, "data": {k: v for k, v in output["data"].items() if k != _WIDGET}}


def _html(output: Cell) -> str:
    return str(output.get("data", {}).get("text/html", ""))


def _framed(output: Cell) -> Cell:
    """Return a view in a document of its own: reveal.js takes each section for a slide."""
    page = f'<!doctype html><html lang="en"><body class="kl-body">{_html(output)}</body></html>'
    frame = f'<iframe class="kl-frame" title="{_FRAME}" srcdoc="{escape(page)}"></iframe>'
    return {**output, "data": {"text/html": frame}}


def _is_large(output: Cell) -> bool:
    data = output.get("data", {})
    text = output.get("text") or data.get("text/plain") or ""
    return "text/html" in data or "image/svg+xml" in data or text.count("\n") > _FEW_LINES


def _markdown(kind: str, text: str) -> Cell:
    return {"cell_type": "markdown", "metadata": _slide(kind), "source": text}


def _slide(kind: str) -> dict[str, Any]:
    return {"slideshow": {"slide_type": kind}}
