"""A stepper keeps the unit that is written."""

from __future__ import annotations

import pytest

from kueuelab.errors import QuantityError
from kueuelab.messages import english
from kueuelab.studio.quantity_stepper import QuantityStepper, stepped


@pytest.mark.parametrize(
    ("text", "more", "less"),
    [
        ("0", "1", "0"),
        ("", "1", "0"),
        ("9", "10", "8"),
        ("99", "100", "98"),
        ("400", "410", "390"),
        ("500m", "600m", "400m"),
        ("3Gi", "4Gi", "2Gi"),
        ("1.5", "2.5", "0.5"),
        ("0.5", "1.5", "0"),
        ("1k", "2k", "0k"),
        ("1073741824", "1173741824", "973741824"),
    ],
)
def test_a_step_keeps_the_unit(text: str, more: str, less: str) -> None:
    assert (stepped(text, 1), stepped(text, -1)) == (more, less)


def test_what_is_no_quantity_is_not_stepped() -> None:
    with pytest.raises(QuantityError):
        stepped("4 cores", 1)


def test_a_text_that_is_no_quantity_is_named_and_its_buttons_rest() -> None:
    stepper = QuantityStepper(english(), "studio.branch", "studio.branch", "1Gi")
    seen: list[str] = []
    stepper.on_change(lambda: seen.append(stepper.value))
    stepper.text.value = "1Gib"
    assert stepper.problem
    assert stepper.more.disabled
    stepper.text.value = "7Gi"
    assert not stepper.problem
    stepper.less.click()
    assert seen == ["1Gib", "7Gi", "6Gi"]
