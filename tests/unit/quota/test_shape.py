"""ClusterQueues and Cohorts come, change, move and go; who holds quota; what is recorded."""

from __future__ import annotations

import itertools
from dataclasses import replace
from fractions import Fraction

import pytest
from quota_lab import FR, OTHER, build, groups, use, used

from kueuelab.errors import NotModelledError
from kueuelab.model import (
    Admission,
    ClusterQueue,
    Cohort,
    ObjectMeta,
    PodSet,
    PodSetAssignment,
    Resources,
    Workload,
)
from kueuelab.quota import QuotaTree
from kueuelab.quota.tree import DEEPEST
from kueuelab.trace.recorder import Recorder
from kueuelab.workload import WorkloadState

FOUR = (4, None, None)


def spec(name: str, cohort: str = "", quota: int = 4) -> ClusterQueue:
    return ClusterQueue(ObjectMeta(name), groups((quota, None, None)), cohort)


def cohort(name: str, parent: str = "", quota: int | None = None) -> Cohort:
    return Cohort(ObjectMeta(name), parent, groups(None if quota is None else (quota, None, None)))


def holder(name: str, cluster_queue: str, amount: int = 2) -> WorkloadState:
    meta = ObjectMeta(name, "ns", uid=name)
    state = WorkloadState(Workload(meta, (PodSet(),)), Resources())
    assignment = PodSetAssignment("main", {FR[1]: FR[0]}, {FR[1]: amount}, 1)
    state.admission = Admission(cluster_queue, (assignment,))
    state.refresh()
    assert state.usage == {FR: amount}
    return state


def test_a_queue_that_changes_stays_the_same_queue() -> None:
    tree = build({"a": ("team", FOUR), "b": ("team", FOUR)})
    use(tree, a=5)
    node = tree.cluster_queues["a"]
    tree.set_cluster_queue(spec("a", "team", 7))
    assert tree.cluster_queues["a"] is node
    assert node.available(FR) == 6
    assert tree.cohorts["team"].subtree_quota == {FR: 11}


def test_a_queue_that_moves_takes_its_quota_along() -> None:
    tree = build({"a": ("old", FOUR), "b": ("old", FOUR), "c": ("new", FOUR)})
    use(tree, a=3)
    tree.set_cluster_queue(spec("a", "new"))
    assert used(tree) == {"a": 3, "b": None, "c": None, "new": 3, "old": None}
    assert tree.cluster_queues["b"].available(FR) == 4
    assert tree.cluster_queues["c"].available(FR) == 5
    tree.set_cluster_queue(spec("a"))
    assert tree.cluster_queues["a"].available(FR) == 1
    assert tree.cluster_queues["c"].available(FR) == 4
    assert sorted(tree.cohorts) == ["new", "old"]


def test_a_cohort_that_moves_takes_its_quota_along() -> None:
    tree = build(
        {"a": ("team", FOUR), "b": ("old", FOUR), "c": ("new", FOUR)},
        {"team": ("old", FOUR)},
    )
    use(tree, a=3)
    tree.set_cohort(cohort("team", "new", 4))
    assert tree.cluster_queues["b"].available(FR) == 4
    assert tree.cluster_queues["c"].available(FR) == 9
    assert tree.cohorts["team"].explicit
    tree.set_cohort(cohort("team", quota=4))
    assert tree.cluster_queues["c"].available(FR) == 4
    assert tree.cluster_queues["a"].available(FR) == 5


