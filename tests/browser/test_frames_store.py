"""The store of frames goes to any step: forwards, backwards and by jumps it is the same frame."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from pages import document, open_page

from kueuelab import frontend, scenarios
from kueuelab.views.frame.document import Document

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NAMES = ("reclaim-1-take-back", "flavors-1-borrow-or-free", "within-1-all-in-one-queue")

WALK = """
([data, steps]) => {
  const store = new Store(data);
  return steps.map(step => { store.go(step); return JSON.parse(JSON.stringify(store.frame)); });
}
"""


@pytest.fixture
def modules(page: Page) -> Page:
    """A page with nothing but the modules."""
    page.set_content("<main></main>")
    page.add_script_tag(content=frontend.script())
    return page


@pytest.mark.parametrize("name", NAMES)
def test_forwards_backwards_and_jumps_show_the_frames_that_python_makes(
    modules: Page, name: str
) -> None:
    made = Document(scenarios.load(name).run())
    data = made.as_data()
    wanted = [json.loads(json.dumps(made.frame(step))) for step in range(data["steps"])]
    forwards = list(range(data["steps"]))
    jumps = random.Random(15).choices(forwards, k=60)
    # In small chunks, so that their ends are crossed, too.
    for steps in (forwards, forwards[::-1], jumps):
        found = modules.evaluate(WALK, [data, steps])
        wrong = [step for step, frame in zip(steps, found, strict=True) if frame != wanted[step]]
        assert wrong == []


#: The same where chunks are packed: each is unpacked when it is shown.
WALK_PACKED = """
async ([data, steps]) => {
  const before = JSON.stringify(data);
  const store = new Store(data);
  const frames = [];
  for (const step of steps) {
    await store.fetch(step);
    store.go(step);
    frames.push(JSON.parse(JSON.stringify(store.frame)));
  }
  return [frames, JSON.stringify(data) === before];
}
"""


def test_packed_chunks_are_unpacked_when_they_are_shown(
    modules: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Document, "steps_of_chunk", 40)
    made = Document(scenarios.load("reclaim-1-take-back").run())
    data = frontend.sent(made.as_data())
    assert [type(each) for each in data["chunks"].values()] == [dict, str, str]
    wanted = [json.loads(json.dumps(made.frame(step))) for step in range(data["steps"])]
    forwards = list(range(data["steps"]))
    jumps = random.Random(15).choices(forwards, k=60)
    for steps in (forwards, forwards[::-1], jumps):
        found, is_unchanged = modules.evaluate(WALK_PACKED, [data, steps])
        wrong = [step for step, frame in zip(steps, found, strict=True) if frame != wanted[step]]
        assert wrong == []
        # It is gone back to, and other views show it, too.
        assert is_unchanged


def test_a_patch_is_undone_by_its_undo(modules: Page) -> None:
    before = {"a": {"b": 1, "c": [1, 2]}, "d": "x", "e": {"f": {"g": 1}}}
    patch = {"a": {"b": None, "c": [3], "n": {"m": 1}}, "d": {"o": 1}, "e": None, "new": 7}
    after, back = modules.evaluate(
        """([before, patch]) => {
            const frame = copied(before);
            const undo = merge(frame, patch);
            const after = JSON.parse(JSON.stringify(frame));
            merge(frame, undo);
            return [after, JSON.parse(JSON.stringify(frame))];
        }""",
        [before, patch],
    )
    assert after == {"a": {"c": [3], "n": {"m": 1}}, "d": {"o": 1}, "new": 7}
    assert back == before


def test_a_name_in_a_patch_cannot_reach_the_prototype_of_objects(modules: Page) -> None:
    found = modules.evaluate(
        """() => {
            const patch = JSON.parse('{"__proto__": {"caught": 1}, "constructor": {"caught": 1}}');
            const frame = copied({});
            merge(frame, patch);
            merge(frame, patch);
            return [({}).caught === undefined, Object.keys(frame)];
        }"""
    )
    assert found == [True, ["__proto__", "constructor"]]


def test_chunks_are_asked_for_and_few_are_kept(modules: Page) -> None:
    made = Document(scenarios.load("hierarchy-2-fair-departments").run())
    whole = made.as_data()
    numbers = len(whole["chunks"])
    chunks = whole["chunks"]
    data = whole | {"chunks": {}}
    asked, last, kept = modules.evaluate(
        """async ([data, chunks]) => {
            const asked = [];
            const store = new Store(data, async ({number}) => {
                asked.push(number);
                return chunks[number];
            });
            for (let step = 0; step < data.steps; step += 100) {
                await store.fetch(step);
                store.go(step);
            }
            for (let round = 0; round < 3; round += 1)
                for (let number = 0; number < 20; number += 1)
                    store.fetched.set(100 + number, null);
            await store.fetch(0);
            return [asked, store.frame.at.step, store.fetched.size];
        }""",
        [data, chunks],
    )
    assert asked[:numbers] == list(range(numbers))
    assert last == (data["steps"] - 1) // 100 * 100
    assert kept <= 28


@pytest.mark.parametrize(
    ("direction", "start", "wanted"), [(1, -1, 3), (1, 3, 5), (1, 9, -1), (-1, 9, 5), (-1, 3, -1)]
)
def test_the_nearest_step_in_a_direction(
    modules: Page, direction: int, start: int, wanted: int
) -> None:
    place = [[3, 5, 9], start, direction]
    expected = 9 if (direction, start) == (1, 5) else wanted
    assert modules.evaluate("place => nearest(...place)", place) == expected


def test_conditions_hold_together_or_any_of_them(modules: Page) -> None:
    data: dict[str, Any] = {
        "steps": 20,
        "index": {
            "events": {"preempted": [4, 6], "admitted": [2, 8]},
            "queues": {"team-a": [1, 1, 8]},
            "workloads": {},
        },
    }
    find = "([data, conditions, from, way]) => new StepIndex(data).until(conditions, from, way)"
    both = {"event": "admitted", "queue": "team-a"}
    assert modules.evaluate(find, [data, [both], 0, 1]) == 2
    assert modules.evaluate(find, [data, [both], 2, 1]) == 10
    assert modules.evaluate(find, [data, [both], 10, 1]) == -1
    either = both | {"any": True}
    assert modules.evaluate(find, [data, [either], 0, 1]) == 1
    assert modules.evaluate(find, [data, [both, {"event": "preempted"}], 2, 1]) == 4
    assert modules.evaluate(find, [data, [both], 20, -1]) == 10
    # Without the list of workloads the document does not say: the kernel is asked.
    assert modules.evaluate(find, [data, [{"workload": "default/a"}], 0, 1]) is None


@pytest.mark.parametrize(
    ("resource", "amount", "text"),
    [
        ("cpu", 1500, "1500m"),
        ("cpu", 2000, "2"),
        ("cpu", 3_000_000, "3k"),
        ("memory", 2**30, "1Gi"),
        ("memory", 1536 * 2**20, "1536Mi"),
        ("memory", 2000, "2k"),
        ("nvidia.com/gpu", 8, "8"),
        ("cpu", 2**63 - 1, "∞"),
    ],
)
def test_amounts_are_printed_as_in_python(
    modules: Page, resource: str, amount: int, text: str
) -> None:
    from kueuelab.trace.wording import amount_text

    found = modules.evaluate("given => amountText(...given)", [resource, amount])
    assert found == text
    if amount < 2**62:
        assert amount_text(resource, amount) == text


def test_a_step_is_reached_by_the_address(page: Page, tmp_path: Path) -> None:
    wrong = open_page(page, tmp_path, document("reclaim-1-take-back"), "#step=58")
    assert page.locator(".kl-at").inner_text().startswith("Step 58 of 103")
    assert wrong == []


#: Goes to and fro in a run whose chunks are asked for, and remembers what was sent.
VISIT = """
async ([data, chunks, steps]) => {
  window.sent = [];
  window.store = new Store(data, async ({number}) => {
    const chunk = copied(chunks[number]);
    window.sent.push(new WeakRef(chunk));
    return chunk;
  });
  let most = 0;
  for (const step of steps) {
    if (!store.has(step)) await store.fetch(step);
    store.go(step);
    store.ahead(step);
    most = Math.max(most, store.fetched.size);
  }
  return most;
}
"""


def test_chunks_that_are_far_away_are_dropped(modules: Page) -> None:
    made = Document(scenarios.load("hierarchy-2-fair-departments").run())
    made.steps_of_chunk = 64
    whole = made.as_data(range(made.count))
    steps = random.Random(15).choices(range(whole["steps"]), k=200)
    most = modules.evaluate(VISIT, [whole | {"chunks": {}}, whole["chunks"], steps])
    session = modules.context.new_cdp_session(modules)
    session.send("HeapProfiler.collectGarbage")
    assert modules.evaluate("store.frame.at.step") == steps[-1]
    assert modules.evaluate("sent.length") > 100
    # Eight are kept, and the one that is shown.
    assert most <= 8
    assert modules.evaluate("sent.filter((each) => each.deref()).length") <= 9
