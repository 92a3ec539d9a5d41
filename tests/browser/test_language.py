"""In the language for tests, nothing that kueuelab says stays in plain English.

What may stay: names of objects, and what Kueue itself wrote.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from kueuelab import scenarios
from kueuelab.messages.pseudo import PSEUDO
from kueuelab.trace.coding import encode_step

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = [pytest.mark.browser, pytest.mark.slow]

#: Two plain words one after the other; a kind and a name are none.
PLAIN = re.compile(r"(?<![\w/.:-])(?!Cohort )[A-Za-z][a-z]+ [a-z]{2,}(?![\w/.-])")

#: Every text and label that can be seen or heard below an element.
TEXTS = """(root) => {
    const found = [], walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const place = walker.currentNode.parentElement.closest("style, script");
        if (!place) found.push(walker.currentNode.data);
    }
    for (const element of root.querySelectorAll("*"))
        for (const name of ["title", "aria-label", "placeholder", "alt"])
            if (element.getAttribute(name)) found.push(element.getAttribute(name));
    return found;
}"""


def own_words(value: Any) -> Iterator[str]:
    """Yield what Kueue wrote in a run, and what the author of the scenario did."""
    if isinstance(value, dict):
        for inner in value.values():
            yield from own_words(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from own_words(inner)
    elif isinstance(value, str) and " " in value:
        yield value


def plain(texts: list[str], run: Any) -> set[str]:
    """Return the texts with plain words that are not Kueue's, nor the author's."""
    steps = [encode_step(step) for step in run.trace]
    own = sorted({*own_words(steps), run.trace.title, run.trace.description}, key=len, reverse=True)
    left = set()
    for text in texts:
        shown = " ".join(text.split())
        for words in own:
            shown = shown.replace(" ".join(words.split()), "")
        if PLAIN.search(shown):
            left.add(shown)
    return left


def test_a_saved_page_is_in_the_language_of_who_saves_it(page: Page, tmp_path: Path) -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    run.save(tmp_path / "run.html", PSEUDO)
    page.goto((tmp_path / "run.html").as_uri())
    assert page.locator("html").get_attribute("lang") == PSEUDO
    page.locator(".kl-chip").first.wait_for()
    page.locator(".kl-chip").first.click()
    texts = page.locator("html").evaluate(TEXTS)
    for _ in range(len(run.trace)):
        page.keyboard.press("ArrowRight")
        texts += page.locator("html").evaluate(TEXTS)
    assert any("[!!" in text for text in texts)
    assert not plain(texts, run)
