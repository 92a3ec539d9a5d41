"""A control for a quantity: what is written keeps its unit, and buttons step in that unit."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import ipywidgets

from kueuelab.errors import QuantityError
from kueuelab.messages import Catalog
from kueuelab.quantity import Quantity
from kueuelab.widgets.forms import html, markup

__all__ = ["QuantityStepper", "stepped"]

_NUMBER: Final = re.compile(r"(?P<number>[+-]?\d+(?:\.\d*)?|[+-]?\.\d+)(?P<unit>\D*)")
#: Thousandths and smaller parts go by the hundred: 500m is followed by 600m.
_PARTS: Final = ("m", "u", "n")
_HUNDRED: Final = Decimal(100)


def stepped(text: str, steps: int) -> str:
    """Return a quantity so many steps larger or smaller, in the unit that it is written in.

    A step is one unit, 100 of thousandths and smaller parts, and more for numbers of three
    digits or more: only their first two digits change. It does not go below 0.

    Raises
    ------
    QuantityError
        If it is no quantity.

    Examples
    --------
    >>> stepped("500m", 1), stepped("3Gi", -1), stepped("12", 1), stepped("120", 1), stepped("", 1)
    ('600m', '2Gi', '13', '130', '1')
    >>> stepped("1.5Gi", 1), stepped("50m", -1)
    ('2.5Gi', '0m')
    """
    written = text.strip() or "0"
    quantity = Quantity.parse(written)
    found = _NUMBER.fullmatch(written) or _NUMBER.fullmatch(str(quantity))
    if found is None:
        # Beyond what is printed with a unit: as an exponent.
        return str(quantity)
    number, unit = Decimal(found["number"]), found["unit"]
    step = _HUNDRED if unit in _PARTS else _step_of(number)
    new = max(number + steps * step, Decimal(0))
    return f"{new.normalize():f}{unit}"


def _step_of(number: Decimal) -> Decimal:
    digits = len(str(int(abs(number))))
    return Decimal(10) ** max(0, digits - 2)


class QuantityStepper:
    """A labelled quantity with buttons that make it smaller and larger.

    Parameters
    ----------
    words
        The language.
    name, hover
        The ids of its label and of its hover.
    value
        The quantity as it is written; ``""`` for none.

    Attributes
    ----------
    widget
        The widget.
    problem
        Why the text is no quantity, in Kubernetes' words; ``""`` if it is one, or empty.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> stepper = QuantityStepper(english(), "studio.branch", "studio.branch", "3Gi")
    >>> stepper.more.click()
    >>> stepper.value, stepper.problem
    ('4Gi', '')
    >>> stepper.value = "four"
    >>> stepper.problem[:20]
    "'four': quantities m"
    """

    def __init__(self, words: Catalog, name: str, hover: str, value: str = "") -> None:
        self._listeners: list[Callable[[], object]] = []
        self.problem = ""
        self.text = ipywidgets.Text(
            value=value, description=words.text(name), tooltip=words.text(hover)
        )
        self.text.style.description_width = "initial"
        self.text.layout.width = "16em"
        self.less = self._button(words, "studio.quantity.less", "-")
        self.more = self._button(words, "studio.quantity.more", "+")
        self._note = html("kl-studio-problem")
        self.widget = ipywidgets.HBox([self.text, self.less, self.more, self._note])
        self.widget.add_class("kl-buttons")
        self.less.on_click(lambda _: self._step(-1))
        self.more.on_click(lambda _: self._step(1))
        self.text.observe(lambda _: self._changed(), names="value")
        self._check()

    @property
    def value(self) -> str:
        """The quantity as it is written; ``""`` for none."""
        return str(self.text.value).strip()

    @value.setter
    def value(self, text: str) -> None:
        self.text.value = text

    def on_change(self, listener: Callable[[], object]) -> None:
        """Call ``listener`` after each change, also of a text that is no quantity."""
        self._listeners.append(listener)

    @staticmethod
    def _button(words: Catalog, name: str, sign: str) -> Any:
        found = ipywidgets.Button(description=sign, tooltip=words.text(name))
        found.layout.width = "2.5em"
        return found

    def _step(self, steps: int) -> None:
        if not self.problem:
            self.value = stepped(self.value, steps)

    def _changed(self) -> None:
        self._check()
        for listener in self._listeners:
            listener()

    def _check(self) -> None:
        try:
            Quantity.parse(self.value or "0")
        except QuantityError as error:
            self.problem = str(error)
        else:
            self.problem = ""
        self.less.disabled = self.more.disabled = bool(self.problem)
        self._note.value = markup("span", self.problem, "kl-wrong") if self.problem else ""
