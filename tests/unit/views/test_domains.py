"""Nodes by topology domain in frames: what is free, what is used, which pods look for a place."""

from __future__ import annotations

import gzip
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from jsonschema import Draft202012Validator

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.trace import Trace
from kueuelab.views import Document
from kueuelab.views.frame.domains_text import topology_text
from kueuelab.views.frame.room_text import room_text
from kueuelab.views.merge_patch import apply_patch

DOCS = Path(__file__).parents[3] / "docs"
SCENARIO = """
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: racks}
spec:
  nodes: {blocks: 2, racks: 2, hosts: 2, cpu: 8}
  manifests:
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: ClusterQueue
    metadata: {name: q}
    spec:
      namespaceSelector: {}
      resourceGroups:
      - coveredResources: [cpu]
        flavors: [{name: default, resources: [{name: cpu, nominalQuota: 64}]}]
  - apiVersion: kueue.x-k8s.io/v1beta2
    kind: LocalQueue
    metadata: {name: q, namespace: default}
    spec: {clusterQueue: q}
  timeline:
  - {at: 0s, pod: {name: agent, node: b1-r1-h1, requests: {cpu: 5}}}
  - at: 1s
    submit: {job: a, queue: q, runs: 60s, pods: 4, requests: {cpu: 3}, topology: {required: rack}}
  - at: 2s
    submit: {job: b, queue: q, pods: 8, requests: {cpu: 3}, topology: {required: rack}}
  - {at: 3s, node: {name: b2-r2-h2, taints: [{key: broken, effect: NoSchedule}]}}
  - {at: 4s, remove: Pod/default/agent}
  - {at: 5s, node: {name: b1-r2-h1, ready: false}}
  - {at: 6s, node: {name: b2-r1-h1, cordoned: true}}
  - {at: 7s, remove: Node/b2-r1-h2}
"""


@cache
def trace_of(text: str = SCENARIO) -> Trace:
    return kl.load(text).run().trace


def last(trace: Trace, kind: str, workload: str = "") -> int:
    found = (i for i in reversed(trace.of_kind(kind)) if workload in ("", trace[i].workload))
    return next(found)


def after(trace: Trace, name: str) -> Any:
    """Return the frame of the last change of an object."""
    kinds = ("ObjectApplied", "ObjectRemoved")
    found = [i for i in trace.of_kind(*kinds) if getattr(trace[i].facts, "object", "") == name]
    return Document(trace).frame(found[-1])


def test_each_frame_reached_by_patches_is_the_one_made_directly() -> None:
    trace = trace_of()
    chunk = Document(trace).chunk(0)
    frame = chunk["key"]
    for index, patch in enumerate(chunk["patches"], 1):
        frame = apply_patch(frame, patch)
        assert frame == Document(trace).frame(index)


def test_levels_and_hosts_are_in_the_frame() -> None:
    frame = after(trace_of(), "Node/b2-r2-h2")
    assert frame["topologies"]["default"]["levels"]["2"] == "kubernetes.io/hostname"
    assert len(frame["hosts"]) == 8
    assert frame["hosts"]["default|b1,b1-r1,b1-r1-h1"] == {
        "room": {"cpu": 8000, "pods": 110},
        "outside": {"cpu": 5000, "pods": 1},
    }


def test_a_host_says_why_no_pods_may_go_there() -> None:
    trace = trace_of()
    tainted = after(trace, "Node/b2-r2-h2")["hosts"]["default|b2,b2-r2,b2-r2-h2"]
    assert (tainted["problem"], "closed" in tainted) == ("broken:NoSchedule", False)
    failed = after(trace, "Node/b1-r2-h1")["hosts"]["default|b1,b1-r2,b1-r2-h1"]
    assert (failed["problem"], failed["closed"]) == ("notReady", True)
    cordoned = after(trace, "Node/b2-r1-h1")["hosts"]["default|b2,b2-r1,b2-r1-h1"]
    assert (cordoned["problem"], cordoned["closed"]) == ("cordoned", True)


def test_a_deleted_node_is_no_host() -> None:
    assert "default|b2,b2-r1,b2-r1-h2" not in after(trace_of(), "Node/b2-r1-h2")["hosts"]


def test_a_pod_that_is_gone_gives_its_room_back() -> None:
    host = after(trace_of(), "Pod/default/agent")["hosts"]["default|b1,b1-r1,b1-r1-h1"]
    assert "outside" not in host


def test_an_admitted_workload_has_its_pods_in_domains_until_it_finishes() -> None:
    trace = trace_of()
    reserved = Document(trace).frame(last(trace, "QuotaReserved", "default/a"))
    assert reserved["places"]["default/a|main"] == {
        "workload": "default/a",
        "podSet": "main",
        "flavor": "default",
        "each": {"cpu": 3000},
        "on": {"b1-r2-h1": 2, "b1-r2-h2": 2},
    }
    assert "places" not in Document(trace).frame(len(trace) - 1)


def test_pods_look_for_a_place_once_they_have_found_quota() -> None:
    trace = trace_of()
    chosen = next(i for i in trace.of_kind("FlavorChosen") if trace[i].workload == "default/b")
    assert "seeking" not in Document(trace).frame(chosen - 1)
    assert Document(trace).frame(chosen)["seeking"] == {
        "main": {"workload": "default/b", "flavor": "default", "count": 8, "each": {"cpu": 3000}}
    }


