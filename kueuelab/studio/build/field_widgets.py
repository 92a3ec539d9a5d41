"""What fields of forms are made of: a control for a quantity, what a field is for, links."""

from __future__ import annotations

from collections.abc import Callable
from html import escape
from typing import Final

from kueuelab.messages import Catalog
from kueuelab.session.building.fields import FormField
from kueuelab.studio.quantity_stepper import QuantityStepper

__all__ = ["LABEL", "hint", "link", "quantity"]

#: How wide the name of a field is.
LABEL: Final = "12em"


def quantity(words: Catalog, label: str, edit: Callable[[str], object]) -> QuantityStepper:
    """Return a control for a quantity that makes an edit of what is chosen."""
    stepper = QuantityStepper(words, "studio.build.quantity", "studio.build.quantity.hover")
    stepper.text.description = label
    stepper.text.style.description_width = LABEL
    stepper.text.layout.width = "22em"
    stepper.text.continuous_update = False
    stepper.on_change(lambda: edit(stepper.value))
    return stepper


def hint(words: Catalog, field: FormField) -> str:
    """Return what a field is for, with Kueue's page on it, as HTML."""
    return f"{escape(words.text(field.meaning))} {link(field.url, words.text('studio.build.docs'))}"


def link(url: str, text: str) -> str:
    """Return a link to another page as HTML."""
    return f'<a href="{escape(url)}" target="_blank" rel="noopener">{escape(text)}</a>'