def test_only_what_may_let_more_fit_makes_an_old_scan_outdated() -> None:
    tree = QuotaTree()
    tree.set_cluster_queue(spec("a"))
    node = tree.cluster_queues["a"]
    seen = [node.generation]
    for change in (
        lambda: tree.set_cluster_queue(spec("a")),
        lambda: tree.set_cluster_queue(spec("a", quota=5)),
        lambda: tree.set_cluster_queue(spec("a", "team", 5)),
        lambda: tree.set_cluster_queue(spec("a", "team", 5)),
        lambda: tree.add_workload(holder("w", "a")),
        lambda: tree.remove_workload(holder("w", "a")),
        lambda: tree.remove_workload(holder("w", "a")),
        lambda: tree.set_cohort(cohort("team", quota=1)),
    ):
        change()
        seen.append(node.generation)
    grew = [after > before for before, after in itertools.pairwise(seen)]
    assert grew == [False, True, True, False, False, True, False, True]
    assert seen == sorted(seen)


def test_a_cohort_goes_with_the_last_that_refers_to_it() -> None:
    tree = build({"a": ("team", FOUR)})
    tree.set_cluster_queue(spec("a"))
    assert tree.cohorts == {}
    tree.set_cohort(cohort("low", "high"))
    tree.set_cluster_queue(spec("a", "high"))
    tree.set_cluster_queue(spec("a"))
    assert sorted(tree.cohorts) == ["high", "low"]
    tree.remove_cohort("low")
    assert tree.cohorts == {}


def test_a_described_cohort_stays_when_nothing_refers_to_it() -> None:
    tree = build({"a": ("team", FOUR)}, {"team": ("", None)})
    tree.remove_cluster_queue("a")
    assert sorted(tree.cohorts) == ["team"]
    tree.remove_cohort("team")
    tree.remove_cohort("team")
    assert tree.cohorts == {}


def test_a_removed_cohort_loses_its_weight_and_its_parent() -> None:
    tree = build({"a": ("team", FOUR), "b": ("root", FOUR)})
    described = replace(cohort("team", "root", 4), fair_weight=Fraction(3))
    tree.set_cohort(described)
    assert tree.cohorts["team"].fair_weight == 3.0
    assert tree.cluster_queues["b"].available(FR) == 12
    tree.remove_cohort("team")
    assert tree.cohorts["team"].fair_weight == 1.0
    assert tree.cohorts["team"].parent is None
    assert tree.cluster_queues["b"].available(FR) == 4


@pytest.mark.parametrize("above", [1, 2, 60])
def test_the_deepest_tree_is_put_together_from_either_end(above: int) -> None:
    tree = QuotaTree()
    for number in range(1, above):
        tree.set_cohort(cohort(f"top{number}", f"top{number - 1}"))
    below = DEEPEST - above
    for number in range(1, below):
        tree.set_cohort(cohort(f"low{number}", f"low{number - 1}"))
    too_deep = cohort(f"low{below}", f"low{below - 1}")
    tree.set_cohort(cohort("low0", f"top{above - 1}"))
    with pytest.raises(NotModelledError) as refused:
        tree.set_cohort(too_deep)
    assert str(refused.value).startswith(f"Cohort/low{below}: spec.parentName: a tree of more than")
    assert tree.cohorts[f"low{below - 1}"].root.name == "top0"


def test_two_halves_that_are_too_deep_together_are_refused() -> None:
    tree = QuotaTree()
    for number in range(1, DEEPEST - 1):
        tree.set_cohort(cohort(f"low{number}", f"low{number - 1}"))
    tree.set_cohort(cohort("high", "top"))
    with pytest.raises(NotModelledError):
        tree.set_cohort(cohort("low0", "high"))
    tree.set_cohort(cohort("low0", "top"))


def test_a_cohort_leaves_a_cycle_for_another_parent() -> None:
    tree = QuotaTree()
    tree.set_cohort(cohort("a", "b"))
    tree.set_cohort(cohort("b", "a"))
    tree.set_cluster_queue(spec("q", "b"))
    assert tree.in_cycle("q")
    assert tree.cluster_queues_in_tree("q") == ["q"]
    assert tree.root_name("q") is None
    tree.set_cohort(cohort("a", "c"))
    assert tree.root_name("q") == "c"
    assert not tree.in_cycle("q")


