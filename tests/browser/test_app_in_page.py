"""The engine in the page: the same bytes as on this machine, stopped, by itself."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from long_scenario import long_scenario
from pages import STORE
from static_site import NODE, PYODIDE, serving
from test_large_input import OPEN, dump

from kueuelab import scenarios
from kueuelab.app.site import write_site
from kueuelab.messages import english
from kueuelab.session.handler import Handler

if TYPE_CHECKING:
    from playwright.sync_api import Page, Route

pytestmark = [pytest.mark.browser]

WORKLOAD = "team-b/job-b-cpu-2-71f14"
#: Texts go to a worker as a page sends them; its answers come back as they are.
ASK = """
(texts) => new Promise((resolve) => {
  const worker = new Worker("app/engine_worker.js", { type: "module" });
  const found = [];
  worker.onmessage = ({ data }) => {
    if (typeof data === "string") found.push(data);
    else if (data.state === "lost") found.push("lost");
    if (found.length < texts.length && !found.includes("lost")) return;
    worker.terminate();
    resolve(found);
  };
  for (const text of texts) worker.postMessage(text);
})
"""
#: Opens a text as if it were dropped; the answer is not waited for.
DROP = f"(text) => {{ {STORE}.then((store) => store.openContent('large.yaml', text)); }}"
#: The engine is lost each time that it is to load what is listed.
LOST_WHILE_LOADING = f"""() => {STORE}.then(({{ engine }}) => {{
    window.loads = 0;
    const send = engine.wire.send.bind(engine.wire);
    engine.wire.send = (text) => {{
        const isLoad = text.includes('"do":"load"');
        if (isLoad) window.loads += 1;
        // What is no text is no command.
        send(isLoad ? null : text);
    }};
}})"""
READY = "() => document.querySelector('.app') && !document.querySelector('.pill.engine')"


@pytest.fixture(scope="module")
def address(site: Path) -> Iterator[str]:
    with serving(site) as found:
        yield found


@pytest.fixture
def app(page: Page, address: str) -> Iterator[Page]:
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.goto(address)
    page.wait_for_function(READY)
    yield page
    assert wrong == []


def commands() -> list[dict[str, Any]]:
    """Return commands of each kind; some of them have mistakes."""
    opened = [
        {"do": "hello"},
        {"do": "overview"},
        {"do": "open", "source": "two-teams"},
        {"do": "overview"},
        {"do": "pending"},
        {"do": "workloads", "sort": "age", "descending": True},
        {"do": "workloads", "group": "cause", "priority": "10"},
        {"do": "workloadFilters"},
        {"do": "kubectl", "workloads": [WORKLOAD]},
        {"do": "workload", "workload": WORKLOAD},
        {"do": "why", "workload": WORKLOAD},
        {"do": "levers", "workload": WORKLOAD},
        {"do": "try", "workload": WORKLOAD, "lever": 0},
        {"do": "compare", "before": "two-teams", "after": "two-teams: quota"},
        {"do": "patch", "before": "two-teams", "after": "two-teams: quota"},
        {"do": "undo"},
        {"do": "redo"},
        {"do": "open", "name": "wrong.yaml", "text": "apiVersion: v1\nkind: ["},
        {"do": "open", "source": "/etc/hosts"},
        {"do": "nonsense"},
    ]
    played = [
        {"do": "open", "name": "pasted.yaml", "text": scenarios.text("reclaim-1-take-back")},
        {"do": "frames"},
        {"do": "open", "source": "topology-1-required"},
        {"do": "overview"},
        {"do": "frames", "step": 3},
    ]
    return [{**each, "id": number} for number, each in enumerate(opened + played)]


def test_the_answers_are_the_same_bytes(app: Page) -> None:
    texts = [json.dumps(each) for each in commands()]
    handler = Handler()
    expected = [handler.reply(text) for text in texts]
    found = app.evaluate(ASK, texts)
    for command, one, other in zip(texts, found, expected, strict=True):
        assert one.encode() == other.encode(), command
    assert sum('"error":' in each[:40] for each in expected) == 4


def test_a_site_that_is_written_again_has_the_same_bytes(site: Path, tmp_path: Path) -> None:
    write_site(tmp_path, PYODIDE, english(), NODE)
    for each in sorted(site.rglob("*")):
        if each.is_file():
            again = tmp_path / each.relative_to(site)
            assert each.read_bytes() == again.read_bytes(), each.name
    assert len([*site.rglob("*")]) == len([*tmp_path.rglob("*")])


def test_the_page_shows_before_python_is_there(page: Page, address: str) -> None:
    page.route("**/memory.gz", lambda route: None)
    page.goto(address)
    page.locator(".example", has_text="two-teams").first.click()
    assert "Loading Python" in page.locator(".pill.engine").inner_text()
    assert page.locator(".busy").inner_text() == "Opening two-teams …"


def test_what_takes_long_is_stopped_and_what_is_open_stays(app: Page) -> None:
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".cause").first.click()
    app.locator(".tr .name", has_text=WORKLOAD.partition("/")[2]).click()
    app.locator(".lever button").first.click()
    app.locator(".changes li").wait_for()
    branch = app.locator(".pill.branch select").input_value()
    app.evaluate(DROP, long_scenario(6_000))
    app.get_by_role("button", name="Stop").click()
    app.locator(".toast", has_text="Stopped").wait_for()
    app.wait_for_function(READY)
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name").first.wait_for()
    assert app.locator(".pill.branch select").input_value() == branch
    # A page that is loaded again finds it, too.
    app.reload()
    app.locator(".tr .name").first.wait_for()
    assert app.locator(".pill.branch select").input_value() == branch
    app.get_by_role("button", name="Undo", exact=True).first.click()
    app.locator(".pill.branch").wait_for(state="detached")


def test_a_worker_that_is_lost_is_replaced(app: Page) -> None:
    app.locator(".example", has_text="two-teams").first.click()
    app.locator(".cause").first.wait_for()
    # What is no text is no command.
    app.evaluate(f"() => {STORE}.then((store) => store.engine.wire.send(null))")
    app.locator(".pill", has_text="Python ended").wait_for()
    app.wait_for_function(READY.replace(".pill.engine", ".pill.engine, .pill.tone-bad"))
    app.locator("nav a", has_text="Workloads").click()
    app.locator(".tr .name").first.wait_for()


def test_an_engine_that_is_lost_while_it_loads_is_not_asked_again(app: Page) -> None:
    """What was too much for the engine would be so again; the table of what is listed stays."""
    app.evaluate(LOST_WHILE_LOADING)
    app.evaluate(OPEN, ["dump.json", dump()])
    app.locator(".tr .name").first.wait_for()
    app.locator(".toast", has_text="Python ended in this page").wait_for()
    app.wait_for_function(READY.replace(".pill.engine", ".pill.engine, .pill.tone-bad"))
    app.locator(".search input").fill("gpu")
    app.locator(".title p", has_text="of 5,100 workloads match").wait_for()
    assert app.evaluate("() => window.loads") == 1
    # Who wants more of it has it loaded.
    app.locator("nav a", has_text="Overview").click()
    app.locator(".kpis").wait_for()


def test_where_python_cannot_wait_the_table_is_there_once_it_is_read(
    page: Page, address: str
) -> None:
    """As in browsers that cannot switch between stacks."""

    def without_switching(route: Route) -> None:
        found = route.fetch()
        removed = "delete WebAssembly.Suspending; delete WebAssembly.promising;\n"
        route.fulfill(response=found, body=removed + found.text())

    page.context.route("**/engine_worker.js", without_switching)
    page.goto(address)
    page.wait_for_function(READY)
    page.evaluate(OPEN, ["dump.json", dump()])
    page.locator(".tr .name").first.wait_for()
    assert "5,100 workloads, as read" in page.locator(".top .file").inner_text()
    page.locator(".tr .name").first.click()
    page.locator(".drawer .say").wait_for()
    page.locator("nav a", has_text="Overview").click()
    page.locator(".as-read").get_by_role("button", name="Run").click()
    page.locator(".cause", has_text="Not enough quota").first.wait_for()


def test_no_other_origin_can_be_asked(app: Page, address: str) -> None:
    app.evaluate("() => navigator.serviceWorker.ready.then(() => true)")
    other = address.replace("127.0.0.1", "localhost")
    for url, outcome in ((other, "refused"), (address, "answered")):
        asked = f"() => fetch('{url}say.js').then(() => 'answered', () => 'refused')"
        assert app.evaluate(asked) == outcome
