"""Quantities: read, rounded and printed as Kubernetes does, counted as Kueue does."""

from __future__ import annotations

import pickle
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.errors import KueueLabError
from kueuelab.model import UNLIMITED, amount_string, quota_amount
from kueuelab.quantity import (
    MAX_INT64,
    MIN_INT64,
    Format,
    Quantity,
    QuantityError,
    format_amount,
    to_int,
)

FORMAT_MESSAGE = (
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
)
SUFFIX_MESSAGE = "unable to parse quantity's suffix"

UNIT = 10**9


@pytest.mark.parametrize(
    ("text", "nano", "form", "printed"),
    [
        ("0", 0, Format.DECIMAL_SI, "0"),
        ("0Gi", 0, Format.BINARY_SI, "0"),
        ("00.000", 0, Format.DECIMAL_SI, "0"),
        ("-0", 0, Format.DECIMAL_SI, "0"),
        ("1", UNIT, Format.DECIMAL_SI, "1"),
        ("500m", UNIT // 2, Format.DECIMAL_SI, "500m"),
        ("2000m", 2 * UNIT, Format.DECIMAL_SI, "2"),
        ("1500m", 3 * UNIT // 2, Format.DECIMAL_SI, "1500m"),
        ("1.5", 3 * UNIT // 2, Format.DECIMAL_SI, "1500m"),
        ("0.1", UNIT // 10, Format.DECIMAL_SI, "100m"),
        (".5", UNIT // 2, Format.DECIMAL_SI, "500m"),
        ("289298239n", 289298239, Format.DECIMAL_SI, "289298239n"),
        ("1000000n", 10**6, Format.DECIMAL_SI, "1m"),
        ("250u", 250_000, Format.DECIMAL_SI, "250u"),
        ("1000", 1000 * UNIT, Format.DECIMAL_SI, "1k"),
        ("1024", 1024 * UNIT, Format.DECIMAL_SI, "1024"),
        ("10k", 10**4 * UNIT, Format.DECIMAL_SI, "10k"),
        ("0.5k", 500 * UNIT, Format.DECIMAL_SI, "500"),
        ("1E", 10**18 * UNIT, Format.DECIMAL_SI, "1E"),
        ("1000P", 10**18 * UNIT, Format.DECIMAL_SI, "1E"),
        ("1000E", 10**21 * UNIT, Format.DECIMAL_SI, "1000E"),
        ("2e3", 2000 * UNIT, Format.DECIMAL_EXPONENT, "2e3"),
        ("12E6", 12 * 10**6 * UNIT, Format.DECIMAL_EXPONENT, "12E6"),
        ("1e+3", 1000 * UNIT, Format.DECIMAL_EXPONENT, "1e+3"),
        ("12e-3", 12 * 10**6, Format.DECIMAL_EXPONENT, "12e-3"),
        ("15e-4", 1_500_000, Format.DECIMAL_EXPONENT, "1500e-6"),
        ("1e1", 10 * UNIT, Format.DECIMAL_EXPONENT, "10"),
        ("1000e3", 10**6 * UNIT, Format.DECIMAL_EXPONENT, "1e6"),
        ("1e21", 10**21 * UNIT, Format.DECIMAL_EXPONENT, "1e21"),
        ("1Ki", 1024 * UNIT, Format.BINARY_SI, "1Ki"),
        ("1024Ki", 2**20 * UNIT, Format.BINARY_SI, "1Mi"),
        ("1.5Gi", 3 * 2**29 * UNIT, Format.BINARY_SI, "1536Mi"),
        ("0.5Ki", 512 * UNIT, Format.BINARY_SI, "512"),
        ("0.0001Ki", 102_400_000, Format.DECIMAL_SI, "102400u"),
        ("1.0001Ki", 1_024_102_400_000, Format.BINARY_SI, "1024102400u"),
        ("1Ei", 2**60 * UNIT, Format.BINARY_SI, "1Ei"),
        # Binary quantities end at the largest 64-bit integer; decimal ones do not.
        ("8Ei", MAX_INT64 * UNIT, Format.BINARY_SI, "9223372036854775807"),
        ("-8Ei", -MAX_INT64 * UNIT, Format.BINARY_SI, "-9223372036854775807"),
        ("10E", 10**19 * UNIT, Format.DECIMAL_SI, "10E"),
        # Rounded up at the nano, away from zero.
        ("0.1n", 1, Format.DECIMAL_SI, "1n"),
        ("-0.1n", -1, Format.DECIMAL_SI, "-1n"),
        ("1.1n", 2, Format.DECIMAL_SI, "2n"),
        ("1e-1000", 1, Format.DECIMAL_EXPONENT, "1e-9"),
        ("123456789012345678901", 123456789012345678901 * UNIT, Format.DECIMAL_SI, None),
        # What looks canonical to Kubernetes is printed as it was written.
        ("+1", UNIT, Format.DECIMAL_SI, "+1"),
        ("-5", -5 * UNIT, Format.DECIMAL_SI, "-5"),
        ("5.", 5 * UNIT, Format.DECIMAL_SI, "5."),
        ("007", 7 * UNIT, Format.DECIMAL_SI, "007"),
        ("1.500", 3 * UNIT // 2, Format.DECIMAL_SI, "1.500"),
        ("+1Gi", 2**30 * UNIT, Format.BINARY_SI, "+1Gi"),
        ("+8Gi", 2**33 * UNIT, Format.BINARY_SI, "8Gi"),
        ("+1Pi", 2**50 * UNIT, Format.BINARY_SI, "1Pi"),
    ],
)
def test_every_form_is_read_and_printed_as_kubernetes_does(
    text: str, nano: int, form: Format, printed: str | None
) -> None:
    quantity = Quantity.parse(text)
    assert quantity.nano == nano
    assert quantity.format is form
    assert str(quantity) == (text if printed is None else printed)


@pytest.mark.parametrize(
    ("number", "printed"),
    [
        (0, "0"),
        (2, "2"),
        (1000, "1k"),
        (-5, "-5"),
        (0.1, "100m"),
        (1.0, "1"),
        (1.5, "1500m"),
        (1e3, "1k"),
        (1e-5, "10u"),
        (1e-7, "100e-9"),
        (1e21, "1e+21"),
    ],
)
def test_numbers_without_quotes_are_read_as_yaml_passes_them_on(
    number: float, printed: str
) -> None:
    assert str(Quantity.parse(number)) == printed


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", FORMAT_MESSAGE),
        (" ", FORMAT_MESSAGE),
        (" 1", FORMAT_MESSAGE),
        ("1 ", FORMAT_MESSAGE),
        ("1\n", FORMAT_MESSAGE),
        ("abc", FORMAT_MESSAGE),
        ("5GB", FORMAT_MESSAGE),
        ("1.2.3", FORMAT_MESSAGE),
        ("--1", FORMAT_MESSAGE),
        ("1e--3", FORMAT_MESSAGE),
        ("1,5", FORMAT_MESSAGE),
        ("٣", FORMAT_MESSAGE),
        ("+", FORMAT_MESSAGE),
        (".", FORMAT_MESSAGE),
        ("m", FORMAT_MESSAGE),
        ("Gi", FORMAT_MESSAGE),
        ("1K", SUFFIX_MESSAGE),
        ("1mi", SUFFIX_MESSAGE),
        ("1ki", SUFFIX_MESSAGE),
        ("1mm", SUFFIX_MESSAGE),
        ("1e", SUFFIX_MESSAGE),
        ("1m5", SUFFIX_MESSAGE),
        ("1Gi3", SUFFIX_MESSAGE),
        ("1Ee5", SUFFIX_MESSAGE),
        ("1e99999999999", "unable to parse numeric part of quantity"),
        ("1" * 5000, "unable to parse numeric part of quantity"),
        (True, FORMAT_MESSAGE),
        (float("nan"), FORMAT_MESSAGE),
        (float("inf"), FORMAT_MESSAGE),
        (None, FORMAT_MESSAGE),
    ],
)
def test_what_is_no_quantity_is_refused_in_kubernetes_words(text: object, reason: str) -> None:
    with pytest.raises(QuantityError) as caught:
        Quantity.parse(text)  # type: ignore[arg-type]
    assert caught.value.reason == reason
    assert isinstance(caught.value, KueueLabError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.problem.hint


def test_refused_again_the_second_time() -> None:
    for _ in range(2):
        with pytest.raises(QuantityError, match="suffix"):
            to_int("cpu", "1K")


def test_true_is_not_one() -> None:
    assert to_int("cpu", 1) == 1000
    with pytest.raises(QuantityError):
        to_int("cpu", True)


@pytest.mark.parametrize(
    ("text", "value", "milli"),
    [
        ("1", 1, 1000),
        ("1m", 1, 1),
        ("1u", 1, 1),
        ("-1u", -1, -1),
        ("1500m", 2, 1500),
        ("-1500m", -2, -1500),
        ("1Gi", 2**30, 2**30 * 1000),
        ("0", 0, 0),
    ],
)
def test_values_are_rounded_away_from_zero(text: str, value: int, milli: int) -> None:
    assert Quantity.parse(text).value() == value
    assert Quantity.parse(text).milli_value() == milli


def test_equality_and_order_are_by_amount() -> None:
    assert Quantity.parse("1") == Quantity.parse("1000m") == Quantity.parse("1e0")
    assert hash(Quantity.parse("1Ki")) == hash(Quantity.parse("1024"))
    assert sorted(map(Quantity.parse, ["1Gi", "1", "1G", "1m"])) == [
        Quantity.parse(text) for text in ("1m", "1", "1G", "1Gi")
    ]


def test_a_quantity_survives_pickling() -> None:
    quantity = Quantity.parse("1.500")
    again = pickle.loads(pickle.dumps(quantity))
    assert (again, again.format, str(again)) == (quantity, quantity.format, "1.500")


@pytest.mark.parametrize(
    ("resource", "text", "amount"),
    [
        ("cpu", "500m", 500),
        ("cpu", "1", 1000),
        ("cpu", 0.1, 100),
        ("cpu", "100u", 1),
        ("memory", "1Gi", 2**30),
        ("memory", "100m", 1),
        ("pods", 3, 3),
        ("example.com/gpu", "8", 8),
        ("cpu", "1E", MAX_INT64),
        ("cpu", "-1E", MIN_INT64),
        ("memory", "10E", MAX_INT64),
        ("memory", "8Ei", MAX_INT64),
        ("cpu", "9223372036854775", 9223372036854775000),
    ],
)
def test_requests_are_counted_in_kueues_units(
    resource: str, text: str | float, amount: int
) -> None:
    assert to_int(resource, text) == amount
    assert to_int(resource, Quantity.parse(text)) == amount


@pytest.mark.parametrize(
    ("resource", "text", "amount"),
    [
        ("cpu", "20", 20000),
        ("cpu", "9223372036854774", 9223372036854774000),
        ("cpu", "9223372036854774999m", 9223372036854774999),
        ("cpu", "9223372036854775", UNLIMITED),
        ("cpu", "1E", UNLIMITED),
        ("memory", "9223372036854775806", MAX_INT64 - 1),
        ("memory", "9223372036854775807", UNLIMITED),
        ("memory", "10E", UNLIMITED),
        ("memory", "7Ei", 7 * 2**60),
    ],
)
def test_quotas_that_do_not_fit_are_unlimited(resource: str, text: str, amount: int) -> None:
    assert quota_amount(resource, text) == amount


@pytest.mark.parametrize(
    ("resource", "amount", "printed"),
    [
        ("cpu", 0, "0"),
        ("cpu", 200, "200m"),
        ("cpu", 1000, "1"),
        ("cpu", 1500, "1500m"),
        ("cpu", 1_000_000, "1k"),
        ("cpu", -300, "-300m"),
        ("memory", 0, "0"),
        ("memory", 512, "512"),
        ("memory", 1000, "1k"),
        ("memory", 1024, "1Ki"),
        ("memory", 1500, "1500"),
        ("memory", 2000, "2k"),
        ("memory", 10**9, "1G"),
        ("memory", 1536 * 2**20, "1536Mi"),
        ("memory", -(2**30), "-1Gi"),
        ("memory", MAX_INT64, "9223372036854775807"),
        ("ephemeral-storage", 2**30, "1Gi"),
        ("hugepages-2Mi", 2**21, "2Mi"),
        ("hugepages", 2**21, "2097152"),
        ("example.com/gpu", 8, "8"),
        ("example.com/gpu", 1024, "1024"),
        ("example.com/gpu", 5000, "5k"),
        ("pods", 10, "10"),
    ],
)
def test_amounts_are_printed_as_kueue_prints_them(resource: str, amount: int, printed: str) -> None:
    assert format_amount(resource, amount) == printed


def test_resources_counted_in_bytes_by_configuration() -> None:
    amount = 9984 * 2**20
    assert format_amount("gpu.memory", amount) == "10468982784"
    assert format_amount("gpu.memory", amount, {"gpu.memory"}) == "9984Mi"


def test_an_unlimited_quota_says_so() -> None:
    assert amount_string("cpu", UNLIMITED) == "<unlimited>"
    assert amount_string("memory", 2**30) == "1Gi"
    assert amount_string("cpu", 500) == "500m"


amounts = st.integers(min_value=-(10**30), max_value=10**30)
formats = st.sampled_from(Format)
signs = st.sampled_from(["", "+", "-"])
digits = st.text("0123456789", min_size=1, max_size=25)
suffixes = {"n": -9, "u": -6, "m": -3, "": 0, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}
binaries = {"Ki": 10, "Mi": 20, "Gi": 30, "Ti": 40, "Pi": 50, "Ei": 60}


@given(amounts, formats)
def test_printed_and_read_again_is_the_same_amount(nano: int, form: Format) -> None:
    largest = MAX_INT64 * UNIT
    if form is Format.BINARY_SI:
        nano = max(min(nano, largest), -largest)
    printed = str(Quantity(nano, form))
    again = Quantity.parse(printed)
    assert again == Quantity(nano)
    assert str(Quantity(again.nano, again.format)) == printed


@given(signs, digits, st.none() | st.text("0123456789", max_size=12), st.sampled_from([*suffixes]))
def test_decimal_quantities_are_exact_to_the_nano(
    sign: str, whole: str, fraction: str | None, suffix: str
) -> None:
    number = whole if fraction is None else f"{whole}.{fraction}"
    exact = abs(Fraction(whole + (fraction or ""))) / 10 ** len(fraction or "")
    nano = -(-(exact * Fraction(10) ** (suffixes[suffix] + 9)) // 1)
    got = Quantity.parse(f"{sign}{number}{suffix}")
    assert got.nano == (-nano if sign == "-" else nano)
    assert Quantity.parse(str(got)) == got


@given(signs, digits, st.sampled_from([*binaries]))
def test_binary_quantities_are_exact_and_end_at_64_bits(sign: str, whole: str, suffix: str) -> None:
    exact = min(int(whole) << binaries[suffix], MAX_INT64)
    got = Quantity.parse(f"{sign}{whole}{suffix}")
    assert got.value() == (-exact if sign == "-" else exact)
    assert Quantity.parse(str(got)) == got


@given(
    st.sampled_from(["cpu", "memory", "ephemeral-storage", "hugepages-1Gi", "pods", "x.com/gpu"]),
    st.integers(min_value=-MAX_INT64, max_value=MAX_INT64),
)
def test_an_amount_printed_is_read_as_the_same_amount(resource: str, amount: int) -> None:
    assert to_int(resource, format_amount(resource, amount)) == amount


@given(st.text("0123456789+-.eEinumkKMGTP ", max_size=12))
def test_any_text_is_a_quantity_or_a_quantity_error(text: str) -> None:
    try:
        quantity = Quantity.parse(text)
    except QuantityError as error:
        assert error.text == text  # noqa: PT017 - either outcome is right
    else:
        assert Quantity.parse(str(quantity)) == quantity
