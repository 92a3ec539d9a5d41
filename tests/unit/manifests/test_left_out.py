"""What is left out, and what follows: said by loading, and by every command that decides."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.manifests import cautions, load, load_scenario

QUEUE = "kueue.x-k8s.io/queue-name"
LABELLED = {"labels": {QUEUE: "team-a"}}


def obj(api_version: str, kind: str, spec: Any, **metadata: Any) -> dict[str, Any]:
    return {
        "apiVersion": api_version,
        "kind": kind,
        "metadata": {"name": "x", **metadata},
        "spec": spec,
    }


def said(*objects: dict[str, Any]) -> list[str]:
    return list(cautions(load(list(objects)).notes))


MAKERS = [
    (obj("batch/v1", "CronJob", {"jobTemplate": {"metadata": LABELLED}}), "the Jobs that it makes"),
    (obj("argoproj.io/v1alpha1", "Workflow", {"podMetadata": LABELLED}), "the pods that it makes"),
    (obj("tekton.dev/v1", "PipelineRun", {}, **LABELLED), "the pods that it makes"),
    (
        obj("serving.knative.dev/v1", "Service", {"template": {"metadata": LABELLED}}),
        "the pods that it makes",
    ),
    (obj("apps/v1", "DaemonSet", {"template": {"metadata": LABELLED}}), "the pods that it makes"),
    (obj("example.com/v1", "Farm", {"barns": [{"metadata": LABELLED}]}), "what it makes"),
]


@pytest.mark.parametrize(("maker", "made"), MAKERS, ids=lambda each: str(each)[:40])
def test_what_makes_what_kueue_queues_is_said(maker: dict[str, Any], made: str) -> None:
    [sentence] = said(maker)
    assert sentence.startswith(f"{maker['kind']}/x: it is left out: {made}")
    assert "LocalQueue team-a" in sentence


def test_a_label_that_no_controller_passes_on() -> None:
    template: dict[str, Any] = {"jobTemplate": {"metadata": {}}}
    [sentence] = said(obj("batch/v1", "CronJob", template, **LABELLED))
    assert "only the CronJob itself has the label" in sentence
    assert "spec.jobTemplate.metadata.labels" in sentence


@pytest.mark.parametrize(("kind", "version"), [("CronJob", "batch/v1"), ("DaemonSet", "apps/v1")])
def test_without_a_queue_name_they_matter_only_where_kueue_manages_them(
    kind: str, version: str
) -> None:
    maker = obj(version, kind, {"jobTemplate": {}})
    manifests = load([maker])
    assert cautions(manifests.notes) == ()
    assert "decisions do not depend on it" in str(manifests.notes[0])
    default = obj("kueue.x-k8s.io/v1beta2", "LocalQueue", {"clusterQueue": "q"}) | {
        "metadata": {"name": "default", "namespace": "default"}
    }
    assert "LocalQueue default" in said(maker, default)[0]
    every = {
        "apiVersion": "config.kueue.x-k8s.io/v1beta2",
        "kind": "Configuration",
        "manageJobsWithoutQueueName": True,
    }
    assert "with manageJobsWithoutQueueName" in said(maker, every)[0]


def test_other_kinds_are_counted() -> None:
    maps = [{"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": n}} for n in "ab"]
    [note] = load(maps).notes
    assert str(note) == "ConfigMap: 2 left out: Kueue's decisions do not depend on them"
    assert not note.is_caution


SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: s}
spec:
  timeline:
  - at: 0s
    submit: {apiVersion: batch/v1, kind: CronJob, metadata: {name: c}, spec: {jobTemplate: {}}}
  - at: 1s
    apply: {apiVersion: kueue.x-k8s.io/v1alpha1, kind: Cohort, metadata: {name: c}, spec: {}}
  - at: 2s
    submit:
      apiVersion: batch/v1
      kind: Job
      metadata: {name: j, annotations: {kueue.x-k8s.io/queue-name: default}}
      spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}
"""


def test_what_a_timeline_leaves_out_is_said() -> None:
    queue = obj("kueue.x-k8s.io/v1beta2", "LocalQueue", {"clusterQueue": "q"}) | {
        "metadata": {"name": "default", "namespace": "default"}
    }
    spec = load_scenario(SCENARIO)
    said = cautions(spec.notes)
    assert len(said) == 2
    assert "serves no kueue.x-k8s.io/v1alpha1" in said[0]
    assert "Kueue reads only the label" in said[1]
    # A LocalQueue of this name takes what names none.
    spec = load_scenario([queue], SCENARIO)
    assert "the Jobs that it makes are queued in LocalQueue default" in cautions(spec.notes)[0]
    assert [action.at for action in spec.timeline] == [1_000_000_000, 2_000_000_000]
    with pytest.raises(InputError, match='no matches for kind "Cohort"'):
        load_scenario(SCENARIO, served_only=True)


OLD = """
apiVersion: kueue.x-k8s.io/{version}
kind: {kind}
metadata: {{name: x}}
spec: {spec}
"""


@pytest.mark.parametrize(
    ("version", "kind", "spec"),
    [
        ("v1alpha1", "Cohort", "{}"),
        ("v1alpha1", "Topology", "{levels: [{nodeLabel: kubernetes.io/hostname}]}"),
        ("v1alpha1", "ClusterQueue", "{}"),
        ("v1alpha2", "ClusterQueue", "{}"),
    ],
)
def test_versions_that_the_server_no_longer_serves(version: str, kind: str, spec: str) -> None:
    text = OLD.format(version=version, kind=kind, spec=spec)
    as_history = load_scenario(text)
    assert [type(each).__name__ for each in as_history.manifests] == [kind]
    [sentence] = cautions(as_history.notes)
    assert f"v0.19.2 serves no kueue.x-k8s.io/{version}" in sentence
    with pytest.raises(InputError) as refused:
        load_scenario(text, name="old.yaml", served_only=True)
    [problem] = refused.value.problems
    expected = f'no matches for kind "{kind}" in version "kueue.x-k8s.io/{version}"'
    assert (problem.message, problem.hint) == (
        expected,
        "Write apiVersion: kueue.x-k8s.io/v1beta2",
    )
    assert str(problem.location).startswith("old.yaml:2")


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_versions_that_the_server_serves(version: str) -> None:
    text = OLD.format(version=version, kind="Cohort", spec="{}")
    assert cautions(load_scenario(text, served_only=True).notes) == ()
