"""The garbage collector is left as it was found."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from weakref import ref

import pytest

import kueuelab as kl
from kueuelab import collector, scenarios
from kueuelab.bench.cluster_dump import DumpShape, write_dumps
from kueuelab.collector import FewFullCollections, without_collection
from kueuelab.sweeps.observation import observe
from kueuelab.trace.export import load_trace
from kueuelab.whatif.lab import Lab


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


@pytest.fixture
def found_by_collections(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[int]]:
    """Return how many objects each collection freed; whatever is made is very much."""
    monkeypatch.setattr(collector, "_VERY_MUCH", 0)
    gc.collect()
    found: list[int] = []

    def note(phase: str, info: dict[str, int]) -> None:
        if phase == "stop":
            found.append(info["collected"])

    gc.callbacks.append(note)
    yield found
    gc.callbacks.remove(note)


class Circle:
    """An object that refers to itself."""

    def __init__(self) -> None:
        self.itself = self


def circle() -> ref[Circle]:
    return ref(Circle())


@pytest.mark.usefixtures("found_by_collections")
def test_circles_are_freed_at_the_end() -> None:
    with without_collection():
        made = circle()
        assert made() is not None
    assert made() is None


def test_what_is_made_without_circles_is_old_without_a_look(
    found_by_collections: list[int],
) -> None:
    found_by_collections.clear()  # of what the test runner made
    with without_collection(circles=False):
        made = [[number] for number in range(5000)]
        assert gc.get_count()[0] > 4000
    assert found_by_collections == []
    assert gc.get_count()[0] < 4000
    assert any(each is made for each in gc.get_objects(2))


@pytest.mark.usefixtures("found_by_collections")
def test_what_somebody_froze_stays_so() -> None:
    gc.freeze()
    try:
        with without_collection(circles=False):
            made = circle()
            assert made() is not None
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
    assert made() is None


def left_in_circles(act: Callable[[], object]) -> int:
    """Return how many objects in circles something leaves each time.

    Now and then the collector also finds what other threads left, or the tests before.
    """
    least = 1 << 30
    for _ in range(5):
        gc.collect()
        gc.disable()
        try:
            kept = act()
            least = min(least, gc.collect())
        finally:
            gc.enable()
        del kept
        if not least:
            break
    return least


@pytest.mark.parametrize("name", ["dump.json", "dump.yaml", "run.json.gz"])
def test_what_is_read_from_a_file_has_no_circles(name: str, tmp_path: Path) -> None:
    """Else it would stay for ever: it is not looked through when it is made."""
    write_dumps(DumpShape(queues=12), tmp_path)
    kl.load(tmp_path / "dump.json").run().save(tmp_path / "run.json.gz")
    read = load_trace if name.startswith("run") else kl.load

    def read_and_drop() -> None:
        read(tmp_path / name)

    read_and_drop()
    assert left_in_circles(read_and_drop) == 0


@pytest.mark.parametrize("record", [False, True])
@pytest.mark.parametrize("name", ["reclaim-3-late-after-finish", "cluster-deleted"])
def test_what_is_played_has_no_circles(name: str, record: bool) -> None:
    def play() -> object:
        lab = scenarios.load(name)
        if isinstance(lab, Lab):
            return lab.run() if record else observe(lab.spec)
        return lab.run(record=record)

    play()
    assert left_in_circles(play) == 0


def test_the_collector_is_off_until_what_was_made_is_old(
    found_by_collections: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next object that is made may bring a look at all."""
    enabled = []
    look_through = collector._look_through

    def note(circles: bool) -> None:
        enabled.append(gc.isenabled())
        look_through(circles)

    monkeypatch.setattr(collector, "_look_through", note)
    with without_collection(circles=False):
        circle()
    assert enabled == [False]
    assert gc.isenabled()
