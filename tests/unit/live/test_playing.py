"""Playing scenarios on a cluster that answers with a recorded run; and verifying recordings."""

from __future__ import annotations

import gzip
import json
import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stand_in import shared
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.errors import InputError
from kueuelab.live import access
from kueuelab.live.api import Listing, WatchEvent
from kueuelab.live.cleaning import Cleaned, clean
from kueuelab.live.errors import LiveError
from kueuelab.live.playing import play
from kueuelab.live.requests import requests_of, setup_of
from kueuelab.live.resources import KUEUE, Json, Resource, resource_of
from kueuelab.live.verify import compare
from kueuelab.manifests import ScenarioSpec, load_scenario

NAME = "priority-preemption"
runner = CliRunner()


READY = {
    "metadata": {"name": "node", "uid": "node"},
    "status": {"conditions": [{"type": "Ready", "status": "True"}]},
}
ACTIVE = {"conditions": [{"type": "Active", "status": "True", "message": "Can admit"}]}


class Recorded:
    """A cluster in memory: keeps what is created, and tells of workloads what was recorded."""

    context = "kind-lab"
    server_time = None

    def __init__(self, jobs: int = 0) -> None:
        self.objects: dict[tuple[str, str, str], Json] = {}
        self.done: list[str] = []
        self.refuse: Callable[[Json], LiveError | None] = lambda obj: None
        self._jobs_left = jobs
        self._started, self._closed = threading.Event(), threading.Event()

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        if path == "/apis/kueue.x-k8s.io":
            return {"versions": [{"version": "v1beta2"}]}
        if path == "/apis/kueue.x-k8s.io/v1beta2":
            return {"resources": [{"name": resource.plural} for resource in KUEUE]}
        parts = path.strip("/").split("/")
        for key, obj in self.objects.items():
            plural = resource_of({"apiVersion": obj["apiVersion"], "kind": key[0]}).plural
            if parts[-2:] == [plural, key[2]]:
                return json.loads(json.dumps(obj))  # type: ignore[no-any-return]
        raise LiveError(f"{path} not found", "missing")

    def list(
        self, resource: Resource, namespace: str = "", query: Mapping[str, str] | None = None
    ) -> Listing:
        found = tuple(o for k, o in self.objects.items() if k[0] == resource.kind)
        return Listing(found if resource.kind != "Node" else (READY,), "1")

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        if resource.kind == "Workload" and since == "1":
            assert self._started.wait(300)
            if self._closed.is_set():
                raise LiveError("the connection was closed", "cut")
            with gzip.open(shared(f"scenarios/{NAME}/stream.jsonl.gz")) as stream:
                lines = [json.loads(line) for line in stream]
            for line in lines:
                if line["resource"] == "workloads":
                    yield WatchEvent(line["type"], line["object"])
        self._closed.wait(300)
        raise LiveError("the connection was closed", "cut")

    def create(self, obj: Json) -> Json:
        key = self._key(obj)
        error = self.refuse(obj)
        if error is not None:
            raise error
        if key in self.objects:
            raise LiveError("it exists", "exists")
        made = json.loads(json.dumps(obj))
        made["metadata"] |= {"uid": "/".join(key), "generation": 1, "resourceVersion": "1"}
        if obj["kind"] in ("ClusterQueue", "LocalQueue"):
            made["status"] = ACTIVE
        self.objects[key] = made
        self.done.append("+" + obj["kind"])
        if obj["kind"] == "Job":
            self._jobs_left -= 1
            if self._jobs_left == 0:
                self._started.set()
        return made  # type: ignore[no-any-return]

    def apply(self, obj: Json, *, force: bool = False, dry_run: bool = False) -> Json:
        raise AssertionError("a run only creates")

    def replace(self, obj: Json, part: str = "") -> Json:
        assert obj["kind"] == "Lease", "nothing else is changed where pods run"
        self.objects[self._key(obj)] = obj
        return obj

    def delete(self, resource: Resource, name: str, namespace: str = "", uid: str = "") -> bool:
        self.done.append("-" + resource.kind)
        found = self.objects.get((resource.kind, namespace, name))
        if found is not None and uid not in ("", found["metadata"]["uid"]):
            raise LiveError("another uid", "conflict")
        return self.objects.pop((resource.kind, namespace, name), None) is not None

    def close(self) -> None:
        self._closed.set()
        self._started.set()

    def _key(self, obj: Json) -> tuple[str, str, str]:
        meta = obj["metadata"]
        return resource_of(obj).kind, meta.get("namespace", ""), meta["name"]


