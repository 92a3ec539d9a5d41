"""Times as Go reads them: what passes the API server's check can be read here."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kueuelab.manifests.server.gotext import time_error
from kueuelab.model.times import SECOND, format_time, parse_time

_ZONES = st.sampled_from(["Z", "+00:00", "-24:60", "+24:60", "+05:30"])
_FRACTIONS = st.sampled_from(["", ".5", ",25", ".123456789123"])


@given(
    st.sampled_from([0, 1, 4, 1999, 2000, 2024, 2026, 9998]),
    st.integers(1, 12),
    st.integers(1, 31),
    st.integers(0, 23),
    st.integers(0, 59),
    st.booleans(),
    _FRACTIONS,
    _ZONES,
)
def test_what_go_reads_is_read(
    year: int, month: int, day: int, hour: int, minute: int, short: bool, fraction: str, zone: str
) -> None:
    shown = str(hour) if short else f"{hour:02}"
    text = f"{year:04}-{month:02}-{day:02}T{shown}:{minute:02}:59{fraction}{zone}"
    if time_error(text):
        return
    time = parse_time(text)
    whole = f"{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:59Z"
    if zone in ("Z", "+00:00"):
        assert format_time(time) == whole
    else:
        hours, minutes = zone[1:].split(":")
        ahead = (1 if zone[0] == "+" else -1) * (60 * int(hours) + int(minutes))
        assert parse_time(whole) // SECOND - time // SECOND == 60 * ahead
