"""What if, for several clusters: inject a fault, set up the dispatch anew, run again."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from typing import TYPE_CHECKING, Any, Final

import ipywidgets

from kueuelab.errors import KueueLabError
from kueuelab.messages import Catalog, Message
from kueuelab.multikueue.dispatchers import ALL_AT_ONCE, INCREMENTAL, Dispatcher
from kueuelab.views.rerun import Dispatching, dispatching_of
from kueuelab.widgets.forms import choice, html

if TYPE_CHECKING:
    from kueuelab.widgets.multikueue_view import MultiKueueBoard

__all__ = ["MultiKueueChanges"]

_START: Final = Message("widgets.what-if.start")
_HERE: Final = Message("widgets.what-if.this-time")
_AS_IT_IS: Final = Message("widgets.what-if.unchanged-value")
_NAMES: Final[Mapping[str, str]] = {"AllAtOnce": ALL_AT_ONCE, "Incremental": INCREMENTAL}


class MultiKueueChanges:
    """Controls for faults and for the dispatch; the board runs what is asked for.

    Parameters
    ----------
    owner
        The board.
    dispatchers
        Dispatchers of one's own, by name.

    Attributes
    ----------
    cluster, fault, inject
        Which cluster, its fault, and the button that makes it happen.
    order, dispatcher, step_size, seed, where, rerun
        The workers in order, which dispatcher nominates them, and how; from where; and the button.
    widget
        The widget, to be put into a layout of one's own.
    """

    def __init__(self, owner: MultiKueueBoard, dispatchers: Mapping[str, Dispatcher]) -> None:
        words = owner.words
        self._owner = owner
        self._own = {
            Message("widgets.dispatch.own", name=name): each for name, each in dispatchers.items()
        }
        self._status = ""
        names = list(owner.run.cluster_set.members)
        manager = owner.run.cluster_set.manager.member.name
        workers = [name for name in names if name != manager]
        self.cluster = choice(
            "widgets.fault.where", "widgets.fault.where.hover", [*workers, manager], words
        )
        self.fault = choice("widgets.fault.what", "widgets.fault.what.hover", [], words)
        self.inject = _button("widgets.fault.inject", "widgets.fault.inject.hover", words)
        self._hint = html("kl-hint")
        self.order = ipywidgets.Text(
            description=words.text("widgets.dispatch.order"),
            tooltip=words.text("widgets.dispatch.order.hover"),
            continuous_update=True,
        )
        self.order.style.description_width = "initial"
        self.order.layout.width = "320px"
        self.dispatcher = choice(
            "widgets.dispatch.dispatcher",
            "widgets.dispatch.dispatcher.hover",
            [_AS_IT_IS, *_NAMES, *self._own],
            words,
        )
        self.step_size = _number("stepSize", 1, words.text("widgets.dispatch.step-size.hover"))
        self.seed = _number("seed", 0, words.text("widgets.dispatch.seed.hover"))
        self.where = choice(
            "widgets.what-if.from", "widgets.what-if.from.hover", [_START, _HERE], words
        )
        self.rerun = _button("widgets.dispatch.run", "widgets.dispatch.run.hover", words)
        self._verdict = html("kl-note")
        self.cluster.observe(lambda _: self.follow(), names="value")
        self.fault.observe(lambda _: self._explain(), names="value")
        for control in (self.order, self.dispatcher, self.where):
            control.observe(lambda _: self._check(), names="value")
        self.inject.on_click(lambda _: self._inject())
        self.rerun.on_click(lambda _: self._rerun())
        rows = [
            _row(_title(words.text("widgets.fault.title")), self.cluster, self.fault, self.inject),
            self._hint,
            _row(
                _title(words.text("widgets.dispatch.title")),
                self.order,
                self.dispatcher,
                self.step_size,
            ),
            _row(self.seed, self.where, self.rerun),
            self._verdict,
        ]
        self.widget = ipywidgets.VBox(rows)
        self.widget.add_class("kl-what-if")
        self.widget.add_class("kl-wide")
        self.reset()

    def reset(self) -> None:
        """Show the dispatch of the run that is shown now."""
        scenario = self._owner.run.scenario
        now = dispatching_of(scenario)
        self._now = now
        self.order.value = ", ".join(now.clusters)
        self.dispatcher.value = _AS_IT_IS
        self.step_size.value = now.step_size
        self.seed.value = scenario.seed
        self.follow()
        self._check()

    def follow(self) -> None:
        """Offer what is possible at the step shown, for the selected job."""
        pane = self._owner.pane
        self._offers = {
            self._owner.words.render(offer.label): offer
            for offer in pane.offers(self.cluster.value, pane.board.job)
        }
        labels = tuple(self._offers)
        if labels != self.fault.options:
            kept = self.fault.value
            self.fault.options = labels
            self.fault.value = kept if kept in labels else labels[0] if labels else None
        self.inject.disabled = not labels
        self._explain()

    def as_text(self) -> str:
        """Return what is set and what can be done, as plain text."""
        words = self._owner.words
        offers = words.separated(self._offers) or words.text("list.none")
        lines = [
            words.text("widgets.fault.offers", cluster=self.cluster.value, offers=offers),
            words.text(
                "widgets.dispatch.text",
                order=self.order.value,
                dispatcher=self.dispatcher.value,
                step=self.step_size.value,
                start=self.where.value,
            ),
        ]
        return "\n".join([*lines, *([self._status] if self._status else [])])

    def say(self, text: str, *, wrong: bool = False) -> None:
        """Tell the reader something; aloud if it is wrong."""
        self._status = text
        mark = "✖ " if wrong else ""
        lines = "<br>".join(mark + escape(line) for line in text.splitlines())
        self._verdict.value = f'<p role="{"alert" if wrong else "status"}">{lines}</p>'

    def wanted(self) -> Dispatching:
        """Return the dispatch as it stands in the controls."""
        clusters = tuple(name.strip() for name in self.order.value.split(",") if name.strip())
        chosen, now = self.dispatcher.value, self._now
        own = self._own.get(chosen)
        if chosen == _AS_IT_IS:
            own, name = now.own, now.name
        else:
            name = _NAMES.get(chosen, now.name)
        return Dispatching(clusters, name, self.step_size.value, own)

    def _explain(self) -> None:
        offer = self._offers.get(self.fault.value)
        texts = [] if offer is None else [Message("widgets.fault.on-a-cluster", hint=offer.hint)]
        if not self._owner.pane.board.job:
            texts.append(Message("widgets.fault.select-a-job"))
        self._hint.value = f"<p>{escape(' '.join(map(self._owner.words.render, texts)))}</p>"

    def _check(self) -> None:
        """Say what doesn't go together before it is run."""
        here = self.where.value == _HERE
        for control in (self.dispatcher, self.step_size, self.seed):
            control.disabled = here
        try:
            self._owner.check(self.wanted())
        except KueueLabError as error:
            self.say(str(error), wrong=True)
            self.rerun.disabled = True
            return
        left = [name for name in self._now.clusters if name not in self.wanted().clusters]
        notes = [Message("widgets.dispatch.left-out", clusters=", ".join(left))] if left else []
        if here:
            notes.append(Message("widgets.dispatch.only-order"))
        self.rerun.disabled = False
        self.say(" ".join(map(self._owner.words.render, notes)))

    def _inject(self) -> None:
        offer = self._offers.get(self.fault.value)
        if offer is not None:
            self._owner.inject(offer.id, self.cluster.value)

    def _rerun(self) -> None:
        if self.where.value == _HERE:
            self._owner.reorder(*self.wanted().clusters)
        else:
            self._owner.redispatch(self.wanted(), seed=self.seed.value)


def _number(label: str, least: int, tooltip: str) -> Any:
    found = ipywidgets.BoundedIntText(
        value=least, min=least, max=1000, description=label, tooltip=tooltip
    )
    found.style.description_width = "initial"
    found.layout.width = "130px"
    return found


def _button(label: str, hover: str, words: Catalog) -> Any:
    found = ipywidgets.Button(description=words.text(label), tooltip=words.text(hover))
    found.layout.width = "auto"
    return found


def _title(text: str) -> Any:
    found = html("kl-note")
    found.value = f'<p class="kl-kind">{escape(text)}</p>'
    return found


def _row(*children: Any) -> Any:
    row = ipywidgets.HBox(children)
    row.add_class("kl-buttons")
    return row
