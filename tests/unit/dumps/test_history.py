"""What a dump's conditions and Events say of the time before, and what the lab makes of it."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli.app import app
from kueuelab.errors import InputError
from kueuelab.trace.dump_summary import differences, dump_summary
from kueuelab.trace.export import trace_from_json, trace_to_json

CULPRIT = Path(__file__).parents[3] / "exercises" / "culprit-in-a-dump" / "start.yaml"
MESSAGE = (
    "Preempted to accommodate a workload (UID: UID, JobUID: UNKNOWN) due to reclamation within "
    "the cohort; preemptor path: /all/one; preemptee path: /all/two"
)
runner = CliRunner()


def _queue(name: str) -> str:
    return f"""
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: ClusterQueue
  metadata: {{name: {name}, uid: queue-{name}}}
  spec:
    cohortName: all
    namespaceSelector: {{}}
    resourceGroups:
    - coveredResources: [cpu]
      flavors: [{{name: default, resources: [{{name: cpu, nominalQuota: 4}}]}}]
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {{name: {name}, namespace: default, uid: local-{name}}}
  spec: {{clusterQueue: {name}}}
"""


def _workload(name: str, queue: str, cpu: int, conditions: str = "", admitted: bool = False) -> str:
    assignment = (
        f"[{{name: main, count: 1, flavors: {{cpu: default}}, resourceUsage: {{cpu: {cpu}}}}}]"
    )
    admission = f"{{clusterQueue: {queue}, podSetAssignments: {assignment}}}"
    return f"""
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: Workload
  metadata:
    name: {name}
    namespace: default
    uid: uid-{name}
    creationTimestamp: '2026-03-02T08:00:00Z'
  spec:
    queueName: {queue}
    podSets:
    - name: main
      count: 1
      template:
        spec:
          restartPolicy: Never
          containers: [{{name: c, image: i, resources: {{requests: {{cpu: {cpu}}}}}}}]
  status:
    {f"admission: {admission}" if admitted else ""}
    conditions: [{conditions}]
"""


def _condition(type_: str, status: str, reason: str, message: str, time: str = "09:00:00") -> str:
    return (
        f"{{type: {type_}, status: '{status}', reason: {reason}, message: '{message}', "
        f"lastTransitionTime: '2026-03-02T{time}Z'}},"
    )


ADMITTED = _condition("QuotaReserved", "True", "QuotaReserved", "Quota reserved") + _condition(
    "Admitted", "True", "Admitted", "The workload is admitted"
)
PENDING = _condition("QuotaReserved", "False", "Pending", "no room", "09:01:00")


def _event(workload: str, reason: str, message: str, time: str) -> str:
    return f"""
- apiVersion: v1
  kind: Event
  metadata: {{name: e-{reason}-{time.replace(":", "")}, namespace: default}}
  involvedObject: {{kind: Workload, namespace: default, name: {workload}}}
  reason: {reason}
  message: '{message}'
  eventTime: '{time if "x" in time else f"2026-03-02T{time}Z"}'
"""


def _run(tmp_path: Path, *items: str) -> kl.LabRun:
    flavor = """