def test_a_tree_that_grows_at_once_is_one_that_grew_object_by_object() -> None:
    objects = [
        cohort("division", "root", 8),
        cohort("other"),
        spec("a", "division"),
        spec("b", "division"),
        spec("c", "root"),
        spec("alone"),
        spec("d", "other"),
    ]

    def grow(tree: QuotaTree) -> None:
        for obj in objects:
            tree.set_cohort(obj) if isinstance(obj, Cohort) else tree.set_cluster_queue(obj)

    one_by_one, at_once = QuotaTree(), QuotaTree()
    grow(one_by_one)
    with at_once.growing():
        grow(at_once)
    for tree in (one_by_one, at_once):
        use(tree, a=5, c=3)
    assert {name: (node.subtree_quota, node.usage) for name, node in at_once.cohorts.items()} == {
        name: (node.subtree_quota, node.usage) for name, node in one_by_one.cohorts.items()
    }
    available = {name: node.available(FR) for name, node in at_once.cluster_queues.items()}
    assert available == {"a": 12, "b": 12, "c": 12, "alone": 4, "d": 4}
    at_once.set_cluster_queue(spec("b", "division", 7))
    assert at_once.cluster_queues["a"].available(FR) == 15


def test_what_hangs_below_a_cycle_counts_once_the_cycle_is_open() -> None:
    tree = QuotaTree()
    tree.set_cohort(cohort("a", "b"))
    tree.set_cohort(cohort("b", "a"))
    tree.set_cohort(cohort("low0", "b"))
    for number in range(1, DEEPEST):
        tree.set_cohort(cohort(f"low{number}", f"low{number - 1}"))
    with pytest.raises(NotModelledError):
        tree.set_cohort(cohort("a"))


def test_who_holds_quota_is_known_until_it_is_released() -> None:
    tree = build({"a": ("", FOUR)})
    first = holder("first", "a")
    assert tree.add_workload(first)
    assert not tree.add_workload(holder("lost", "nowhere"))
    assert (tree.accounted("ns/first"), tree.accounted("ns/lost")) == (True, False)
    assert (tree.booked_usage("ns/first"), tree.booked_usage("ns/lost")) == ({FR: 2}, {})
    assert tree.remove_workload(first)
    assert not tree.remove_workload(first)
    assert not tree.accounted("ns/first")
    assert tree.cluster_queues["a"].usage == {FR: 0}


def test_who_held_quota_in_a_removed_queue_holds_it_no_longer() -> None:
    tree = build({"a": ("", FOUR), "b": ("", FOUR)})
    tree.add_workload(holder("first", "a"))
    tree.add_workload(holder("second", "b"))
    tree.remove_cluster_queue("a")
    assert [state.key for state in tree.workloads()] == ["ns/second"]
    assert not tree.accounted("ns/first")
    assert not tree.remove_workload(holder("first", "a"))


def test_what_changed_before_and_after_a_simulation_stays() -> None:
    tree = build({"a": ("", FOUR)})
    use(tree, a=1)
    for _ in range(2):
        with tree.simulation():
            use(tree, a=1)
            assert tree.mark() == 1
    assert used(tree) == {"a": 1}
    use(tree, a=1)
    with tree.simulation():
        pass
    assert used(tree) == {"a": 2}


def test_a_simulation_that_fails_changes_nothing() -> None:
    tree = build({"a": ("", FOUR)})
    with pytest.raises(KeyError), tree.simulation():
        use(tree, a=3, unknown=1)
    assert used(tree) == {"a": 0}
    use(tree, a=1)
    assert tree.mark() == 0
    assert used(tree) == {"a": 1}


def changes(recorder: Recorder) -> dict[tuple[str, ...], object]:
    """Return what was announced since the last time."""
    return {change.path: change.after for change in recorder._take_changes()}


