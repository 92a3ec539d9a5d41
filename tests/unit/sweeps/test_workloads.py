"""Workload models and traces: the same seed the same jobs, broken lines with their place."""

from __future__ import annotations

import gzip
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from statistics import mean, median

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import kueuelab as kl
from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.manifests.scenario import Submit
from kueuelab.model.times import SECOND
from kueuelab.sweeps import Mapped, WorkloadModel, read_jobs, read_swf
from kueuelab.sweeps.workloads.opening import open_workloads
from kueuelab.whatif.lab import Lab

from .small import GROUP, queue, scenario

SWF = Path(__file__).parent / "data" / "small.swf"


def two_queues() -> Lab:
    return scenario([queue("team-a", 16, "all"), queue("team-b", 16, "all")])


def where(submissions: tuple[Submit, ...]) -> list[tuple[int, str, int]]:
    return [
        (each.at // SECOND, each.workloads[0].queue_name, each.workloads[0].pod_sets[0].count)
        for each in submissions
    ]


# --- models ---------------------------------------------------------------------------------


def test_the_same_seed_draws_the_same_jobs() -> None:
    model = WorkloadModel(jobs=50)
    assert model.draw(3) == model.draw(3)
    assert model.draw(3) != model.draw(4)


def test_arrivals_and_run_times_have_the_means_that_were_asked_for() -> None:
    jobs = WorkloadModel(jobs=5000, per_hour=120, run_median=300, run_sigma=0.5).draw(1)
    gaps = [b.submitted - a.submitted for a, b in pairwise(jobs)]
    assert mean(gaps) / SECOND == pytest.approx(30, rel=0.05)
    assert median(job.runs for job in jobs) / SECOND == pytest.approx(300, rel=0.05)
    assert all(job.submitted % SECOND == 0 for job in jobs)


def test_diurnal_arrivals_follow_the_hour() -> None:
    model = WorkloadModel(jobs=20_000, per_hour=100, arrivals="diurnal", peak=4, peak_hour=12)
    hours = Counter(job.submitted // SECOND // 3600 % 24 for job in model.draw(1))
    noon = sum(hours[hour] for hour in (10, 11, 12, 13))
    night = sum(hours[hour] for hour in (22, 23, 0, 1))
    assert noon / night == pytest.approx(4, rel=0.25)
    last = max(job.submitted for job in model.draw(1)) / SECOND / 3600
    assert last == pytest.approx(200, rel=0.1)


def test_sizes_and_users_have_the_weights_of_zipf() -> None:
    jobs = WorkloadModel(jobs=6000, sizes=(1, 2, 4), size_skew=1, users=3, user_skew=2).draw(1)
    pods, users = Counter(job.pods for job in jobs), Counter(job.user for job in jobs)
    assert pods[1] / pods[2] == pytest.approx(2, rel=0.15)
    assert pods[1] / pods[4] == pytest.approx(3, rel=0.15)
    assert users["user-0"] / users["user-1"] == pytest.approx(4, rel=0.15)


def test_gangs_are_one_workload_and_elastic_ones_may_start_smaller() -> None:
    gangs = WorkloadModel(jobs=40, sizes=(4,), gangs=1, elastic=1).draw(1)
    assert {(job.pods, job.least_pods) for job in gangs} == {(4, 2)}
    apart = WorkloadModel(jobs=40, sizes=(4,), gangs=0).draw(1)
    assert len(apart) == 160
    assert {(job.pods, job.least_pods) for job in apart} == {(1, None)}
    assert len({job.name for job in apart}) == 160


def test_users_are_assigned_to_queues_in_turn() -> None:
    model = WorkloadModel(jobs=200, users=2, user_skew=0, sizes=(1,))
    queues = Counter(name for _, name, _ in where(model.submissions(two_queues().spec, 1)))
    assert set(queues) == {"team-a", "team-b"}
    one = replace(model, queues=("team-b",)).submissions(two_queues().spec, 1)
    assert {name for _, name, _ in where(one)} == {"team-b"}
    with pytest.raises(UnknownObjectError, match="no LocalQueue named 'team-x'"):
        replace(model, queues=("team-x",)).submissions(two_queues().spec, 1)


@pytest.mark.parametrize(
    ("field", "value"), [("per_hour", 0), ("jobs", -1), ("gangs", 2), ("arrivals", "rare")]
)
def test_a_model_that_makes_no_sense_is_rejected(field: str, value: object) -> None:
    with pytest.raises(InputError):
        WorkloadModel(**{field: value})  # type: ignore[arg-type]


def test_a_sweep_varies_the_model() -> None:
    model = WorkloadModel(jobs=30, per_hour=60)
    found = kl.sweep(two_queues(), {"workloads:jobs": [10, 20]}, seeds=2, workloads=model)
    assert [row["workloads"] for row in found.rows] == [10, 10, 20, 20]
    with pytest.raises(InputError, match="has no field 'rate'"):
        kl.sweep(two_queues(), {"workloads:rate": [1]}, workloads=model)


def test_a_scenario_without_a_local_queue_is_an_error() -> None:
    with pytest.raises(InputError, match="no LocalQueue"):
        kl.sweep(scenario([]), workloads=WorkloadModel(jobs=1))


# --- Standard Workload Format ----------------------------------------------------------------


def test_a_trace_in_the_standard_workload_format() -> None:
    trace = read_swf(SWF)
    assert [(job.name, job.submitted // SECOND, job.runs / SECOND) for job in trace.jobs] == [
        ("1", 0, 600),
        ("2", 60, 1200),
        ("6", 90, 300.5),
    ]
    assert [(job.pods, job.user, job.group, job.queue, job.flavor) for job in trace.jobs] == [
        (4, "11", "1", "1", ""),
        (8, "12", "1", "2", "1"),
        (2, "13", "2", "1", "2"),
    ]
    assert trace.left_out == 1
    assert repr(trace) == "<JobTrace: 3 jobs in 0.025 h, 3 lines not read>"


def test_broken_lines_are_named_by_file_and_line() -> None:
    assert [str(problem) for problem in read_swf(SWF).problems] == [
        f"{SWF}:6: field 4 is no number: 'sixty'",
        f"{SWF}:7: a job has 18 fields, and this line has 5",
        f"{SWF}:10: field 2 (submit time) is less than 0",
    ]


def test_a_compressed_trace_is_the_same(tmp_path: Path) -> None:
    packed = tmp_path / "small.swf.gz"
    packed.write_bytes(gzip.compress(SWF.read_bytes()))
    assert read_swf(packed) == read_swf(SWF)


def test_processors_become_pods() -> None:
    trace = read_swf(SWF, resource="nvidia.com/gpu", processors_per_pod=4)
    assert [(job.pods, dict(job.requests)) for job in trace.jobs] == [
        (1, {"nvidia.com/gpu": "4"}),
        (2, {"nvidia.com/gpu": "4"}),
        (1, {"nvidia.com/gpu": "2"}),
    ]


def test_a_file_without_a_job_is_an_error(tmp_path: Path) -> None:
    file = tmp_path / "empty.swf"
    file.write_text("; nothing\nx\n")
    with pytest.raises(InputError, match=r"empty.swf:2: a job has 18 fields"):
        read_swf(file)


def test_queues_of_a_trace_are_those_of_the_scenario() -> None:
    spec = two_queues().spec
    in_turn = read_swf(SWF).submissions(spec, 0)
    assert where(in_turn) == [(0, "team-a", 4), (60, "team-b", 8), (90, "team-a", 2)]
    by_group = read_swf(SWF, mapped=Mapped("group", {"1": "team-b", "2": "default/team-a"}))
    assert where(by_group.submissions(spec, 0)) == [
        (0, "team-b", 4),
        (60, "team-b", 8),
        (90, "team-a", 2),
    ]


def test_a_queue_of_the_same_name_is_taken(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("submitted,runs,queue\n0,60,team-b\n1,60,other\n2,60,team-a\n")
    assert [name for _, name, _ in where(read_jobs(file).submissions(two_queues().spec, 0))] == [
        "team-b",
        "team-a",
        "team-a",
    ]


def test_flavors_of_a_trace_select_nodes() -> None:
    flavor = {
        "apiVersion": GROUP,
        "kind": "ResourceFlavor",
        "metadata": {"name": "a100"},
        "spec": {"nodeLabels": {"gpu": "a100"}},
    }
    spec = scenario([queue("team-a", 4), [flavor]]).spec
    trace = read_swf(SWF, mapped=Mapped(flavors={"1": "a100"}))
    selectors = [
        each.workloads[0].pod_sets[0].template.spec.node_selector
        for each in trace.submissions(spec, 0)
    ]
    assert selectors == [{}, {"gpu": "a100"}, {}]
    with pytest.raises(UnknownObjectError, match="no ResourceFlavor named 'h100'"):
        replace(trace, mapped=Mapped(flavors={"1": "h100"})).submissions(spec, 0)


def test_a_seed_draws_jobs_of_the_trace_for_the_same_times() -> None:
    trace, spec = read_swf(SWF), two_queues().spec
    drawn = where(trace.submissions(spec, 5))
    assert [time for time, _, _ in drawn] == [0, 60, 90]
    assert drawn == where(trace.submissions(spec, 5))
    assert len({tuple(where(trace.submissions(spec, seed))) for seed in range(6)}) > 1


def test_load_brings_jobs_faster_and_first_fewer() -> None:
    trace = replace(read_swf(SWF), load=2.0, first=2)
    assert [time for time, _, _ in where(trace.submissions(two_queues().spec, 0))] == [0, 30]


def test_a_trace_is_swept() -> None:
    found = kl.sweep(two_queues(), {"workloads:load": [1.0, 10.0]}, workloads=read_swf(SWF))
    assert [row["finished"] for row in found.rows] == [3, 3]


# --- tables -----------------------------------------------------------------------------------

TABLE = """\
job,submitted,runs,user,queue,flavor,pods,least_pods,cpu,gpu,request:example.com/fpga,priority
a,0,1h30m,ann,train,A100,2,1,8,4,,10
b,30,60,bob,infer,,1,,500m,,1,
c,40,0,bob,infer,,1,,1,,,
d,50,60,bob,infer,,1.5x,,1,,,
e,60,soon,bob,infer,,1,,1,,,
f,70,60,bob,infer,,1,,-1,,,
"""


def test_a_table_of_jobs(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text(TABLE)
    trace = read_jobs(file)
    first, second = trace.jobs
    assert (first.runs // SECOND, first.pods, first.least_pods, first.priority) == (5400, 2, 1, 10)
    assert first.requests == {"cpu": "8", "nvidia.com/gpu": "4"}
    assert second.requests == {"cpu": "500m", "example.com/fpga": "1"}
    assert (first.user, first.queue, first.flavor) == ("ann", "train", "A100")
    assert trace.left_out == 1
    assert [str(problem) for problem in trace.problems] == [
        f"{file}:5: 'pods' is no whole number in its range: '1.5x'",
        f"{file}:6: 'soon' is not a duration like 10s, 1m30s or 300ms",
        f"{file}:7: 'cpu' is negative: -1",
    ]


def test_a_parquet_table_and_times_of_the_calendar(tmp_path: Path) -> None:
    file = tmp_path / "jobs.parquet"
    times = ["2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"]
    pq.write_table(pa.table({"submitted": times, "runs": [60.0, 30.5], "gpu": [2, 1]}), file)
    trace = read_jobs(file)
    assert [job.requests for job in trace.jobs] == [
        {"nvidia.com/gpu": "2"},
        {"nvidia.com/gpu": "1"},
    ]
    assert [each.at for each in trace.submissions(two_queues().spec, 0)] == [0, 60 * SECOND]


def test_a_table_without_a_column_says_which(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("submitted,cpu\n0,1\n")
    with pytest.raises(InputError, match=r"jobs.csv:1: the table has no column 'runs'"):
        read_jobs(file)
    damaged = tmp_path / "jobs.parquet"
    damaged.write_bytes(b"PAR1 no table")
    with pytest.raises(InputError, match="the table cannot be read"):
        read_jobs(damaged)


# --- files that a command opens --------------------------------------------------------------


def test_workloads_are_opened_by_the_ending_of_their_file(tmp_path: Path) -> None:
    model = tmp_path / "model.yaml"
    model.write_text("jobs: 20\narrivals: diurnal\nsizes: [1, 2]\nrequests: {cpu: 2}\n")
    assert open_workloads(model) == WorkloadModel(
        jobs=20, arrivals="diurnal", sizes=(1, 2), requests={"cpu": "2"}
    )
    assert open_workloads(SWF) == read_swf(SWF)
    for wrong, message in [("jobs: many", "'many'"), ("job: 1", "no field 'job'"), ("[]", "model")]:
        model.write_text(wrong)
        with pytest.raises(InputError, match=message):
            open_workloads(model)
    with pytest.raises(InputError, match="the ending does not say"):
        open_workloads(tmp_path / "jobs.txt")
