"""Run notebooks from a clean kernel and keep their outputs, as the test run compares them.

``make notebooks`` calls this after a change of what views say. Of cells that show views
(tagged ``nbval-ignore-output``) the still pictures are kept with their text; forms, widget state
and whatever else changes from run to run is left out. The picture at the beginning of each notebook
is drawn again, too.
"""

from __future__ import annotations

import sys
from pathlib import Path

import nbformat
from nbclient import NotebookClient

sys.path.insert(0, str(Path(__file__).parent / "notebooks"))

import pictures

from kueuelab.workshop.notebooks import START
from kueuelab.workshop.start_page import StartPage

ROOT = Path(__file__).parent.parent
#: Of cells with this tag the test run does not compare the output.
IGNORED = "nbval-ignore-output"


def refresh(path: Path) -> bool:
    """Run a notebook in place; tell whether its text changed."""
    before = path.read_text("utf-8")
    notebook = nbformat.reads(before, as_version=4)
    if path.stem == START:
        # The studio's first page says the same.
        notebook.cells[0].source = StartPage().as_markdown()
    NotebookClient(
        notebook,
        timeout=900,
        store_widget_state=False,
        coalesce_streams=True,
        resources={"metadata": {"path": path.parent}},
    ).execute()
    count = 0
    for cell in notebook.cells:
        if cell.cell_type != "code":
            continue
        count += 1
        cell.execution_count = count
        cell.metadata.pop("execution", None)
        ignored = IGNORED in cell.metadata.get("tags", ())
        kept = filter(None, map(_still, cell.outputs)) if ignored else cell.outputs
        cell.outputs = [_plain(output, count) for output in kept]
    notebook.metadata = nbformat.from_dict(
        {
            "kernelspec": notebook.metadata.kernelspec,
            "language_info": {"name": "python"},
        }
    )
    after = nbformat.writes(notebook) + "\n"
    path.write_text(after, "utf-8")
    return after != before


def _still(output: nbformat.NotebookNode) -> nbformat.NotebookNode | None:
    """Return the still picture of a view with its text, or the note of a form; else nothing."""
    data = output.get("data", {})
    if "kl-form-note" in data.get("text/html", ""):
        return output
    if "image/svg+xml" not in data or "kl-still" not in data.get("text/html", ""):
        return None
    still = data["text/html"].partition('<div class="kl-still">')[2].partition("</div>")[0]
    output.data = {"text/html": still.rstrip(), "text/plain": data["text/plain"]}
    return output


def _plain(output: nbformat.NotebookNode, count: int) -> nbformat.NotebookNode:
    if output.output_type == "execute_result":
        output.execution_count = count
    return output


def main(names: list[str]) -> None:
    """Refresh the notebooks named, or all of them."""
    chosen = [Path(name) for name in names] or sorted((ROOT / "notebooks").glob("*.ipynb"))
    for path in chosen:
        print(f"{path.name}: {'changed' if refresh(path) else 'as it was'}")
        if path.stem == pictures.START:
            drawn = (pictures.START, pictures.NARROW)
        else:
            drawn = (path.stem,) if path.stem in pictures.PICTURES else ()
        for name in drawn:
            if pictures.refresh(name):
                print(f"{name}.svg: changed")


if __name__ == "__main__":
    main(sys.argv[1:])
