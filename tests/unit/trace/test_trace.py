"""Finding steps; a trace as a file; its schema."""

import io
import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest

from kueuelab import KUEUE_VERSION
from kueuelab.errors import InputError
from kueuelab.model import UNLIMITED
from kueuelab.trace import Recorder, Trace
from kueuelab.trace.export import load_trace, trace_from_json, trace_to_json, write_trace
from kueuelab.trace.schema import schema, schema_text
from kueuelab.trace.steps import CycleEnded, FlavorConsidered, Requeued, TournamentWon

ROOT = Path(__file__).parents[3]


def test_the_version_is_the_packages() -> None:
    assert Trace(()).kueue_version == KUEUE_VERSION


def test_cycles_and_steps_about(take_back: Trace) -> None:
    assert [cycle.number for cycle in take_back.cycles] == [1, 2, 3, 4, 5]
    third = take_back.cycle(3)
    assert (third[0].kind, third[-1].kind) == ("CycleStarted", "CycleEnded")
    assert take_back.cycle_at(third[4].index) == take_back.cycles[2]
    assert take_back.cycle_at(third[-1].index + 1) is None
    roles = {step.kind for step in take_back.about("default/job-1", "candidate")}
    assert roles == {"CandidateConsidered", "WorkloadRemoved"}
    assert {step.workload for step in take_back.about("default/job-1", "target")} == {
        "default/job-2"
    }
    after = take_back.next(0, lambda step: step.kind == "Admitted")
    assert after is not None
    assert take_back.previous(after.index, lambda step: step.kind == "Admitted") is None


def test_steps_of_few_and_of_many_workloads_are_the_same() -> None:
    recorder = Recorder()
    names = [f"default/w{number}" for number in range(40)]
    for place, name in enumerate(names * 3):
        recorder.record(Requeued("NoFit", active=False), name)
        found = (CycleEnded(0, place), CycleEnded(1, place))
        recorder.record_all(found, name)
    index = Trace.of(recorder).index
    for _ in range(2):
        for at, name in enumerate(names):
            assert list(index.single_steps(name)) == [3 * at, 3 * at + 120, 3 * at + 240]
    assert list(index.single_steps("default/none")) == list(index.single_steps("")) == []


def test_a_trace_comes_back_from_its_file(traces: tuple[Trace, ...], tmp_path: Path) -> None:
    for trace in traces:
        text = trace_to_json(trace)
        back = trace_from_json(text)
        assert back == trace
        assert trace_to_json(back) == text
    for name in ("trace.json", "trace.json.gz"):
        write_trace(traces[0], tmp_path / name)
        assert load_trace(tmp_path / name) == traces[0]
    stream = io.StringIO()
    write_trace(traces[0], stream)
    assert stream.getvalue() == (tmp_path / "trace.json").read_text("utf-8")


def test_what_json_has_no_number_for() -> None:
    recorder = Recorder()
    considered = FlavorConsidered(
        ("main",), "f", "cpu", 1, 0, UNLIMITED, 0, UNLIMITED, UNLIMITED, None, 5, 0, "Fit", "", ()
    )
    recorder.record(considered, "default/a", "q")
    recorder.record(TournamentWon("a", (("a", 0.5), ("b", float("inf"))), "smaller-share", "b"))
    trace = Trace.of(recorder)
    back = trace_from_json(trace_to_json(trace))
    assert back == trace
    assert back[0].facts.nominal is UNLIMITED  # type: ignore[attr-defined]
    assert '"+Inf"' in trace_to_json(trace)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not a trace"),
        ('{"format":"kueuelab-trace","version":99,"steps":[]}', "version 99"),
        ('{"format":"kueuelab-trace","version":1}', "no list of steps"),
        ('{"format":"kueuelab-trace","version":1,"steps":[{}]}', "cannot be read"),
        ('{"format":"kueuelab-trace","version":2,"steps":[{}]}', "cannot be read"),
        ('{"format":"kueuelab-trace","version":2,"steps":[{"kind":"X"}]}', "no kind 'X'"),
        ('{"format":"kueuelab-trace","version":1,"steps":[4]}', "cannot be read"),
    ],
)
def test_other_files_are_refused_with_a_reason(text: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        trace_from_json(text)


def test_a_damaged_file_is_refused(tmp_path: Path, take_back: Trace) -> None:
    path = tmp_path / "trace.json.gz"
    write_trace(take_back, path)
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="damaged"):
        load_trace(path)


def test_the_committed_schema_is_up_to_date() -> None:
    assert (ROOT / "docs" / "trace.schema.json").read_text("utf-8") == schema_text()


def test_traces_follow_the_schema(traces: tuple[Trace, ...]) -> None:
    jsonschema.Draft202012Validator.check_schema(schema())
    validator = jsonschema.Draft202012Validator(schema())
    seen: set[str] = set()
    for trace in traces:
        kinds = {step.kind for step in trace} - seen
        if kinds:
            seen |= kinds
            value = json.loads(trace_to_json(trace))
            value["steps"] = [step for step in value["steps"] if step["kind"] in kinds]
            assert not [error.message for error in validator.iter_errors(value)]


def test_the_schema_refuses_what_is_no_trace(take_back: Trace) -> None:
    validator = jsonschema.Draft202012Validator(schema())
    value = json.loads(trace_to_json(take_back))
    value["steps"][0]["facts"]["surprise"] = 1
    assert not validator.is_valid(value)


_SCRIPT = """
import sys
sys.path.insert(0, sys.argv[1])
from conftest import recorded
from kueuelab.trace.export import trace_to_json
for trace in recorded("gen-fairsharing", 3).values():
    sys.stdout.write(trace_to_json(trace))
"""


def test_the_same_run_gives_the_same_bytes() -> None:
    texts = {
        subprocess.run(
            [sys.executable, "-c", _SCRIPT, str(Path(__file__).parent)],
            env={"PYTHONHASHSEED": seed, "PATH": ""},
            capture_output=True,
            check=True,
            timeout=900,
        ).stdout
        for seed in ("0", "1", "4711")
    }
    assert len(texts) == 1
    assert len(texts.pop()) > 10_000
