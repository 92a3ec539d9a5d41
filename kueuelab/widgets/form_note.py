"""What stands for a form where no kernel runs: what it is, and how to use it."""

from __future__ import annotations

from html import escape
from typing import Any, Final

from kueuelab.frontend.pages import one_line
from kueuelab.messages import Catalog

__all__ = ["display_form", "note"]

#: Jupyter keeps the error message of a widget whose model is gone: the note stands for it. Where
#: the form itself is there, the note is not needed. Both are outputs of one cell, the note first.
_STYLE: Final = """\
.jp-OutputArea-child:has(.kl-form-note):has(+ .jp-OutputArea-child .jupyter-widgets > *),
.jp-OutputArea-child:has(.kl-form-note) + :not(:has(.jupyter-widgets > *))
{display:none}
.kl-form-note{padding:6px 10px;border-left:4px solid #79828d}
.kl-form-note pre{white-space:pre-wrap;margin:4px 0}"""


def note(title: str, text: str, words: Catalog, answer: str = "") -> str:
    """Return the note as HTML.

    Parameters
    ----------
    title
        What the form is for.
    text
        What it shows, as text.
    words
        The language.
    answer
        What is shown when the reader asks for it.
    """
    told = f"<pre>{escape(text)}</pre>" if text else ""
    last = f"<p>{escape(words.text('widgets.form.needs-kernel'))}</p>"
    if answer:
        summary = escape(words.text("widgets.prediction.reveal"))
        last = f"<details><summary>{summary}</summary><p>{escape(answer)}</p></details>"
    return one_line(
        f'<div class="kl-form-note"><style>{_STYLE}</style><p><b>{escape(title)}</b></p>{told}'
        f"{last}</div>"
    )


def display_form(widget: Any, title: str, text: str, words: Catalog, answer: str = "") -> None:
    """Show a form in a cell, and its note before it: one of them is visible."""
    from IPython.display import display

    said = {
        "text/html": note(title, text, words, answer),
        "text/plain": f"{title}\n{text}".rstrip(),
    }
    display(said, raw=True)  # type: ignore[no-untyped-call]
    shown = widget._repr_mimebundle_()
    bundle = dict(shown[0] if isinstance(shown, tuple) else shown)
    display(bundle | {"text/plain": title}, raw=True)  # type: ignore[no-untyped-call]
