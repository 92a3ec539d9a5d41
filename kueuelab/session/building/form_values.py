"""What a control of a form shows of a field, and what is written for what it says."""

from __future__ import annotations

from typing import Any

from kueuelab.session.building import label_texts
from kueuelab.session.building.fields import FormField

__all__ = ["shown", "written"]


def shown(value: Any, field: FormField) -> str:
    """Return the text of a value.

    Examples
    --------
    >>> from kueuelab.session.building.fields import FIELDS
    >>> shown([{"nodeLabel": "rack"}, {"nodeLabel": "host"}], FIELDS["Topology"][0])
    'rack, host'
    """
    if field.form == "levels":
        listed = value if isinstance(value, list) else ()
        return ", ".join(str(each.get("nodeLabel")) for each in listed if isinstance(each, dict))
    if field.form in label_texts.FORMS:
        return label_texts.shown(field.form, value)
    return "" if value is None else str(value)


def written(text: str, field: FormField) -> Any:
    """Return the value of a text: a number without quotes where one is meant, ``None`` of "".

    Examples
    --------
    >>> from kueuelab.session.building.fields import FIELDS
    >>> written("rack, host", FIELDS["Topology"][0])
    [{'nodeLabel': 'rack'}, {'nodeLabel': 'host'}]
    """
    if field.form == "levels":
        labels = (label.strip() for label in text.split(","))
        return [{"nodeLabel": label} for label in labels if label] or None
    if field.form in label_texts.FORMS:
        return label_texts.read(field.form, text)
    if field.form in ("integer", "quantity") and text.removeprefix("-").isdecimal():
        return int(text)
    return text or None
