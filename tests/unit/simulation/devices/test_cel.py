"""What expressions about devices are worth."""

from __future__ import annotations

import pytest

from kueuelab.model.devices import Device, DeviceCapacity
from kueuelab.quantity import Quantity
from kueuelab.simulation.devices.cel import CelError, compiled, device_value, matches

DEVICE = device_value(
    "gpu.example.com",
    Device(
        "gpu-0",
        {
            "model": {"string": "a100"},
            "driverVersion": {"version": "550.54.15"},
            "healthy": {"bool": True},
            "other.com/rank": {"int": 3},
        },
        {"memory": DeviceCapacity(Quantity.parse("40Gi"))},
    ),
)
OWN = 'device.attributes["gpu.example.com"]'
MEMORY = 'device.capacity["gpu.example.com"].memory'


@pytest.mark.parametrize(
    "text",
    [
        'device.driver == "gpu.example.com"',
        f'{OWN}.model == "a100" && {OWN}.healthy',
        f'{OWN}.model.startsWith("a") ? {OWN}["healthy"] : false',
        f'{OWN}.model in ["h100", "a100"]',
        f'!({OWN}.model.matches("^h"))',
        'device.attributes["other.com"].rank % 2 == 1',
        f'{MEMORY}.compareTo(quantity("40Gi")) >= 0',
        f'{MEMORY}.isGreaterThan(quantity("39Gi"))',
        f'{OWN}.driverVersion.isGreaterThan(semver("550.0.0"))',
        f'!has({OWN}.absent) && !("absent" in {OWN})',
        f"!{OWN}.?absent.orValue(false)",
        'device.attributes["nobody.com"].?x.hasValue() == false',
        f"cel.bind(own, {OWN}, own.healthy && own.model.size() == 4)",
        f'{OWN}.absent == "x" || true',
        '[1, 2, 3].exists(n, n > 2) && {"a": 1}.all(k, k == "a")',
    ],
)
def test_what_matches(text: str) -> None:
    assert matches(compiled(text), DEVICE)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        (f'{OWN}.absent == "x"', "no such key: absent"),
        (f"{OWN}.model > 3", "no such overload"),
        (f"{OWN}.model", "must evaluate to bool"),
        ("1 / 0 == 1", "division by zero"),
        ('quantity("5GB").isGreaterThan(quantity("1"))', "quantities must match"),
    ],
)
def test_what_has_no_value(text: str, error: str) -> None:
    with pytest.raises(CelError, match=error):
        matches(compiled(text), DEVICE)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("device.driver ==", "unexpected end"),
        ("device.driver = 1", "token recognition error at: '='"),
        ("devices.driver", "undeclared reference to 'devices'"),
        ("device.driver.frobnicate()", "undeclared reference to 'frobnicate'"),
        ("(" * 100 + "1" + ")" * 100, "nested too deeply"),
        ("device.driver == 'a", "token recognition error"),
    ],
)
def test_what_is_no_expression(text: str, error: str) -> None:
    with pytest.raises(CelError, match=error):
        compiled(text)
