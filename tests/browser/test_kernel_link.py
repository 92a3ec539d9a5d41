"""The kernel behind the views of a page follows them, and never takes them back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from kueuelab import frontend

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

#: A model as JupyterLab has them, and timers that go off when the test says so.
LINKED = """
() => {
  const timers = new Map();
  window.setTimeout = (what) => { timers.set(timers.size + 1, what); return timers.size; };
  window.clearTimeout = (which) => timers.set(which, () => {});
  const state = { board: "one", step: 10, selected: {} }, listeners = new Map(), saved = [];
  linked({
    get: (name) => state[name],
    set: (name, value) => {
      const same = JSON.stringify(state[name]) === JSON.stringify(value);
      state[name] = value;
      if (!same) listeners.get(`change:${name}`)?.();
    },
    save_changes: () => saved.push(state.step),
    on: (name, listener) => listeners.set(name, listener),
    off: () => {},
  });
  const board = boardOf("one");
  Object.assign(window, { test: {
    go: (step) => board.set({ step, selected: null }),
    elapse: () => { for (const each of timers.values()) each(); timers.clear(); },
    state: () => ({ shown: board.place.step, saved }),
  } });
}
"""


@pytest.fixture
def views(page: Page) -> Page:
    page.set_content("<main></main>")
    page.add_script_tag(content=frontend.script())
    page.evaluate(LINKED)
    return page


@pytest.mark.parametrize(
    ("steps", "saved"), [((14,), [14]), ((14, 17), [17]), ((17, 10), []), ((14, 17, 10, 11), [11])]
)
def test_views_stay_where_the_last_key_took_them(
    views: Page, steps: tuple[int, ...], saved: list[int]
) -> None:
    for step in steps:
        views.evaluate("step => test.go(step)", step)
    views.evaluate("() => test.elapse()")
    assert views.evaluate("() => test.state()") == {"shown": steps[-1], "saved": saved}