- {apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: default, uid: f}}
"""
    path = tmp_path / "dump.yaml"
    path.write_text("apiVersion: v1\nkind: List\nitems:" + "".join((flavor, *items)))
    lab = kl.load(path)
    assert isinstance(lab, kl.Lab)
    return lab.run()


def test_culprit_is_named() -> None:
    told = runner.invoke(app, ["explain", str(CULPRIT), "train", "--who-evicted"])
    assert told.exit_code == 0
    assert (
        "default/reindex preempted default/train before this run, at 2026-03-02T23:23:20Z "
        "(InCohortReclaimWhileBorrowing); the preemptor is at /institute/ops, default/train at "
        "/institute/vision." in told.stdout
    )
    assert "ops borrows, and borrowWithinCohort lets it preempt lower priorities." in told.stdout
    assert "The two queues meet in cohort institute." in told.stdout


def test_explanation_and_timeline_tell_the_dump_first() -> None:
    told = runner.invoke(app, ["explain", str(CULPRIT), "train"]).stdout
    assert told.index("The dump says: pending, since 2026-03-02T23:23:20Z.") < told.index(
        "Where it stands"
    )
    assert "The dump says: requeued at 2026-03-02T23:23:20Z (Preempted)." in told
    assert "The lab agrees: in cycle 1, at 2026-03-02T23:23:20Z, it finds the same." in told
    assert "default/reindex preempted default/train before this run" in told
    lines = runner.invoke(app, ["run", str(CULPRIT), "--all"]).stdout
    assert "as read: admitted by bio (main (1 pod: cpu/default))" in lines
    assert "submitted to bio" not in lines
    assert "at 2026-03-02T23:23:20Z: preempted by default/reindex (InCohort" in lines
    assert "The dump has 6 workloads with a status: 5 admitted and 1 pending." in lines
    assert "The lab decides nothing else about them at the start." in lines


def test_eviction_is_data_too() -> None:
    lab = kl.load(CULPRIT)
    assert isinstance(lab, kl.Lab)
    eviction = lab.run().who_evicted("train")
    assert eviction is not None
    assert (eviction.preemptor, eviction.cycle) == ("default/reindex", 0)
    assert eviction.preemption_reason == "InCohortReclaimWhileBorrowing"
    assert eviction.lowest_common_ancestor == "institute"
    assert (eviction.preemptor_path, eviction.preempted_path) == (
        "/institute/ops",
        "/institute/vision",
    )


def test_what_was_overwritten_is_reported_and_an_event_has_the_time(tmp_path: Path) -> None:
    message = MESSAGE.replace("UID: UID", "UID: uid-one")
    conditions = ADMITTED + _condition(
        "Evicted", "False", "QuotaReserved", "Previously: " + message
    )
    items = (
        _queue("one"),
        _queue("two"),
        _workload("one", "one", 1, ADMITTED, admitted=True),
        _workload("two", "two", 1, conditions, admitted=True),
    )
    before = _run(tmp_path, *items).who_evicted("two")
    assert before is not None
    assert (before.preemptor, before.time) == ("default/one", 0)
    assert "default/one preempted default/two at some time before this run" in before.as_text()
    event = _event("two", "EvictedDueToPreempted", message, "08:30:00")
    told = _run(tmp_path, *items, event).who_evicted("two")
    assert told is not None
    assert "default/one preempted default/two before this run, at 2026-03-02T08:30:00Z" in str(
        told.as_text()
    )


def test_events_tell_what_conditions_forgot(tmp_path: Path) -> None:
    run = _run(
        tmp_path,
        _queue("one"),
        _workload("one", "one", 1, ADMITTED, admitted=True),
        _event("one", "EvictedDueToPodsReadyTimeout", "Exceeded the PodsReady timeout", "08:20:00"),
        _event("one", "Admitted", "Admitted by ClusterQueue one", "09:00:00"),
        _event("other", "EvictedDueToPreempted", MESSAGE, "08:20:00"),
    )
    told = run.why("one").section("evictions")
    assert told is not None
    assert [line.text for line in told.lines] == [
        "default/one was evicted before this run, at 2026-03-02T08:20:00Z (PodsReadyTimeout): "
        "Exceeded the PodsReady timeout"
    ]


def test_event_without_a_readable_time_is_a_problem_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"dump\.yaml:\d+: Event/default/e-Evicted.*times"):
        _run(tmp_path, _event("one", "EvictedDueToPreempted", MESSAGE, "x"))


def test_preemptor_that_the_dump_lacks_is_named_by_its_uid(tmp_path: Path) -> None:
    message = MESSAGE.replace("UID: UID", "UID: 123-gone")
    conditions = PENDING + _condition("Evicted", "True", "Preempted", message)
    eviction = _run(tmp_path, _queue("two"), _workload("two", "two", 9, conditions)).who_evicted(
        "two"
    )
    assert eviction is not None
    assert eviction.preemptor == ""
    assert "a workload that is not there (UID 123-gone) preempted default/two" in str(
        eviction.as_text()
    )
    assert "No workload preempted it" not in eviction.as_text()


def test_lab_that_differs_says_so_first(tmp_path: Path) -> None:
    run = _run(tmp_path, _queue("one"), _workload("waits", "one", 1, PENDING))
    section = run.why("waits").sections[0]
    assert [line.text for line in section.lines] == [
        "The dump says: pending, since 2026-03-02T09:01:00Z.",
        "Kueue's message in the dump: no room",
        "THE LAB DIFFERS FROM THE DUMP: admitted by one (main (1 pod: cpu/default)), "
        "since 2026-03-02T09:01:00Z (cycle 1).",
    ]
    assert section.lines[-1].verdict == "differs"


def test_another_reason_is_a_difference(tmp_path: Path) -> None:
    run = _run(tmp_path, _queue("one"), _workload("waits", "one", 5, PENDING))
    explanation = run.why("waits")
    assert (
        explanation.sections[0]
        .lines[-1]
        .text.startswith(
            "THE LAB DIFFERS FROM THE DUMP: in cycle 1, at 2026-03-02T09:01:00Z, it finds another "
            "reason: couldn't assign flavors"
        )
    )
    # What the lab makes Kueue say is not what Kueue said.
    assert "Kueue says:" not in explanation.as_text()
    assert "In the lab, Kueue's message is: couldn't assign" in explanation.as_text()


def test_history_survives_saving(tmp_path: Path) -> None:
    lab = kl.load(CULPRIT)
    assert isinstance(lab, kl.Lab)
    trace = lab.run().trace
    assert trace_from_json(trace_to_json(trace)).steps == trace.steps


def test_manifests_without_a_status_tell_no_dump(tmp_path: Path) -> None:
    run = _run(tmp_path, _queue("one"))
    assert not run.trace.of_kind("StatusRead")
    assert "dump" not in runner.invoke(app, ["run", "reclaim-1-take-back"]).stdout


def test_reason_of_an_earlier_look_is_no_difference(tmp_path: Path) -> None:
    done = ADMITTED + _condition("Finished", "True", "Succeeded", "done", "09:05:00")
    items = (
        _queue("one"),
        _workload("done", "one", 1, done, admitted=True),
        _workload("waits", "one", 5, PENDING),
        _event("waits", "Pending", "no room", "09:02:11"),
    )
    lines = [line.text for line in _run(tmp_path, *items).why("waits").sections[0].lines]
    assert lines[2] == (
        "Kueue looked at 2026-03-02T09:02:11Z; since then default/done finished at "
        "2026-03-02T09:05:00Z."
    )
    assert lines[3].startswith("The lab looks later: in cycle 1, at 2026-03-02T09:05:00Z, it finds")


def test_evicted_and_not_looked_at_since(tmp_path: Path) -> None:
    message = "Exceeded the PodsReady timeout"
    conditions = _condition("QuotaReserved", "False", "Pending", message) + _condition(
        "Evicted", "True", "PodsReadyTimeout", message
    )
    run = _run(tmp_path, _queue("one"), _workload("waits", "one", 5, conditions))
    last = run.why("waits").sections[0].lines[-1].text
    assert last.startswith(
        "Kueue had not looked at it again since its eviction. The lab decides in"
    )


@pytest.mark.parametrize(
    ("conditions", "said"),
    [
        (
            _condition("WaitForPodsReadyNotBlocked", "True", "NotBlocked", ""),
            "Kueue had not decided about it yet. In the lab it is admitted by one",
        ),
        (
            _condition("QuotaReserved", "False", "Pending", "Exceeded the PodsReady timeout")
            + _condition("Evicted", "True", "PodsReadyTimeout", "Exceeded the PodsReady timeout"),
            "Kueue had not looked at it again since its eviction. In the lab it is admitted by one",
        ),
    ],
)
def test_what_kueue_has_not_looked_at_is_no_difference(
    tmp_path: Path, conditions: str, said: str
) -> None:
    run = _run(tmp_path, _queue("one"), _workload("waits", "one", 1, conditions))
    last = run.why("waits").sections[0].lines[-1]
    assert last.text.startswith(said)
    assert last.verdict == "agrees"
    assert list(dump_summary(run.trace))[1].startswith("Kueue had not looked at one workload yet")
    assert not differences(run.trace)


def test_quota_that_was_given_back_since_is_no_difference(tmp_path: Path) -> None:
    done = ADMITTED + _condition("Finished", "True", "Succeeded", "done", "09:05:00")
    items = (
        _queue("one"),
        _workload("done", "one", 1, done, admitted=True),
        _workload("waits", "one", 1, PENDING),
        _event("waits", "Pending", "no room", "09:02:11"),
    )
    run = _run(tmp_path, *items)
    last = run.why("waits").sections[0].lines[-1]
    assert last.text.startswith("The lab looks later: in the lab it is admitted by one")
    assert last.verdict == "earlier"
    assert not differences(run.trace)


@pytest.mark.parametrize("reserved", [True, False])
def test_penalties_that_only_kueue_has_may_explain_a_difference(
    tmp_path: Path, reserved: bool
) -> None:
    configuration = """
