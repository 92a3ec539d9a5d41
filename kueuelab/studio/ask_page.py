"""The page that asks: what is pending, how queues are used, what is probably not intended."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.studio.controls import offer, selection
from kueuelab.studio.findings_section import FindingsSection
from kueuelab.studio.pending_section import PendingSection
from kueuelab.studio.queues_section import QueuesSection

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["AskPage"]

_SECTIONS: Final = ("pending", "queues", "findings")


class AskPage:
    """What there is to know about a branch.

    Attributes
    ----------
    branch
        The choice of the branch.
    pending, queues, findings
        The sections.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.branch = selection(words, "studio.branch")
        self.pending = PendingSection(studio)
        self.queues = QueuesSection(studio)
        self.findings = FindingsSection(studio)
        sections = (self.pending, self.queues, self.findings)
        self.tabs = ipywidgets.Tab(
            children=[section.widget for section in sections],
            titles=[words.text(f"studio.ask.{name}") for name in _SECTIONS],
            selected_index=0,
        )
        self.widget = ipywidgets.VBox([self.branch, self.tabs])
        self.branch.observe(lambda _: self._show(), names="value")
        self.tabs.observe(lambda _: self._show_section(), names="selected_index")
        self._shown: dict[str, str] = {}

    def show(self, branch: str) -> None:
        """Show what is pending in a branch."""
        self.branch.value = branch
        self.tabs.selected_index = 0

    def show_branches(self, names: Sequence[Any]) -> None:
        """Offer branches to choose from."""
        offer(self.branch, names)

    def _show(self) -> None:
        self._shown.clear()
        self._show_section()

    def _show_section(self) -> None:
        """Show the branch in the section; it is not made again for the same branch."""
        name, section = self.branch.value, _SECTIONS[self.tabs.selected_index or 0]
        if name is None or self._shown.get(section) == name:
            return
        self._shown[section] = name
        shown: Any = getattr(self, section)
        self._studio.attempt(lambda: shown.show(name))
