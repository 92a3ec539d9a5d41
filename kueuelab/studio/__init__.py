"""The studio: open a cluster, ask why a workload is pending, change something, compare.

``kl.studio("dump/")`` shows it in a notebook. The state is a
:class:`~kueuelab.session.session.Session`, which needs no browser; the pages only show it.
"""

from __future__ import annotations

import sys
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kueuelab.messages import Catalog
    from kueuelab.studio.studio_view import Studio

__all__ = ["studio"]


def studio(*files: str | Path, language: str | Catalog = "en") -> Studio:
    """Return the studio, to be shown in a notebook.

    Parameters
    ----------
    files
        What it opens: names of packaged scenarios and dumps, files, or folders.
    language
        The language: a code, or a catalogue.

    Raises
    ------
    InputError
        If something is wrong with a file.

    Examples
    --------
    >>> studio("reclaim-1-take-back")
    <Studio: reclaim-1-take-back>
    """
    from kueuelab.studio.studio_view import Studio

    return Studio(*files, language=language)


class _CallableRoom(ModuleType):
    """The room is an attribute of the package, and people call it: ``kl.studio(...)``."""

    __call__ = staticmethod(studio)


sys.modules[__name__].__class__ = _CallableRoom
