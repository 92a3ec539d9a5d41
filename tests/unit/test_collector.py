"""The garbage collector is left as it was found."""

from __future__ import annotations

import gc

from kueuelab.collector import FewFullCollections


def test_the_last_one_to_end_restores_the_collector_in_any_order() -> None:
    before = gc.get_threshold()
    first, second = FewFullCollections(), FewFullCollections()
    first.end()
    first.end()
    assert gc.get_threshold()[2] > before[2]
    second.end()
    assert gc.get_threshold() == before
