"""Nodes, topologies and folders on the page that builds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.building.nodes import pools_of
from kueuelab.studio.build.page import BuildPage
from kueuelab.whatif.references import Reference


def press(widget: Any, text: str) -> None:
    """Press the button with a text somewhere in a widget."""
    todo = [widget]
    while todo:
        each = todo.pop(0)
        if getattr(each, "description", "") == text and hasattr(each, "click"):
            each.click()
            return
        todo += getattr(each, "children", ())
    pytest.fail(f"there is no button {text}")


def test_nodes_are_added_changed_and_removed_in_the_form(page: BuildPage) -> None:
    press(page.nodes.widget, "Add nodes")
    assert page.draft.problems == ()
    assert page.draft.spec is not None
    (row,) = page.nodes.controls
    assert row["hosts"].value == "4"
    row["gpu"].value = "8"
    assert "gpu: 8" in page.text.value
    press(page.nodes.widget, "Add nodes")
    assert [each["name"].value for each in page.nodes.controls] == ["nodes-1", "nodes-2"]
    # What is no number of nodes is a problem at its line.
    page.nodes.controls[1]["hosts"].value = "many"
    assert any(problem.location for problem in page.draft.problems)
    press(page.widget, "Undo")
    assert page.nodes.controls[1]["hosts"].value == "4"
    press(page.nodes.widget, "Remove")
    assert [pool.shown("name") for pool in pools_of(page.draft)] == ["nodes-2"]
    press(page.nodes.widget, "Remove")
    assert "nodes" not in page.text.value.split("spec:")[1]


def test_a_topology_has_a_form_with_its_levels(page: BuildPage) -> None:
    page.add("Topology")
    assert page.chosen == Reference("Topology", "", "topology-1")
    levels = page.form.controls["spec.levels"]
    assert levels.value.endswith("kubernetes.io/hostname")
    levels.value = "example.com/row, kubernetes.io/hostname"
    found = page.draft["Topology/topology-1"].field("spec.levels")
    assert [each["nodeLabel"] for each in found] == ["example.com/row", "kubernetes.io/hostname"]
    assert page.draft.problems == ()


def test_the_preference_of_fungibility_is_chosen(page: BuildPage) -> None:
    page.add("ClusterQueue")
    for field in ("whenCanBorrow", "whenCanPreempt"):
        page.form.controls[f"spec.flavorFungibility.{field}"].value = "TryNextFlavor"
    page.form.controls["spec.flavorFungibility.preference"].value = "PreemptionOverBorrowing"
    assert "preference: PreemptionOverBorrowing" in page.text.value
    assert page.draft.problems == ()


def test_a_dump_and_a_folder_are_edited_as_a_copy(page: BuildPage, tmp_path: Path) -> None:
    page.change("two-teams")
    assert "ClusterQueue" in {each.reference.kind for each in page.draft.objects}
    assert page.draft.problems == ()
    page.edit(lambda draft: draft.with_field("ClusterQueue/cq-a", "spec.stopPolicy", "Hold"))
    assert page.draft["ClusterQueue/cq-a"].field("spec.stopPolicy") == "Hold"

    folder = tmp_path / "mine"
    folder.mkdir()
    with pytest.raises(InputError, match="no manifests"):
        page.change(str(folder))
    manifest = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a} # ours\n"
    (folder / "a.yaml").write_text(manifest, "utf-8")
    page.change(str(folder))
    assert "# a.yaml" in page.text.value
    assert "# ours" in page.text.value
    page.edit(lambda draft: draft.added("Cohort", "all"))
    assert (folder / "a.yaml").read_text("utf-8") == manifest, "the folder stays as it is"
