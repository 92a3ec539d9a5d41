"""In the language for tests nothing readable stays English, but Kueue's own words and names."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli.app import app
from kueuelab.manifests import load_scenario
from kueuelab.messages import messages_in
from kueuelab.messages.pseudo import PSEUDO
from kueuelab.trace.export import trace_chunks
from kueuelab.whatif.advice import advise

ROOT = Path(__file__).parents[3]
#: What is never translated: kinds, fields, values and conditions of Kueue and Kubernetes.
KUEUES_WORDS = frozenset(
    {"ClusterQueue", "Cohort", "Evicted", "LocalQueue", "QuotaReserved", "Workload", "queueName"}
)
#: What Typer writes for the type or the place of a value.
TYPERS_WORDS = frozenset(
    {"ARGS", "COMMAND", "OPTIONS", "Path", "bool", "float", "int", "list", "path", "range", "str"}
)


def called(*arguments: str) -> str:
    result = CliRunner().invoke(app, ["--language", PSEUDO, *arguments], env={"COLUMNS": "200"})
    assert result.exception is None or isinstance(result.exception, SystemExit), result.exception
    return result.output


def strings(value: Any) -> Iterator[str]:
    """Yield the texts in plain data: names of objects and fields, values, Kueue's messages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield str(key)
            yield from strings(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from strings(inner)


@cache
def of_scenario(name: str) -> tuple[str, ...]:
    """Return what is verbatim in the texts about a scenario: what it, and its record, say."""
    run = scenarios.load(name).run()
    record = json.loads("".join(trace_chunks(run.trace)))
    facts = [str(fact) for fact in getattr(run, "facts", ())]
    found = {*strings(record), *strings(yaml.safe_load(scenarios.text(name))), *facts}
    return tuple(sorted((each for each in found if len(each) > 1), key=len, reverse=True))


def plain(text: str, known: tuple[str, ...] = ()) -> list[str]:
    """Return the lines of a text that have words which are neither translated nor known."""
    pattern = "|".join(rf"(?<!\w){re.escape(each)}(?!\w)" for each in known)
    found = []
    for line in text.splitlines():
        rest = re.sub(pattern, " ", line) if pattern else line
        rest = re.sub(r"<\w+ .*>", " ", rest)  # a repr
        words = re.findall(r"(?<![\w./-])[A-Za-z]{3,}(?![\w-])", rest)
        if set(words) - KUEUES_WORDS - TYPERS_WORDS:
            found.append(line)
    return found


def test_words_that_stay_are_found() -> None:
    assert plain("[!!Ťĥîš ŵåîťš.!!] not translated\ntrain", ("train",)) == [
        "[!!Ťĥîš ŵåîťš.!!] not translated"
    ]


@pytest.mark.parametrize(
    "name", ["reclaim-1-take-back", "fair-1-three-teams", "loop-1-the-victim-returns"]
)
def test_answers_about_a_run(name: str) -> None:
    run, known = scenarios.load(name).run(), of_scenario(name)
    texts = [run.as_text(PSEUDO)]
    for workload in run.trace.workloads:
        texts.append(run.why(workload, language=PSEUDO).as_text())
        eviction = run.who_evicted(workload, language=PSEUDO)
        texts += [] if eviction is None else [eviction.as_text()]
    first, *_, last = run.trace.workloads
    texts.append(run.why_not(last, first, language=PSEUDO).as_text())
    if run.loop_report is not None:
        texts.append(run.loop_report.table_text(PSEUDO))
    assert plain("\n".join(texts), known) == []


def test_what_would_admit() -> None:
    name = "reclaim-2-victim-in-own-queue"
    run = scenarios.load(name).run()
    report = run.what_would_admit("job-2")
    assert report
    texts = report.as_text(PSEUDO), report.table_text(PSEUDO)
    assert plain("\n".join(texts), of_scenario(name)) == []


def test_the_difference_of_two_runs() -> None:
    names = "reclaim-1-take-back", "reclaim-2-victim-in-own-queue"
    one, other = (scenarios.load(name).run() for name in names)
    difference = one.diff(other, language=PSEUDO)
    known = (*of_scenario(names[0]), *of_scenario(names[1]))
    assert plain(difference.as_text(), known) == []
    assert plain("\n".join(row["what"] for row in difference.as_table()), known) == []


def test_a_run_of_several_clusters() -> None:
    known = of_scenario("lost-worker")
    assert plain(called("run", "lost-worker"), known) == []
    run = scenarios.load("lost-worker").run()
    answer = run.why("train", language=PSEUDO)
    texts = [answer.as_text(PSEUDO), *(each.as_text() for _, each in answer.explanations)]
    words = messages_in(PSEUDO)
    dispatch = run.dispatches.of("default/train", len(run.trace) - 1)
    texts += [words.render(each.as_text()) for each in dispatch.rounds]
    assert plain("\n".join(texts), known) == []


def test_advice() -> None:
    file = ROOT / "tests" / "data" / "advice.yaml"
    text = file.read_text("utf-8") if file.exists() else scenarios.text("cohort-1-borrowing")
    spec = load_scenario(text)
    known = tuple(strings(list(yaml.safe_load_all(text))))
    assert plain("\n".join(each.as_text(PSEUDO) for each in advise(spec)), known) == []


@pytest.mark.parametrize("command", ["run", "live verify", "exercise", "init"])
def test_help(command: str) -> None:
    *path, last = ("kueuelab", *command.split())
    found: Any = typer.main.get_command(app)
    for name in (*path[1:], last):
        found = found.commands[name]
    names = {*path, last, *getattr(found, "commands", {})}
    for param in found.params:
        names |= {param.name, *str(param.metavar).split(), *param.opts, str(param.default)}
    known = tuple(sorted(map(str, names), key=len, reverse=True))
    assert plain(called(*command.split(), "--help"), known) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("--bogus",),
        ("bogus",),
        ("lab", "x", "y"),
        ("run",),
        ("diff", "here"),
        ("run", "--until"),
        ("run", "--until", "soon", "here"),
        ("run", "--unti", "3", "here"),
        ("bench", "bogus"),
        ("bench", "--help=3"),
        ("lab", "--port", "99999999"),
        ("lab", "--port", "-1"),
        ("conformance", "here", "--level", "bogus"),
        ("live", "bogus"),
        ("validat",),
    ],
)
def test_wrong_calls(arguments: tuple[str, ...]) -> None:
    names = ("kueuelab", "bench", "bogus", "conformance", "diff", "here", "lab", "live", "run")
    scenarios_of_bench = (
        "scenario",
        "baseline",
        "large-scale",
        "tas",
        "tas-cycle",
        "growth",
        "dump",
    )
    words = ("FILE", "DIR", "soon", "decisions", "all", "validate", "validat", "until", "level")
    assert plain(called(*arguments), (*names, *scenarios_of_bench, *words, "port", "help")) == []


