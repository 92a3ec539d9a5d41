"""A saved run with any field damaged: a clear error, or every view shows it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.errors import InputError, KueueLabError
from kueuelab.messages import english
from kueuelab.trace import explain
from kueuelab.trace.coding import decode_step
from kueuelab.trace.diff import diff
from kueuelab.trace.export import load_trace, trace_from_json, trace_to_json
from kueuelab.trace.timeline import timeline_text
from kueuelab.trace.trace import Trace
from kueuelab.views import Document

SCENARIO = "reclaim-1-take-back"
SOUND = scenarios.load(SCENARIO).run().trace
DOCUMENT: dict[str, Any] = json.loads(trace_to_json(SOUND))
#: A value of each type, amounts beyond any, and what an object's empty field would be.
VALUES = (None, -1, 2**63, 10**30, 1.5, "", "x", True, [], {}, ["x"], {"x": 1}, [None], "\ud800")

runner = CliRunner()


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the way to every value in nested lists and objects; of a list, to its first."""
    inner = value.items() if isinstance(value, dict) else enumerate(value[:1])
    for key, part in inner:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from places(part, (*path, key))


def kinds_of_places() -> Iterator[tuple[Any, ...]]:
    """Yield a place of each kind: a field of a kind of step, or of a kind of change."""
    seen = set()
    for index, step in enumerate(DOCUMENT["steps"]):
        for path in places(step):
            what: list[Any] = [step["kind"]]
            if path[0] == "changes" and len(path) > 1:
                place = step["changes"][0]["path"]
                what = [place[0], len(place), *place[2:3]]
            if (key := (*what, *path)) not in seen:
                seen.add(key)
                yield (index, *path)


def damaged(path: tuple[Any, ...], value: Any) -> dict[str, Any]:
    """Return a step with another value at a place, or with none there."""
    step = json.loads(json.dumps(DOCUMENT["steps"][path[0]]))
    at = step
    for key in path[1:-1]:
        at = at[key]
    if value is ...:
        del at[path[-1]]
    else:
        at[path[-1]] = value
    return step  # type: ignore[no-any-return]


def look_at(trace: Trace) -> None:
    """Open everything that there is to see of a run."""
    from kueuelab.cli.stepper import Stepper

    timeline_text(trace, objects=True)
    Document(trace).as_data()
    trace_to_json(trace).encode()
    for found in (diff(trace, SOUND), diff(SOUND, trace)):
        found.as_text()
        found.as_data()
        found.as_table()
    for workload in trace.workloads:
        explain.why(trace, workload)
        explain.who_evicted(trace, workload)
    stepper = Stepper(Document(trace), "default/job-1", 1, english())
    for _ in range(0, len(trace), 8):
        stepper.text()
        for _ in range(8):
            stepper.press("n")
    for key in "gcCeEpPwWG":
        stepper.press(key)
    stepper.text()


@pytest.mark.slow
def test_every_field_damaged() -> None:
    shown = refused = 0
    for number, path in enumerate(kinds_of_places()):
        # Each place meets a few of the values, and all places together meet all.
        values = [VALUES[(number * 3 + each) % len(VALUES)] for each in range(4)]
        for value in (*values, ...):
            step = damaged(path, value)
            try:
                decode_step(step)
            except InputError:
                refused += 1
                continue
            steps = list(DOCUMENT["steps"])
            steps[path[0]] = step
            try:
                look_at(trace_from_json(json.dumps({**DOCUMENT, "steps": steps})))
                shown += 1
            except KueueLabError:
                refused += 1
            except Exception as error:
                raise AssertionError(f"{path} = {value!r}") from error
    assert refused > 5 * shown > 0


QUEUE: dict[str, Any] = {"kind": "ClusterQueue", "metadata": {"name": "a"}}

