"""The record has one reader: outside of it nothing knows how a state is written down."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from kueuelab.live.live_run import LiveRun
from kueuelab.live.views import ClusterViews
from kueuelab.multikueue import ClusterSetRun
from kueuelab.simulation import Run
from kueuelab.trace.recorded_run import RecordedRun
from kueuelab.whatif.clusters import MultiKueueRun
from kueuelab.whatif.lab import LabRun
from kueuelab.workshop.multikueue_case import MultiKueueCaseRun

ROOT = Path(__file__).parents[3] / "kueuelab"
ROOMS = ("cli", "live", "multikueue", "scenarios", "testing", "whatif", "widgets", "workshop")

#: Keys of the state that no manifest has at the top.
OF_THE_STATE = frozenset(
    {
        "workloads",
        "clusterQueues",
        "cohorts",
        "localQueues",
        "objects",
        "phase",
        "queuedAt",
        "podsLeft",
        "noFit",
        "shape",
        "cohort_name",
        "parent_name",
        "cluster_queue",
        "stop_policy",
        "queueing_strategy",
        "resource_groups",
    }
)
#: Keys that manifests have, too. The rooms of real clusters read those.
OF_MANIFESTS = frozenset(
    {
        "admission",
        "admissionChecks",
        "clusterQueue",
        "cohortName",
        "conditions",
        "parentName",
        "podSetAssignments",
        "queueName",
        "queueingStrategy",
        "requeueState",
        "resourceGroups",
        "stopPolicy",
        "usage",
    }
)


def key_of(node: ast.AST) -> str:
    """Return the key by which a mapping is read, ``""`` if it is something else."""
    match node:
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            return key
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(key)), *_]):
            return key
        case ast.Compare(left=ast.Constant(value=str(key)), ops=[ast.In() | ast.NotIn()]):
            return key
        case ast.Call(func=ast.Attribute(attr="raw_at")):
            return "objects"
    return ""


def reads(text: str, keys: frozenset[str]) -> Iterator[int]:
    for node in ast.walk(ast.parse(text)):
        if key_of(node) in keys:
            yield node.lineno  # type: ignore[attr-defined]


def packs(text: str) -> Iterator[int]:
    """Yield where names are packed as ``w1:team/a``, or taken apart."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="partition" | "rpartition" | "split" | "rsplit"),
                args=[ast.Constant(value=":"), *_],
            ):
                yield node.lineno
            case ast.JoinedStr(
                values=[
                    ast.FormattedValue(value=first),
                    ast.Constant(value=":"),
                    ast.FormattedValue(),
                ]
            ) if CLUSTER.search(ast.unparse(first)):
                yield node.lineno


CLUSTER = re.compile("cluster|manager|worker|cluster")
#: What looks like it: an image with its tag, an address, a line of YAML, a line of an editor.
ELSE = frozenset(
    {
        "live/clusters/tools.py",
        "live/installed_release.py",
        "live/prometheus.py",
        "testing/mutations.py",
        "widgets/what_if.py",
    }
)


#: Reads the phase of pods, as Kubernetes has it.
OF_PODS = frozenset({"live/snapshot.py"})


@pytest.mark.parametrize("room", ROOMS)
def test_only_the_trace_reads_the_state_by_its_keys(room: str) -> None:
    keys = OF_THE_STATE | OF_MANIFESTS if room == "widgets" else OF_THE_STATE
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in OF_PODS
        for line in reads(path.read_text("utf-8"), keys)
    ]
    assert found == []


@pytest.mark.parametrize("room", [*ROOMS, "simulation", "trace"])
def test_no_name_holds_its_cluster(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for path in sorted((ROOT / room).rglob("*.py"))
        if path.relative_to(ROOT).as_posix() not in ("trace/names.py", "trace/version1.py", *ELSE)
        for line in packs(path.read_text("utf-8"))
    ]
    assert found == []


def test_what_is_found() -> None:
    assert list(reads('state["workloads"]', OF_THE_STATE)) == [1]
    assert list(reads('view.get("phase", "")', OF_THE_STATE)) == [1]
    assert list(reads("trace.raw_at(1)", OF_THE_STATE)) == [1]
    assert list(reads("state.workloads", OF_THE_STATE)) == []
    assert list(packs('name.partition(":")')) == [1]
    assert list(packs('f"{cluster}:{key}"')) == [1]
    assert list(packs('f"{cluster}: {key}"')) == []


@pytest.mark.parametrize(
    "kind", [Run, LabRun, ClusterSetRun, MultiKueueRun, ClusterViews, LiveRun, MultiKueueCaseRun]
)
def test_what_every_run_can_be_asked_is_written_once(kind: type) -> None:
    assert issubclass(kind, RecordedRun)
    once = {"diff", "passed", "save", "state_at", "until", "who_evicted", "why_not"}
    assert not once & vars(kind).keys()


#: Steps that only whoever puts a search for targets together has to know.
OF_A_SEARCH = frozenset({"AttemptStarted", "CandidatesOrdered"})


@pytest.mark.parametrize("room", [*ROOMS, "simulation"])
def test_searches_for_targets_are_put_together_in_the_trace_only(room: str) -> None:
    found = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and node.attr in OF_A_SEARCH
    ]
    assert found == []


def test_why_across_clusters_asks_no_live_object() -> None:
    text = (ROOT / "multikueue" / "why.py").read_text("utf-8")
    imported = {
        name.name
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.ImportFrom)
        for name in node.names
    }
    assert not imported & {"Manager", "MemberCluster", "ClusterSet", "WorkloadState", "config_of"}
    assert "placement_at" in (ROOT / "views/multikueue.py").read_text("utf-8")