def test_the_text_has_each_domain_with_what_is_free() -> None:
    trace = trace_of()
    chosen = next(i for i in trace.of_kind("FlavorChosen") if trace[i].workload == "default/b")
    text = topology_text(Document(trace).frame(chosen))
    assert text.splitlines()[:6] == [
        "Flavor default, topology default",
        "  block b1: 15 cpu of 32 free; 4 hosts",
        "    rack b1-r1: 11 cpu of 16 free; 2 hosts",
        "      hostname b1-r1-h1: 3 cpu of 8 free; pods outside of Kueue use 5 cpu",
        "      hostname b1-r1-h2: 8 cpu of 8 free",
        "    rack b1-r2: 4 cpu of 16 free; 2 hosts",
    ]
    assert "hostname b1-r2-h1: 2 cpu of 8 free; 2 pods of default/a" in text
    assert text.endswith(
        "default/b needs a place in flavor default for pod set main: pods: 8, each 3 cpu"
    )


def test_a_run_without_topologies_has_none_of_it() -> None:
    run = scenarios.load("reclaim-1-take-back").run()
    document = Document(run).as_data()
    assert "topologies" not in document
    assert not {"topologies", "hosts", "places", "seeking"} & document["chunks"]["0"]["key"].keys()
    assert topology_text(Document(run).frame(20)) == "No flavor has a topology at this step."


def test_a_run_with_topologies_says_so_and_its_document_is_as_the_schema_says() -> None:
    document = Document(trace_of()).as_data()
    assert document["topologies"] is True
    schema = json.loads((DOCS / "frames.schema.json").read_text("utf-8"))
    Draft202012Validator(schema).validate(document)
    frame = Draft202012Validator({**schema["$defs"]["Frame"], "$defs": schema["$defs"]})
    for index in range(len(trace_of())):
        frame.validate(Document(trace_of()).frame(index))


def test_a_step_of_5000_hosts_changes_little_and_its_frame_stays_below_a_megabyte() -> None:
    spec = yaml.safe_load(SCENARIO)
    spec["spec"]["nodes"] = {"blocks": 10, "racks": 10, "hosts": 50, "cpu": 8}
    spec["spec"]["timeline"] = spec["spec"]["timeline"][1:2]
    trace = trace_of(yaml.safe_dump(spec))
    document = Document(trace)
    maker = document._maker
    maker.go(last(trace, "QuotaReserved", "default/a") - 1)
    assert len(maker.frame()["hosts"]) == 5_000
    assert len(json.dumps(maker.frame(), separators=(",", ":"))) < 1_000_000
    patch = json.dumps(maker.next(), separators=(",", ":"))
    assert len(gzip.compress(patch.encode())) < 1_500


def test_a_search_has_the_domains_that_it_judges_in_their_order() -> None:
    trace = trace_of()
    searched = next(i for i in trace.of_kind("DomainsSearched") if trace[i].workload == "default/b")
    frame = Document(trace).frame(searched)
    assert frame["judged"]["0"] == {
        "domain": "default|b2,b2-r1",
        "fits": 4,
        "verdict": "too-small",
    }
    assert len(frame["judged"]) == 4
    asked = frame["seeking"]["main"]
    assert (asked["request"], asked["level"]) == ("required", "cloud.provider.com/topology-rack")
    assert "judged" not in Document(trace).frame(searched - 1)
    first = Document(trace).frame(trace.of_kind("DomainsSearched")[0])["judged"]
    assert [row.get("given") for row in first.values() if row["verdict"] == "chosen"] == [4, 2, 2]


def test_what_is_free_for_pods_without_a_place_is_in_the_text() -> None:
    trace = trace_of()
    lacking = Document(trace).as_data()["lacking"]
    asked = {"request": "required", "level": "cloud.provider.com/topology-rack"}
    pods = {"workload": "default/b", "flavor": "default", "count": 8, "each": {"cpu": 3000}}
    assert lacking == {"default/b": {"main": pods | asked}}
    gone = after(trace, "Pod/default/agent")
    assert room_text(gone, lacking, "default/b").splitlines() == [
        "b needs a place for pod set main: 8 × 3 cpu, one rack required",
        "Free in all: 52 cpu, room for 12 of 8 pods.",
        "Hosts with taints are counted too.",
        "The rack with the most room, b1-r1, takes 4 of 8.",
        "Enough is free in all, but not in one rack.",
    ]
    placed = Document(trace).frame(last(trace, "QuotaReserved", "default/a"))
    where = "Pods of a, pod set main: b1-r2-h1 (2), b1-r2-h2 (2)."
    assert room_text(placed, lacking, "default/a") == where
    arrives = Document(trace).frame(last(trace, "WorkloadCreated", "default/a") - 1)
    assert room_text(arrives, lacking, "default/b") == ""


def test_the_view_says_as_text_why_the_selected_workload_is_where_it_is() -> None:
    view = kl.widgets.Topology(trace_of())
    view.board.go(last(trace_of(), "ObjectApplied"))
    assert "default/b is pending" not in view.as_text()
    view.board.select("Workload", "default/b")
    text = view.as_text()
    assert "b needs a place for pod set main: 8 × 3 cpu, one rack required" in text
    assert "default/b is pending in ClusterQueue q." in text
    assert "block b1:" in kl.widgets.Lab(trace_of()).as_text()
