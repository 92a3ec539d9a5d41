"""What notebooks offer: ``%%kueue``, rich representations with text beside, completed names."""

from __future__ import annotations

from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest
from IPython.core.completer import provisionalcompleter
from IPython.core.interactiveshell import InteractiveShell
from IPython.utils.capture import capture_output

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.messages import english
from kueuelab.whatif.lab import LabRun

SCENARIO = scenarios.text("reclaim-1-take-back")


@pytest.fixture
def shell() -> Iterator[InteractiveShell]:
    found = InteractiveShell()
    found.run_line_magic("load_ext", "kueuelab")
    yield found
    found.history_manager.end_session()
    InteractiveShell.clear_instance()


@pytest.fixture(scope="module")
def run() -> LabRun:
    found = scenarios.load("reclaim-1-take-back").run()
    assert isinstance(found, LabRun)
    return found


def cell(shell: InteractiveShell, line: str, text: str) -> tuple[Any, str, str]:
    with capture_output() as said:
        result = shell.run_cell(f"%%kueue {line}\n{text}")
    return result, said.stdout + said.stderr, said.stdout


def test_a_cell_runs_and_shows_its_view(shell: InteractiveShell) -> None:
    result, _, shown = cell(shell, "", SCENARIO)
    assert result.error_in_exec is None
    assert repr(shell.user_ns["run"]) == repr(scenarios.load("reclaim-1-take-back").run())
    assert shown == "<Lab at step 64 of 103>\n"


def test_the_run_has_the_name_that_is_asked_for(shell: InteractiveShell) -> None:
    _, _, shown = cell(shell, "--name first --until 5 --quiet", SCENARIO)
    assert "first" in shell.user_ns
    assert "run" not in shell.user_ns
    assert shell.user_ns["first"].cluster.now - shell.user_ns["first"].start == 5 * 10**9
    assert shown == ""


def test_several_clusters_are_shown_too(shell: InteractiveShell) -> None:
    result, _, _ = cell(shell, "", scenarios.text("lost-worker"))
    assert result.error_in_exec is None
    assert sorted(shell.user_ns["run"].traces) == ["manager", "w1", "w2"]


@pytest.mark.parametrize(
    ("line", "text", "said"),
    [
        ("", f"{SCENARIO}\nnonsense: 1\n", f"cell:{2 + len(SCENARIO.splitlines()) + 1}"),
        ("", "a: ]", "cell:2"),
        ("--name 1x", SCENARIO, "'1x' is not the name of a variable"),
        ("--language xx", SCENARIO, "no language named 'xx'"),
        ("--nothing", SCENARIO, "unrecognized arguments: --nothing"),
    ],
)
def test_mistakes_are_said_without_a_traceback(
    shell: InteractiveShell, line: str, text: str, said: str
) -> None:
    result, shown, _ = cell(shell, line, text)
    assert result.error_in_exec is not None
    assert said in shown
    assert "Traceback" not in shown
    assert "run" not in shell.user_ns


def test_loading_the_extension_is_what_imports_ipython() -> None:
    assert kl.load_ipython_extension.__module__ == "kueuelab"


# --- representations -----------------------------------------------------------------------


class _Text(HTMLParser):
    """Fails where a tag is not closed, and keeps the text."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text += data


def text_of(html: str) -> str:
    parser = _Text()
    parser.feed(html)
    assert not parser.open
    return parser.text


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("run", "Reclaiming what another queue borrowed"),
        ("state", "team-b"),
        ("queues", "team-a"),
        ("workloads", "default/job-1"),
        ("why", "It does not fit: 500m cpu requested"),
        ("report", "What would admit default/job-1?"),
        ("diff", "decision"),
        ("timeline", "preempts default/job-1"),
        ("pending", "raise the nominal quota of ClusterQueue team-b by 200m"),
    ],
)
def test_each_object_has_html_and_text(run: LabRun, name: str, said: str) -> None:
    other = run.fork(at=0).edit(
        "cluster-queue/team-a", {"spec.preemption.reclaimWithinCohort": "Never"}
    )
    objects: dict[str, Any] = {
        "run": run,
        "state": run.state_at(-1 + len(run.trace)),
        "queues": run.queues,
        "workloads": run.workloads,
        "why": run.why("job-1"),
        "report": run.what_would_admit("job-1"),
        "diff": other.run().diff(run) if name == "diff" else None,
        "timeline": run.timeline,
        "pending": kl.pending(run),
    }
    shell = InteractiveShell()
    data, _ = shell.display_formatter.format(objects[name])
    assert said in text_of(data["text/html"])
    assert data["text/plain"]
    shell.history_manager.end_session()


def test_names_in_html_are_text(run: LabRun) -> None:
    hostile = scenarios.text("reclaim-1-take-back").replace(
        "Reclaiming what another queue borrowed", "<script>alert(1)</script>"
    )
    html = kl.load(hostile).run()._repr_html_()
    assert "<script>" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ('run.why("job-', "default/job-1"),
        ('print(run.what_would_admit("default/', "default/job-2"),
        ('run.workloads["default/job-', "default/job-1"),
        ("run.queues['te", "team-b"),
    ],
)
def test_names_of_objects_are_completed(
    shell: InteractiveShell, run: LabRun, text: str, wanted: str
) -> None:
    shell.user_ns["run"] = run
    with provisionalcompleter():
        found = [each.text for each in shell.Completer.completions(text, len(text))]
    assert wanted in found


def test_keys_are_completed_without_the_extension(run: LabRun) -> None:
    assert run.queues._ipython_key_completions_() == ["team-a", "team-b"]
    assert "default/job-1" in run.workloads._ipython_key_completions_()
    assert run.state_at(3)._ipython_key_completions_() == [""]


def test_dir_names_what_there_is() -> None:
    names = dir(kl)
    assert {*kl.__all__, "widgets", "scenarios", "whatif", "multikueue", "live"} <= set(names)
    assert all(getattr(kl, name) is not None for name in names if not name.startswith("_"))


def test_run_lab_shows_all_views(run: LabRun) -> None:
    assert repr(run.lab()) == "<Lab at step 64 of 103>"
    assert repr(run.lab(at=run.until(event="preempting"))) == "<Lab at step 62 of 103>"
    lost = scenarios.load("lost-worker").run()
    assert lost.lab(at=60).board.index == 60
    assert type(scenarios.load("lost-worker").run().lab()).__name__ == "MultiKueueBoard"


def test_what_is_said_in_the_run_is_in_the_catalogue(run: LabRun) -> None:
    assert english().text("shown.lab") in text_of(run._repr_html_())