def scenario() -> ScenarioSpec:
    """Return the scenario with everything submitted at once."""
    spec = load_scenario(shared(f"scenarios/{NAME}/scenario.yaml"))
    return replace(spec, timeline=tuple(replace(each, at=0) for each in spec.timeline))


def test_a_run_creates_follows_and_leaves_nothing_behind() -> None:
    before = set(threading.enumerate())
    cluster, spec = Recorded(jobs=6), scenario()
    mirror = play(cluster, spec, seconds=20).mirror
    assert len(mirror.decisions) == 20
    assert [str(each) for each in mirror.decisions if not each.agrees] == []
    assert cluster.objects == {}
    removed = [each for each in cluster.done if each.startswith("-")]
    assert removed[:6] == ["-Job"] * 6
    assert removed[-2:] == ["-Namespace", "-Lease"]
    # A thread of an earlier test may end meanwhile.
    assert set(threading.enumerate()) <= before


def test_everything_that_is_created_is_labelled() -> None:
    spec = scenario()
    for obj in (*setup_of(spec), *(b for request in requests_of(spec) for b in request.bodies)):
        labels = obj["metadata"]["labels"]
        assert labels["app.kubernetes.io/managed-by"] == "kueuelab"
        assert labels["kueuelab/run"] == NAME
        assert "uid" not in obj["metadata"]
        assert "status" not in obj


def test_what_fails_half_way_is_cleaned_up() -> None:
    cluster = Recorded(jobs=6)
    refusal = LiveError("me may not create jobs", "forbidden")
    cluster.refuse = lambda obj: refusal if obj["kind"] == "Job" else None
    with pytest.raises(LiveError, match="me may not create jobs"):
        play(cluster, scenario(), seconds=20)
    assert cluster.objects == {}
    assert "+ClusterQueue" in cluster.done


def test_an_interrupt_cleans_up_too() -> None:
    cluster = Recorded(jobs=6)

    def interrupt(sentence: str) -> None:
        if "submit" in sentence:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        play(cluster, scenario(), seconds=20, tell=interrupt)
    assert cluster.objects == {}


def test_what_is_there_is_not_touched() -> None:
    cluster, spec = Recorded(), scenario()
    queue = next(obj for obj in setup_of(spec) if obj["kind"] == "ClusterQueue")
    theirs = {**queue, "metadata": {"name": queue["metadata"]["name"], "uid": "theirs"}}
    key = ("ClusterQueue", "", queue["metadata"]["name"])
    cluster.objects[key] = theirs
    with pytest.raises(LiveError, match="kueuelab does not change existing objects"):
        play(cluster, spec, seconds=20)
    assert cluster.objects == {key: theirs}


def test_a_kueue_that_is_too_old_to_be_written_is_left_alone() -> None:
    class Old(Recorded):
        def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
            newer, older = "v1beta2", "v1beta1"
            if path.endswith(older):
                return super().get(path.replace(older, newer))
            found = super().get(path)
            return json.loads(json.dumps(found).replace(newer, older))  # type: ignore[no-any-return]

    cluster = Old()
    with pytest.raises(LiveError, match="serves its Workloads only as v1beta1"):
        play(cluster, scenario(), seconds=20)
    assert cluster.done == []


