"""A crowded picture: narrow neighbours are one chip, the lines of the tree are one line."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kueuelab.trace.reading import State
from kueuelab.views import Role
from kueuelab.views.chips import Chip
from kueuelab.views.joined import joined
from kueuelab.views.tree import Tree, tree_of
from kueuelab.widgets.layout import Layout

ROLES = st.sampled_from(list(Role))


@st.composite
def rows(draw: st.DrawFn) -> list[Chip]:
    """Return chips beside one another in a few lines."""
    found = []
    for line in range(draw(st.integers(1, 3))):
        at = 0.0
        for number in range(draw(st.integers(0, 8))):
            length = draw(st.sampled_from([0.01, 0.02, 0.1]))
            key = draw(st.sampled_from(["", f"default/{line}-{number}"]))
            role = draw(ROLES)
            shade = draw(st.sampled_from([0.0, 1.0]))
            about = draw(st.sampled_from(["holds 1", "waits"]))
            found.append(
                Chip(key, line, at, length, key or "5 more", role, shade, False, False, about)
            )
            at += length
    return found


@given(rows(), st.sampled_from([0.0, 0.015, 0.05, 1.0]), st.sampled_from(["", "default/0-1"]))
def test_nothing_is_lost_by_joining(chips: list[Chip], least: float, selected: str) -> None:
    found = joined(chips, least, selected)
    for line in {chip.line for chip in chips}:
        before = [chip for chip in chips if chip.line == line]
        after = [chip for chip in found if chip.line == line]
        assert sum(c.length for c in after) == pytest.approx(sum(c.length for c in before))
        for left, right in pairwise(after):
            assert right.start == pytest.approx(left.start + left.length)
            alike = (left.role, left.shade) == (right.role, right.shade)
            plain = left.role not in (Role.HEAD, Role.PREEMPTOR, Role.TARGET)
            narrow = max(left.length, right.length) < least
            alone = {"", selected} & {left.workload, right.workload}
            assert not (alike and plain and narrow) or alone
    for chip in chips:
        assert chip in found or (chip.length < least and chip.workload not in ("", selected))
    together = [chip for chip in found if chip not in chips]
    counted = sum(int(chip.label.removeprefix("×")) for chip in together)
    assert counted == len(chips) - (len(found) - len(together))


def test_many_are_counted_and_some_are_named() -> None:
    row = [
        Chip(f"default/{n}", 0, n / 100, 0.01, f"{n}", Role.EXCLUDED, 0.5, False, False, "so it is")
        for n in range(9)
    ]
    (found,) = joined(row, 0.02)
    assert found.label == "×9"
    assert found.about == "0, 1, 2, 3, 4, 5, 3 more; so it is"
    assert found.workload == ""


def trees() -> Iterable[Tree]:
    """Return a deep tree, several of them, and a queue that is alone."""
    deep = {f"Cohort/c{n}": {"spec": {"parentName": f"c{n // 2}"}} for n in range(2, 8)}
    deep["Cohort/c1"] = {"spec": {}}
    queues = {f"ClusterQueue/q{n}": {"spec": {"cohortName": f"c{n % 7 + 1}"}} for n in range(20)}
    local = {
        f"LocalQueue/default/l{n}": {"spec": {"clusterQueue": f"q{n % 20}"}} for n in range(30)
    }
    flat = {f"ClusterQueue/q{n}": {"spec": {"cohortName": f"c{n}"}} for n in range(5)}
    for objects in (deep | queues | local, flat, {"ClusterQueue/q": {"spec": {}}}):
        yield tree_of(State({"": {"objects": objects}}))


@pytest.mark.parametrize("tree", list(trees()))
@pytest.mark.parametrize("part", [(0.0, 1.0), (0.2, 0.5), (0.5, 0.6), (0.9, 1.0)])
def test_the_lines_of_a_tree_are_drawn_in_one_go(tree: Tree, part: tuple[float, float]) -> None:
    layout = Layout(tree)
    highest, lowest = (-layout.height * share for share in part)
    drawn = list(layout.strokes(highest, lowest))
    between = [
        (left, right)
        for left, right in pairwise(drawn)
        if left is not None and right is not None and left != right
    ]
    # Nothing slants, and no line begins where none ended.
    assert all(left[0] == right[0] or left[1] == right[1] for left, right in between)
    level = {(min(a, b)[0], max(a, b)[0], a[1]) for a, b in between if a[1] == b[1]}
    upright = [(a[0], max(a[1], b[1]), min(a[1], b[1])) for a, b in between if a[0] == b[0]]
    places = {node.key: layout.place(node) for node in tree.nodes}
    for node in tree.nodes:
        depth, height = places[node.key]
        if node.parent is None or not lowest <= height <= highest:
            continue
        above, top = places[node.parent]
        assert (above, depth, height) in level
        reached = min(highest, top)
        assert any(x == above and a >= reached and b <= height for x, a, b in upright)
