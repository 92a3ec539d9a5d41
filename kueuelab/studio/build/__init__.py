"""Building a scenario: a draft whose text is the one truth, and the page that edits it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

    from kueuelab.studio.studio_view import Studio

__all__ = ["build"]


def build(studio: Studio, source: str | Path = "") -> None:
    """Show the page that builds: from nothing, or from a packaged scenario or a file.

    Raises
    ------
    InputError
        If there is no such scenario or file.
    """
    from kueuelab.studio.build.page import BuildPage

    page = studio.pages["build"]
    assert isinstance(page, BuildPage)
    if source:
        page.change(source)
    else:
        page.start()
    studio.show_page("build")