#: What stands at a place of the state, and what no recorder writes there.
CHANGES: tuple[tuple[list[Any], Any], ...] = (
    ([], 1),
    (["objects"], {}),
    (["objects", "ClusterQueue/a"], "a"),
    (["objects", "ClusterQueue/a"], {"metadata": {}}),
    (["objects", "ClusterQueue/a"], QUEUE | {"kind": "Cohort"}),
    (["objects", "ClusterQueue/a"], QUEUE | {"spec": {"cohortName": 1}}),
    (["objects", "ClusterQueue/a"], QUEUE | {"spec": {"resourceGroups": [{"flavors": [{}]}]}}),
    (["objects", "ClusterQueue/a"], QUEUE | {"status": {"conditions": [1]}}),
    (["objects", "ClusterQueue/a"], {"unknown": 1}),
    (["objects", "Nothing/a"], {}),
    (["workloads", "default/a"], {}),
    (["workloads", "a", "phase"], "Pending"),
    (["workloads", "default/a", "phase"], 1),
    (["workloads", "default/a", "admission"], {"podSetAssignments": []}),
    (["workloads", "default/a", "conditions", "Evicted"], {"status": 1}),
    (["workloads", "default/a", "conditions"], {}),
    (["clusterQueues", "a", "usage", "spot", "cpu"], "1"),
    (["clusterQueues", "a", "usage", "spot", "cpu"], 2**64),
    (["cohorts", "a", "usage", "spot"], 1),
    (["cohorts", 1, "usage", "spot", "cpu"], 1),
    (["cohorts", "a", "usage", "spot", "cpu"], True),
    (["w1", "cohorts", "a", "usage", "spot", "cpu"], 1),
)


@pytest.mark.parametrize(("path", "value"), CHANGES)
def test_a_change_that_no_recorder_writes(path: list[Any], value: Any) -> None:
    step = damaged((0, "changes"), [{"path": path, "before": None, "after": value}])
    with pytest.raises(InputError, match="step 0 of the trace cannot be read"):
        decode_step(step)


@pytest.mark.parametrize("name", [*scenarios.names(), *scenarios.names("multikueue")])
def test_every_sound_run_is_read(name: str) -> None:
    trace = scenarios.load(name).run().trace
    assert trace_from_json(trace_to_json(trace)) == trace


def test_what_makes_no_sense_is_damage_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def confused(*_: object, **__: object) -> str:
        raise TypeError("'<' not supported")

    monkeypatch.setattr("kueuelab.trace.timeline.rows_text", confused)
    file = tmp_path / "run.json"
    file.write_text(trace_to_json(SOUND), "utf-8")
    result = runner.invoke(app, ["run", str(file)])
    assert result.exit_code == 2
    assert result.stderr == (
        f"kueuelab: {file}: the run cannot be shown, it is damaged (TypeError)\n"
    )
    # In a scenario it is a mistake of the lab, and nothing hides it.
    assert isinstance(runner.invoke(app, ["run", SCENARIO]).exception, TypeError)


def test_commands_say_what_is_damaged(tmp_path: Path) -> None:
    file = tmp_path / "run.json"
    for old, new in (
        ('"kind":"WorkloadCreated"', '"kind":"Nothing"'),
        ('"time":', '"time":1e999,"was":'),
        ('"index":0', '"index":NaN'),
        ('"index":0', f'"index":{"9" * 5000}'),
        ('"title":"', '"title":"\\ud800'),
        ('"path":["', '"path":["\\u0000'),
        ('"steps":[', '"steps":[null,'),
        ('"steps":[', '"steps":[['),
        ('"version":2', '"version":[]'),
    ):
        file.write_text(trace_to_json(SOUND).replace(old, new, 1), "utf-8")
        for command in (
            ["run", str(file)],
            ["explain", str(file), "job-1"],
            ["step", str(file), "--keys", "nnn"],
            ["diff", str(file), SCENARIO],
            ["diff", SCENARIO, str(file)],
        ):
            result = runner.invoke(app, command)
            assert result.exit_code == 2, (new, result.output, result.exception)
            (line,) = result.stderr.splitlines()
            assert line.startswith(f"kueuelab: {file}: ")
        with pytest.raises(InputError):
            load_trace(file)
