"""The gallery: scenarios and dumps of the package, each with its picture and one sentence."""

from __future__ import annotations

from base64 import b64encode
from functools import cache, partial
from html import escape
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab import scenarios
from kueuelab.messages import Message
from kueuelab.studio.controls import button
from kueuelab.widgets.forms import markup

if TYPE_CHECKING:
    from kueuelab.studio.studio_view import Studio

__all__ = ["Gallery"]

_DUMPS: Final = "dumps"
_GROUPS: Final = (
    "preemption-policies",
    "tutorial",
    "elastic",
    "topology",
    "loops",
    "versions",
    "multikueue",
    _DUMPS,
)


class Gallery:
    """Groups of scenarios; the pictures of a group are made when it is shown.

    Attributes
    ----------
    group
        The choice of the group.
    """

    def __init__(self, studio: Studio) -> None:
        self._studio = studio
        words = studio.words
        self.group = ipywidgets.ToggleButtons(
            options=[(words.text(f"studio.gallery.{name}"), name) for name in _GROUPS],
            value=None,
        )
        self.group.style.button_width = "auto"
        self._cards = ipywidgets.Box()
        self._cards.add_class("kl-studio-cards")
        self.widget = ipywidgets.VBox([self.group, self._cards])
        self.group.observe(lambda _: self._show_group(), names="value")

    def show(self) -> None:
        """Show the first group, unless one is chosen."""
        if self.group.value is None:
            self.group.value = _GROUPS[0]

    def _show_group(self) -> None:
        group = self.group.value
        found = scenarios.dumps() if group == _DUMPS else scenarios.names(group)
        self._cards.children = [self._card(name) for name in found]

    def _card(self, name: str) -> Any:
        words = self._studio.words
        picture, title = _picture_and_title(name)
        choose = ipywidgets.Button(description=name, tooltip=words.text("studio.gallery.hover"))
        choose.layout.width = "auto"
        choose.on_click(lambda _: self._open(name))
        told = title or words.text("studio.open.dump")
        parts = [ipywidgets.HTML(picture), choose, ipywidgets.HTML(markup("p", told))]
        if self._studio.can_build and name not in scenarios.dumps():
            build = partial(self._studio.build, name)
            parts.append(button(words, "studio.gallery.build", "studio.gallery.build.hover", build))
        card = ipywidgets.VBox(parts)
        card.add_class("kl-studio-card")
        return card

    def _open(self, name: str) -> None:
        studio = self._studio
        studio.attempt(partial(studio.open, name), Message("studio.running"))


@cache
def _picture_and_title(name: str) -> tuple[str, str]:
    """Return the still picture of a scenario as an image, and its title."""
    from kueuelab.widgets import Stepper

    if name in scenarios.dumps():
        from kueuelab.manifests import load_scenario
        from kueuelab.whatif.lab import Lab

        title, trace = "", Lab(load_scenario(scenarios.dump(name))).run(until=0).trace
    else:
        lab = scenarios.load(name)
        title, trace = lab.title, lab.run().main_trace
    data = b64encode(Stepper(trace).as_svg().encode()).decode("ascii")
    alt = escape(title or name)
    return f'<img src="data:image/svg+xml;base64,{data}" alt="{alt}">', title
