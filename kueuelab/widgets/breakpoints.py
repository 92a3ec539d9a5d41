"""Where to stop, put together by hand: a workload, a queue, an event, a message; and, or."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import reduce
from html import escape
from operator import and_, or_
from typing import Any, Final

import ipywidgets

from kueuelab.messages import Catalog, Message, language_of
from kueuelab.trace.breakpoints import EVENTS, Breakpoint
from kueuelab.trace.trace import Trace

__all__ = ["ANYTHING", "BreakpointForm", "choice", "options_in"]

ANYTHING: Final = Message("widgets.breakpoint.anything")
_ALL: Final = Message("widgets.breakpoint.all")
_ANY: Final = Message("widgets.breakpoint.any")


class BreakpointForm:
    """Fields for one breakpoint, and a list of those that were added.

    What is in the fields is in force, and so is each breakpoint in the list: the run stops
    where any of them holds.

    Parameters
    ----------
    trace
        The record of the run; it says which queues there are.
    about
        Returns the workload to be followed, ``""`` for any.
    changed
        Called after each change.
    language
        The language: a code, or a catalogue.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> trace = scenarios.load("within-1-all-in-one-queue").run().trace
    >>> form = BreakpointForm(trace, lambda: "", lambda: None)
    >>> form.event.value, form.queue.value = "preempted", "cluster-queue"
    >>> form.breakpoint()
    <Breakpoint event 'preempted' & queue 'cluster-queue'>
    >>> form.match.value = "any of these"
    >>> form.breakpoint()
    <Breakpoint event 'preempted' | queue 'cluster-queue'>
    """

    def __init__(
        self,
        trace: Trace,
        about: Callable[[], str],
        changed: Callable[[], None],
        language: str | Catalog | None = None,
    ) -> None:
        words = self._words = language_of(language)
        self._about = about
        self._tell = changed
        self.added: list[Breakpoint] = []
        queues = sorted({step.cluster_queue for step in trace.steps if step.cluster_queue})
        self.event = choice(
            "widgets.breakpoint.event", "widgets.breakpoint.event.hover", (ANYTHING, *EVENTS), words
        )
        self.queue = choice(
            "widgets.breakpoint.queue", "widgets.breakpoint.queue.hover", (ANYTHING, *queues), words
        )
        self.message = ipywidgets.Text(
            description=words.text("widgets.breakpoint.message"),
            placeholder=words.text("widgets.breakpoint.message.placeholder"),
            tooltip=words.text("widgets.breakpoint.message.hover"),
            continuous_update=True,
        )
        self.message.style.description_width = "initial"
        self.message.layout.width = "230px"
        self.match = choice(
            "widgets.breakpoint.match", "widgets.breakpoint.match.hover", (_ALL, _ANY), words
        )
        self.add = ipywidgets.Button(
            description=words.text("widgets.breakpoint.keep"),
            tooltip=words.text("widgets.breakpoint.keep.hover"),
        )
        self.add.layout.width = "auto"
        self.add.on_click(lambda _: self._keep())
        self._said = ipywidgets.HTML()
        self._said.add_class("kl-said")
        self._list = ipywidgets.HBox()
        self._list.add_class("kl-chosen")
        for control in (self.event, self.queue, self.message, self.match):
            control.observe(lambda _: self._changed(), names="value")
        fields = ipywidgets.HBox([self.queue, self.message, self.match, self.add])
        fields.add_class("kl-buttons")
        #: Without ``event``, which stands where it can be reached at once.
        self.widget = ipywidgets.VBox([fields, self._said, self._list])
        self._changed()

    def breakpoint(self, *, about: bool = True) -> Breakpoint | None:
        """Return where to stop, ``None`` for nowhere; without the workload, if asked for."""
        found = [self.typed(about=about), *self.added]
        return _joined(or_, (each for each in found if each is not None))

    def typed(self, *, about: bool = True) -> Breakpoint | None:
        """Return what is in the fields, ``None`` if they are empty."""
        conditions = []
        if about and (workload := self._about()):
            conditions.append(Breakpoint.workload(workload))
        if self.event.value != ANYTHING:
            conditions.append(Breakpoint.event(self.event.value))
        if self.queue.value != ANYTHING:
            conditions.append(Breakpoint.queue(self.queue.value))
        if self.message.value and not self._mistake():
            conditions.append(Breakpoint.message(self.message.value))
        return _joined(and_ if self.match.value == _ALL else or_, conditions)

    def refresh(self) -> None:
        """Say what is in force."""
        mistake = self._mistake()
        typed = self.typed()
        self.add.disabled = typed is None or bool(mistake)
        if mistake:
            text = Message("widgets.breakpoint.not-regular", mistake=mistake)
        elif typed is None and not self.added:
            text = Message("widgets.breakpoint.none")
        else:
            text = Message("widgets.breakpoint.stops", condition=said(self.breakpoint()))
        self._said.value = f'<p role="status">{escape(self._words.render(text))}</p>'

    def _mistake(self) -> str:
        try:
            re.compile(self.message.value)
        except re.error as error:
            return str(error)
        return ""

    def _changed(self) -> None:
        self.refresh()
        self._tell()

    def _keep(self) -> None:
        typed = self.typed()
        if typed is None:
            return
        self.added.append(typed)
        self.event.value = self.queue.value = ANYTHING
        self.message.value = ""
        self._show_list()

    def _drop(self, dropped: Breakpoint) -> None:
        self.added = [each for each in self.added if each is not dropped]
        self._show_list()

    def _show_list(self) -> None:
        self._list.children = [self._chip(each) for each in self.added]
        self._changed()

    def _chip(self, kept: Breakpoint) -> Any:
        button = ipywidgets.Button(
            description=f"{said(kept)} ✕",
            tooltip=self._words.text("widgets.breakpoint.remove.hover"),
        )
        button.layout.width = "auto"
        button.on_click(lambda _: self._drop(kept))
        return button


def said(breakpoint_: Breakpoint | None) -> str:
    """Return a breakpoint as people read it.

    >>> said(Breakpoint.event("preempted") & Breakpoint.queue("team-a"))
    "event 'preempted' and queue 'team-a'"
    """
    text = "" if breakpoint_ is None else repr(breakpoint_)
    text = text.removeprefix("<Breakpoint ").removesuffix(">")
    return text.replace(" & ", " and ").replace(" | ", " or ")


def _joined(
    how: Callable[[Breakpoint, Breakpoint], Breakpoint], found: Iterable[Breakpoint]
) -> Breakpoint | None:
    conditions = list(found)
    return reduce(how, conditions) if conditions else None


def options_in(words: Catalog, values: Iterable[str]) -> tuple[Any, ...]:
    """Return values as options: with another text where the language has one."""
    found = tuple(values)
    shown = tuple(map(words.render, found))
    return found if shown == found else tuple(zip(shown, found, strict=True))


def choice(label: str, hover: str, options: Iterable[str], words: Catalog) -> Any:
    """Return a labelled list of options that is as wide as it has to be.

    Parameters
    ----------
    label, hover
        The ids of the label and of the hover.
    options
        The values; messages among them are shown in the language.
    words
        The language.
    """
    found = ipywidgets.Dropdown(
        options=options_in(words, options),
        description=words.text(label),
        tooltip=words.text(hover),
    )
    found.style.description_width = "initial"
    found.layout.width = "auto"
    return found
