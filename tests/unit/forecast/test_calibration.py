"""Forecasts hold what then happens about as often as they say."""

from __future__ import annotations

from kueuelab.testing.forecast_clusters import outcomes


def test_nine_of_ten_intervals_hold_the_start() -> None:
    found = list(outcomes(12, 24))
    assert sum(each.is_within(0.9) for each in found) >= 9
    assert all(each.forecast.basis.running.get("statistics") for each in found)


def test_the_same_clusters_come_again() -> None:
    one, other = (list(outcomes(2, 6, first=7)) for _ in range(2))
    assert [each.started for each in one] == [each.started for each in other]
    assert [each.forecast for each in one] == [each.forecast for each in other]
