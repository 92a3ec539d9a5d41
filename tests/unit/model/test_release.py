"""A release of Kueue: one object holds what belongs to a version."""

from __future__ import annotations

import ast
import copy
import os
import pickle
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab.model import (
    RELEASE,
    UNLIMITED,
    V0_19_2,
    Configuration,
    FeatureGate,
    FeatureGates,
    Release,
    release_named,
)
from kueuelab.trace.trace import Trace

PACKAGE = Path(kl.__file__).parent
#: The files that may name a version: the release itself, and its bugs.
NAMED_IN = {"model/releases/v0_19_2.py", "simulation/known_bugs.py"}


def texts_of(path: Path) -> Iterator[str]:
    """Yield the texts in a module's code, not those of its docstrings."""
    tree = ast.parse(path.read_text("utf-8"))
    docs = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield node.value


def test_the_version_is_written_down_once() -> None:
    version = re.compile(rf"\b{re.escape(RELEASE.minor)}\b")
    found = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        for text in texts_of(path)
        if version.search(text)
    }
    assert found == NAMED_IN


def test_no_page_or_script_names_a_version() -> None:
    for ending in ("*.js", "*.html", "*.css"):
        for path in PACKAGE.rglob(ending):
            assert RELEASE.minor not in path.read_text("utf-8"), path


def test_everything_says_the_same_version() -> None:
    assert kl.KUEUE_VERSION == Trace(()).kueue_version == RELEASE.version
    assert Configuration().release is RELEASE is V0_19_2


def test_gates_are_of_a_release() -> None:
    other = Release("v0.20.0", "1.37", ("v1beta2",), {"New": FeatureGate("New", True, "Beta")})
    gates = FeatureGates({"New": False}, other)
    assert dict(gates) == {"New": False}
    assert Configuration(gates=gates).release is other
    with pytest.raises(KeyError):
        FeatureGates({"NoSuchGate": False}, other)
    # What another release has is kept aside.
    assert FeatureGates({"PartialAdmission": False}, other).left_out == {"PartialAdmission": False}


def test_copies_of_gates_are_those_of_the_same_release() -> None:
    gates = FeatureGates({"PartialAdmission": False})
    for again in (copy.deepcopy(gates), pickle.loads(pickle.dumps(gates))):
        assert (again, again.overrides) == (gates, {"PartialAdmission": False})
        assert Configuration(gates=again).release == RELEASE


def test_gates_need_gates_that_there_are() -> None:
    for gate in RELEASE.gates.values():
        assert set(gate.needs) <= set(RELEASE.gates), gate


#: The feature gates in a checkout of Kueue, and the release that it is.
GATES = Path(os.environ.get("KUEUELAB_KUEUE", "nowhere")) / "pkg/features/kube_features.go"
OF = release_named(os.environ.get("KUEUELAB_KUEUE_VERSION", RELEASE.version))


@pytest.mark.skipif(not GATES.is_file(), reason="KUEUELAB_KUEUE names no checkout of Kueue")
def test_the_gates_are_those_of_kueue() -> None:
    text = GATES.read_text("utf-8")
    names = dict(re.findall(r'^\t(\w+) +featuregate\.Feature = "(\w+)"', text, re.MULTILINE))
    found = {}
    for constant, body in re.findall(r"^\t(\w+): \{\n(.*?)^\t\},", text, re.MULTILINE | re.DOTALL):
        last = re.findall(r"Default: (\w+), PreRelease: featuregate\.(\w+)(.*)", body)[-1]
        stage = {"PreAlpha": "Alpha"}.get(last[1], last[1])
        found[names[constant]] = (last[0] == "true", stage, "LockToDefault: true" in last[2])
    known = {gate.name: (gate.default, gate.stage, gate.locked) for gate in OF.gates.values()}
    assert {name: found.get(name) for name in known} == known
    assert set(found) <= set(known)


def test_a_configuration_goes_to_another_process_and_keeps_its_release() -> None:
    copy = pickle.loads(pickle.dumps(Configuration()))
    assert copy == Configuration()
    assert copy.gates.release is RELEASE


def test_unlimited_quota_stays_the_one_unlimited_amount_in_another_process() -> None:
    assert pickle.loads(pickle.dumps(UNLIMITED)) is UNLIMITED