- apiVersion: config.kueue.x-k8s.io/v1beta2
  kind: Configuration
  admissionFairSharing: {usageHalfLifeTime: 10m}
"""
    second = """
- apiVersion: kueue.x-k8s.io/v1beta2
  kind: LocalQueue
  metadata: {name: two, namespace: default, uid: local-two}
  spec: {clusterQueue: one}
"""
    mode = "admissionScope: {admissionMode: UsageBasedAdmissionFairSharing}"
    status = ADMITTED.split("},")[0] + "}," if reserved else ADMITTED
    run = _run(
        tmp_path,
        configuration,
        _queue("one").replace("cohortName: all", f"cohortName: all\n    {mode}"),
        second,
        _workload("checked", "one", 1, status, admitted=True),
        _workload("waits", "one", 1, PENDING),
    )
    last = run.why("waits").sections[0].lines[-1]
    assert last.verdict == ("memory" if reserved else "differs")
    charged = "Kueue has charged default/one with entry penalties that it keeps in memory"
    assert last.text.startswith(charged) == reserved
    said = "perhaps because Kueue keeps entry penalties of LocalQueues in memory"
    assert any(said in line for line in dump_summary(run.trace)) == reserved


def test_levers_say_which_workloads_move_first(tmp_path: Path) -> None:
    new = _condition("WaitForPodsReadyNotBlocked", "True", "NotBlocked", "")
    items = (
        _queue("one"),
        _workload("moves", "one", 4, new),
        _workload("waits", "one", 4, PENDING).replace("08:00:00", "08:30:00"),
    )
    run = _run(tmp_path, *items)
    report = run.what_would_admit("default/waits")
    assert report.moved_first == ("default/moves",)
    assert "This rests on the state after default/moves has moved first" in report.as_text()
    policy = next(each for each in report if each.kind == "priority+preemption" or each.evicts)
    assert policy.evicts == ("default/moves",)
    # In the dump it holds nothing yet, and is not evicted: it just comes later.
    assert policy.evicts_first == ()
    assert "made on the dump as it is, it evicts no workload" in str(policy)


def test_without_a_move_levers_rest_on_the_dump_itself(tmp_path: Path) -> None:
    items = (
        _queue("one"),
        _workload("runs", "one", 4, ADMITTED, admitted=True),
        _workload("waits", "one", 4, PENDING),
    )
    report = _run(tmp_path, *items).what_would_admit("default/waits")
    assert report.moved_first == ()
    assert all(each.evicts_first is None for each in report)


def test_views_say_where_the_lab_differs(tmp_path: Path) -> None:
    run = _run(tmp_path, _queue("one"), _workload("waits", "one", 1, PENDING))
    stepper = kl.widgets.Stepper(run)
    read = run.trace.of_kind("StatusRead")[0]
    stepper.board.move(lambda cursor: cursor.to(read))
    assert "default/waits is pending, as it was read." in stepper.as_text()
    assert "DIFFERS" not in stepper.as_text()
    stepper.board.move(lambda cursor: cursor.to(run.trace.of_kind("Admitted")[0]))
    differs = (
        "THE LAB DIFFERS FROM THE DUMP: default/waits is pending in the dump, and admitted by one "
        "(main (1 pod: cpu/default)) in the lab, since 2026-03-02T09:01:00Z (cycle 1)."
    )
    assert differs in stepper.as_text()
    assert stepper.frame["difference"] == differs
