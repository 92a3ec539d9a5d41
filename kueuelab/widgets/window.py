"""What somebody sees of a high picture: how wide it is there, and how far it is scrolled."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import anywidget
import traitlets

__all__ = ["Window"]

_STATIC: Final = Path(__file__).parent / "static"


class Window(anywidget.AnyWidget):
    """Watches the frame (``kl-scroll``) that it stands beside, and scrolls it when asked to.

    Pixels, all of them. ``reveal`` is what should be seen: from, to, and a number that makes
    it another request although it is the same place.
    """

    _esm = (_STATIC / "window.js").read_text("utf-8")
    width = traitlets.Int(0).tag(sync=True)
    height = traitlets.Int(0).tag(sync=True)
    top = traitlets.Int(0).tag(sync=True)
    reveal = traitlets.List(traitlets.Int()).tag(sync=True)
