"""Verifying recorded runs: decisions have to agree; another course has a reason."""

from __future__ import annotations

import gzip
import json
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from pretend import Pretend
from stand_in import shared
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.live.job_courses import Course, Moment, divergences
from kueuelab.live.recordings import played_from
from kueuelab.live.requests import setup_of
from kueuelab.live.verify import compare
from kueuelab.live.worker_contexts import given_workers, reaching, workers_for
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.scenario import ClusterSpec
from kueuelab.multikueue import load as load_clusters

SAME = "at the cluster's times the lab does the same: "
INSTANT = "jobs of one instant are created one after the other"
ORDER = "Kueue considered jobs in another order"
LOOP = "at the loop that it finds; the cluster continues"


@pytest.mark.parametrize(
    ("name", "decisions", "reasons"),
    [
        ("cohort-2-shared-pool", 4, [SAME + INSTANT + " (default/g-2, default/h-1)"]),
        ("m15-same-moment", 25, [SAME + INSTANT + " (mine/o1, mine/o2, mine/o3)"]),
        ("m17-ready", 8, [SAME + "pods take up to 0.5 s to stop; the run takes 21.7 s"]),
        ("loop-5-pods-that-take-their-time", 6, [LOOP, SAME]),
        ("loop-1-the-victim-returns", 277, [LOOP]),
        ("loop-3-each-preempts-the-other", 272, [LOOP]),
        ("loop-2-policies-in-turn", 12, [LOOP, "pods take up to 1.4 s to stop", ORDER]),
        ("m07-order", 18, ["pods take up to 1.3 s to stop", ORDER]),
        ("m09-fair", 87, ["pods take up to 0.5 s to stop", ORDER]),
        ("hierarchy-2-fair-departments", 59, [INSTANT, ORDER]),
        (
            "order-2-one-head-each",
            7,
            [
                "the run takes",
                "a tie: default/prod-1 and default/prod-2 are admitted within one second",
            ],
        ),
        ("m10-ends", 9, []),
        ("m11-affinity", 20, []),
        ("m14-inactive", 5, []),
        ("queues-1-flavors-and-namespaces", 6, []),
    ],
)
def test_decisions_agree_and_another_course_is_explained(
    name: str, decisions: int, reasons: list[str]
) -> None:
    found = compare(played_from(shared(f"recorded/{name}")))
    assert (found.agree, found.differences) == (decisions, ())
    assert len(found.reasons) == len(reasons)
    for reason, expected in zip(found.reasons, reasons, strict=True):
        assert expected in reason
    assert bool(found.course) == bool([each for each in reasons if each != LOOP])
    result = CliRunner().invoke(app, ["live", "verify", str(shared(f"recorded/{name}"))])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == f"{decisions} decisions agree, 0 differ"
    assert result.stdout.count("  why: ") == len(reasons)


def test_decisions_of_a_stopped_queue_agree() -> None:
    found = compare(played_from(shared("recorded/m05-stop")))
    assert (found.agree, found.differences) == (12, ())


def cut(folder: Path, name: str) -> Path:
    """Return a recording that ends just before the first job gets its quota."""
    original = shared(f"scenarios/{name}")
    shutil.copytree(original, folder / name)
    for file in (folder / name).rglob("*"):
        file.chmod(0o755)
    stream = folder / name / "stream.jsonl.gz"
    with gzip.open(original / "stream.jsonl.gz", "rt") as file:
        lines = file.readlines()
    for index, line in enumerate(lines):
        change = json.loads(line)
        if change["resource"] == "workloads" and "admission" in change["object"].get("status", {}):
            with gzip.open(stream, "wt") as file:
                file.writelines(lines[:index])
            return folder / name
    raise AssertionError("no job is admitted")


def test_what_kueue_leaves_undone_at_rest_is_a_difference(tmp_path: Path) -> None:
    """No decision of the cluster shows it: it is one that was never made."""
    played = played_from(cut(tmp_path, "priority-preemption"))
    assert compare(played).differences == ()  # it was only looked at until then
    [difference] = compare(replace(played, at_rest=True)).differences
    assert "is pending; the lab would admit it to " in difference


def test_queues_that_are_not_the_scenarios_are_a_difference() -> None:
    played = played_from(shared("scenarios/reclaim-within-cohort"))
    text = (shared("scenarios/reclaim-within-cohort") / "scenario.yaml").read_text()
    spec = load_scenario(text.replace('nominalQuota: "4"', 'nominalQuota: "2"', 1))
    [difference] = compare(replace(played, spec=spec)).differences
    assert difference.endswith(" in the cluster differs from the scenario")


def course(**subjects: str) -> Course:
    return {
        subject: [Moment(time, text) for time, text in enumerate(texts.split())]
        for subject, texts in subjects.items()
    }


def test_courses_diverge_at_the_first_thing_that_is_not_the_same() -> None:
    lab, cluster = course(a="in out", b="in"), course(a="in in", b="in", c="in")
    assert [str(each) for each in divergences(lab, cluster)] == [
        "c: in the lab nothing more, in the cluster in",
        "a: in the lab out, in the cluster in",
    ]
    # What comes after the lab's end does not count.
    assert [each.subject for each in divergences(lab, cluster, lab_stops=True)] == ["a"]