def test_every_change_of_usage_is_announced() -> None:
    recorder = Recorder()
    tree = QuotaTree(recorder)
    tree.set_cluster_queue(spec("a", "team"))
    tree.set_cluster_queue(spec("b", "other"))
    queue = tree.cluster_queues["a"]
    tree.add_usage(queue, {FR: 0})
    assert changes(recorder) == {}
    tree.add_usage(queue, {FR: 1, OTHER: 2})
    in_queue = ("clusterQueues", "a", "usage", "default")
    in_team = ("cohorts", "team", "usage", "default")
    assert changes(recorder) == {
        (*in_queue, "cpu"): 1,
        (*in_queue, "memory"): 2,
        (*in_team, "cpu"): 1,
        (*in_team, "memory"): 2,
    }
    with tree.simulation():
        tree.remove_usage(queue, {OTHER: 2})
        assert changes(recorder) == {(*in_queue, "memory"): 0, (*in_team, "memory"): 0}
    assert changes(recorder) == {(*in_queue, "memory"): 2, (*in_team, "memory"): 2}
    tree.remove_usage(queue, {OTHER: 2})
    changes(recorder)
    in_other = ("cohorts", "other", "usage", "default")
    tree.set_cluster_queue(spec("a", "other"))
    assert changes(recorder) == {(*in_other, "cpu"): 1, (*in_team, "cpu"): 0}


def test_no_usage_is_no_change() -> None:
    recorder = Recorder()
    tree = QuotaTree(recorder)
    tree.set_cluster_queue(spec("a", "team"))
    queue = tree.cluster_queues["a"]
    with tree.simulation():
        tree.add_usage(queue, {FR: 0})
    tree.set_cluster_queue(spec("a", "other"))
    tree.set_cluster_queue(spec("a", "team"))
    assert changes(recorder) == {}


def test_a_tree_lends_all_as_long_as_no_node_keeps_quota_from_its_parent() -> None:
    cohorts = {"top": ("", None), "left": ("top", None), "right": ("top", None)}
    tree = build({"a": ("left", FOUR), "b": ("right", FOUR)}, cohorts)
    assert [tree.cohorts[name].lends_all for name in ("top", "left", "right")] == [True] * 3
    tree = build({"a": ("left", FOUR), "b": ("right", (4, None, 1))}, cohorts)
    assert [tree.cohorts[name].lends_all for name in ("top", "left", "right")] == [
        False,
        True,
        False,
    ]
    assert [tree.cluster_queues[name].lends_all for name in ("a", "b")] == [True, False]
    # A limit that keeps nothing is none; a cohort may keep what its queues would lend.
    tree = build({"a": ("left", (4, None, 4))}, {"top": ("", None), "left": ("top", (2, None, 1))})
    assert [tree.cohorts[name].lends_all for name in ("top", "left")] == [False, False]
    assert tree.cluster_queues["a"].lends_all


def test_a_flavor_without_quota_is_borrowed_from_the_first_unit_on() -> None:
    queue = build({"a": ("", FOUR)}).cluster_queues["a"]
    assert not queue.borrowing_with(OTHER, 0)
    assert queue.borrowing_with(OTHER, 1)
    assert not queue.borrowing_with(FR, 4)
    assert queue.borrowing_with(FR, 5)


def test_what_a_queue_owes_is_available_in_it() -> None:
    """An entry above its borrowing limit reserves less than nothing."""
    tree = build({"a": ("team", FOUR), "b": ("team", (4, None, 2))})
    use(tree, a=-1, b=-1)
    assert [tree.cluster_queues[name].local_available(FR) for name in "ab"] == [1, 3]
    use(tree, a=3, b=4)
    assert [tree.cluster_queues[name].local_available(FR) for name in "ab"] == [0, 0]
    limited = ClusterQueue(ObjectMeta("c"), groups((4, None, 1), 5), "team")
    tree.set_cluster_queue(limited)
    node = tree.cluster_queues["c"]
    assert [node.local_available(each) for each in (FR, OTHER)] == [3, 0]