def test_clean_removes_what_runs_left_and_twice_is_no_harm() -> None:
    cluster, spec = Recorded(), scenario()
    for obj in setup_of(spec):
        cluster.create(obj)
    flavor = {"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ResourceFlavor"}
    cluster.create({**flavor, "metadata": {"name": "theirs", "labels": {"kueuelab/run": "x"}}})
    assert clean(cluster).removed[-1].startswith("Namespace/")
    assert [key[2] for key in cluster.objects] == ["theirs"]
    assert clean(cluster) == Cleaned()


def test_what_cannot_be_played_is_said_before_anything_is_written(tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(
        """
        apiVersion: kueuelab/v1
        kind: Scenario
        metadata: {name: odd}
        spec:
          manifests:
          - {apiVersion: v1, kind: Namespace, metadata: {name: a}}
          - apiVersion: kueue.x-k8s.io/v1beta2
            kind: AdmissionCheck
            metadata: {name: away}
            spec: {controllerName: kueue.x-k8s.io/multikueue}
          timeline:
          - {at: 0s, submit: {job: a, queue: q, podSets: [{name: one}, {name: two}]}}
          - {at: 1s, setCheck: {workload: a, check: away, state: Ready}}
          - {at: 2s, podsReady: {workload: a}}
          - {at: 3s, reclaim: {workload: a, pods: {one: 1}}}
          - {at: 4s, delete: a}
        """
    )
    cluster = Recorded()
    with pytest.raises(InputError) as caught:
        play(cluster, load_scenario(file))
    lines = text(caught.value)
    assert lines == [
        f"{file}:14: AdmissionCheck away is decided by Kueue's own controller",
        f"{file}:15: on a cluster with nodes the pods themselves become ready",
        f"{file}:16: on a cluster with nodes the pods themselves finish",
    ]
    assert cluster.done == []


def text(error: InputError) -> list[str]:
    return [str(problem) for problem in error.problems]


def test_verify_on_recordings_and_its_last_line(tmp_path: Path) -> None:
    folders = [str(shared(f"scenarios/{name}")) for name in ("reclaim-within-cohort", NAME)]
    result = runner.invoke(app, ["live", "verify", *folders])
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines()[-1] == "40 decisions agree, 0 differ"
    # The same with jobs that ask for something else in the cluster than in the scenario.
    folder = tmp_path / "changed"
    shutil.copytree(folders[1], folder)
    text = (folder / "scenario.yaml").read_text().replace('cpu: "1"', 'cpu: "2"')
    (folder / "scenario.yaml").chmod(0o644)
    (folder / "scenario.yaml").write_text(text)
    changed = runner.invoke(app, ["live", "verify", str(folder)])
    assert changed.exit_code == 1
    assert "requests pods 1, cpu 2 in the scenario and pods 1, cpu 1" in changed.stdout


def test_verify_on_a_cluster(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    cluster = Recorded(jobs=6)
    played = play(cluster, scenario(), seconds=20)
    original = load_scenario(shared(f"scenarios/{NAME}/scenario.yaml"))
    found = compare(replace(played, spec=original))
    assert (found.agree, found.differences, found.course) == (20, (), ())


def test_a_run_needs_a_kind_cluster_or_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    class Production(Recorded):
        context = "production"

    from kueuelab.live import adapter

    monkeypatch.setattr(adapter, "LightkubeApi", lambda *args, **more: Production())
    with pytest.raises(LiveError, match="'production' is not a kind cluster"):
        access.open_cluster("production", writable=True)
    assert access.open_cluster("production", writable=True, allowed=["production"])
    assert access.open_cluster("production")


def test_a_dry_run_prints_what_would_be_created() -> None:
    file = str(shared(f"scenarios/{NAME}/scenario.yaml"))
    result = runner.invoke(app, ["live", "run", file, "--dry-run"])
    assert result.exit_code == 0
    assert result.stdout.count("kind: Job\n") == 6


def test_a_job_asks_for_what_the_workload_asks_for() -> None:
    job: dict[str, Any] = requests_of(scenario())[0].bodies[0]
    container = job["spec"]["template"]["spec"]["containers"][0]
    assert container["command"][0] == "sleep"
    assert container["resources"]["requests"]["cpu"]
    assert job["spec"]["suspend"] is True
