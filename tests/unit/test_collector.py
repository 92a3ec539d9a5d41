"""The garbage collector is left as it was found."""

from __future__ import annotations

import gc

import pytest

from kueuelab.collector import FewFullCollections


def test_the_last_one_to_end_restores_the_collector_in_any_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # Followers that other tests left open do not count here.
    monkeypatch.setattr(FewFullCollections, "_active", set())
    found = gc.get_threshold()
    gc.set_threshold(700, 10, 10)
    before = gc.get_threshold()
    first, second = FewFullCollections(), FewFullCollections()
    first.end()
    first.end()
    assert gc.get_threshold()[2] > before[2]
    second.end()
    assert gc.get_threshold() == before
    gc.set_threshold(*found)