CONFIGURATION = "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\n"

# --- several at once -----------------------------------------------------------------------


def played_file(folder: Path, name: str, more: str = "") -> str:
    """Write a scenario that ends at once where jobs are played."""
    file = folder / f"{name}.yaml"
    file.write_text(
        f"""apiVersion: kueuelab/v1
kind: Scenario
metadata: {{name: {name}}}
spec:
  manifests:
  - {{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {{name: {name}}}}}
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {{name: {name}}}
    spec:
      namespaceSelector: {{}}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{{name: {name}, resources: [{{name: cpu, nominalQuota: 2}}]}}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {{name: main, namespace: {name}}}
    spec: {{clusterQueue: {name}}}
  timeline:
  - at: 0s
    submit: {{job: a, namespace: {name}, queue: main, requests: {{cpu: 1}}, runs: 1s}}
{more}""",
        "utf-8",
    )
    return str(file)


def test_what_cannot_be_played_does_not_keep_the_others(cluster: Pretend, tmp_path: Path) -> None:
    cluster.configure(CONFIGURATION)
    check = (
        "  - apiVersion: kueue.x-k8s.io/v1beta2\n    kind: AdmissionCheck\n"
        "    metadata: {name: away}\n    spec: {controllerName: kueue.x-k8s.io/multikueue}\n"
    )
    names = [
        played_file(tmp_path, "first"),
        str(tmp_path / "missing.yaml"),
        played_file(tmp_path, "workers", "  clusters: {workers: {east: {}}}\n"),
        played_file(
            tmp_path,
            "configured",
            "  configuration: {fairSharing: {preemptionStrategies: [LessThanInitialShare]}}\n",
        ),
        played_file(
            tmp_path, "check", "  - {at: 1s, setCheck: {workload: a, check: away, state: Ready}}\n"
        ),
        played_file(tmp_path, "last"),
    ]
    file = Path(names[4])
    file.write_text(file.read_text().replace("  timeline:\n", f"{check}  timeline:\n"))
    options = ["--context", cluster.context, "--allow-context", cluster.context]
    result = CliRunner().invoke(app, ["live", "verify", *names, *options])
    lines = result.stdout.splitlines()
    table = lines[next(i for i, line in enumerate(lines) if line.startswith("scenario ")) :]
    found = {
        Path(line.split()[0]).stem: line.split(maxsplit=1)[1] for line in table[1 : len(names) + 1]
    }
    assert found["first"].split() == ["1", "agrees"], result.output
    assert found["last"].split() == ["1", "agrees"]
    assert re.match(r"-\s+error\s+.*missing\.yaml: No such file", found["missing"])
    assert re.match(r"-\s+not played\s+.*east", found["workers"])
    assert re.match(r"-\s+not played\s+.*fairSharing", found["configured"])
    assert re.match(r"-\s+not played\s+.*away is decided by Kueue", found["check"])
    assert lines[-1] == "2 decisions agree, 0 differ"
    assert f"kueuelab: {names[1]}: No such file or directory" in result.stderr
    assert f"{names[3]}: not played, because" in result.stderr
    assert result.exit_code == 2


def test_that_nothing_was_played_is_no_success(cluster: Pretend, tmp_path: Path) -> None:
    cluster.configure(CONFIGURATION)
    name = played_file(
        tmp_path,
        "configured",
        "  configuration: {fairSharing: {preemptionStrategies: [LessThanInitialShare]}}\n",
    )
    options = ["--context", cluster.context, "--allow-context", cluster.context]
    result = CliRunner().invoke(app, ["live", "verify", name, *options])
    assert result.exit_code == 2
    assert "no scenario was played" in result.stderr
    assert f"{name}: not played, because Kueue in" in result.stderr


def test_names_of_workers_map_in_order() -> None:
    east_west = ScenarioSpec(workers=(ClusterSpec("east"), ClusterSpec("west")))
    assert workers_for(east_west, {"w1": "a", "w2": "b"}) == {"east": "w1", "west": "w2"}
    assert workers_for(east_west, {"west": "a", "w2": "b"}) == {"west": "west", "east": "w2"}
    assert workers_for(east_west, {"w1": "a"}) == {"east": "w1"}
    assert workers_for(ScenarioSpec(), {"w1": "a"}) == {}
    assert given_workers(["a", "w1=b", "c"]) == {"w1": "b", "w2": "c"}


def test_a_worker_of_another_name_is_reached_by_its_own_secret() -> None:
    spec = load_clusters("regions-first-capacity").spec
    names = [worker.name for worker in spec.workers]
    played_by = workers_for(spec, {f"w{number}": "x" for number in range(1, len(names) + 1)})
    clusters = {
        obj["metadata"]["name"]: obj["spec"]["clusterSource"]["kubeConfig"]["location"]
        for obj in setup_of(reaching(spec, played_by))
        if obj["kind"] == "MultiKueueCluster"
    }
    assert clusters == {name: f"w{number}-secret" for number, name in enumerate(names, 1)}