@pytest.mark.parametrize(
    "arguments", [("exercise", "list"), ("exercise", "progress"), ("exercise", "hint", "take-back")]
)
def test_exercises(
    arguments: tuple[str, ...], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from kueuelab import workshop

    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    names = tuple(sorted(workshop.names(), key=len, reverse=True))
    assert plain(called(*arguments), names) == []


@pytest.mark.parametrize("cluster", ["queues-2-preempted/main", "mixed-1/main"])
def test_answers_about_a_real_cluster(cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(ROOT / "tests" / "unit" / "live"))
    from stand_in import Serving, api, shared

    from kueuelab.live.snapshot import take
    from kueuelab.live.why import explain

    found = api(Serving(shared(f"snapshots/{cluster}")))
    snapshot = take(found)
    for workload in snapshot.of_kind("Workload")[:6]:
        meta = workload["metadata"]
        answer = explain(found, snapshot, f"{meta['namespace']}/{meta['name']}", PSEUDO)
        known = {*strings(list(snapshot.objects)), *map(str, answer.events), answer.context}
        # What the API server answers, its resources, and the policies that a suggestion names.
        known |= {"not found", "LowerPriority", "borrowWithinCohort", "withinClusterQueue"}
        known |= {"limitranges", "priorityclasses", "runtimeclasses"}
        lines = tuple(sorted((each for each in known if len(each) > 1), key=len, reverse=True))
        assert plain(answer.as_text(PSEUDO), lines) == []
