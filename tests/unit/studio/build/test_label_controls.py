"""Labels, taints and selectors in the forms of the page that builds."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.studio.build.page import BuildPage


def control(page: BuildPage, kind: str, path: str) -> Any:
    """Return the control of a field of a new object."""
    page.add(kind)
    return page.form.controls[path]


@pytest.mark.parametrize(
    ("kind", "path", "typed", "value"),
    [
        (
            "ClusterQueue",
            "spec.namespaceSelector",
            "team=first",
            {"matchLabels": {"team": "first"}},
        ),
        ("ResourceFlavor", "spec.nodeLabels", "pool=first", {"pool": "first"}),
        (
            "ResourceFlavor",
            "spec.nodeTaints",
            "spot=first:NoSchedule",
            [{"key": "spot", "value": "first", "effect": "NoSchedule"}],
        ),
    ],
)
def test_form_and_yaml_say_the_same(
    page: BuildPage, kind: str, path: str, typed: str, value: Any
) -> None:
    field = control(page, kind, path)
    before, shown = page.draft.text, field.value
    field.value = typed
    assert page.chosen is not None
    assert page.draft[page.chosen].field(path) == value
    assert page.draft.problems == ()
    # The YAML is edited, and the form follows.
    page.text.value = page.text.value.replace("first", "second")
    assert field.value == typed.replace("first", "second")
    page.undo.click()
    page.undo.click()
    assert page.draft.text == before
    assert field.value == shown


def test_parameters_of_a_check_are_three_fields(page: BuildPage) -> None:
    control(page, "AdmissionCheck", "spec.parameters.name")
    assert page.chosen is not None
    values = {"apiGroup": "kueue.x-k8s.io", "kind": "ProvisioningRequestConfig", "name": "gpus"}
    for name, value in values.items():
        page.form.controls[f"spec.parameters.{name}"].value = value
    assert page.draft[page.chosen].field("spec.parameters") == values
    assert page.draft.problems == ()
    page.form.controls["spec.parameters.name"].value = ""
    assert page.draft.problems, "a name is required"
    assert page.form._notes["spec.parameters.name"].value
    page.undo.click()
    assert page.form.controls["spec.parameters.name"].value == "gpus"


def test_a_selector_that_is_none_changes_nothing(page: BuildPage) -> None:
    field = control(page, "ClusterQueue", "spec.namespaceSelector")
    before = page.draft.text
    field.value = "env in dev"
    assert page.draft.text == before
    assert field.value == "*"
    assert "env in dev is not a requirement" in str(page._studio._status.value)


def test_controls_stay_whatever_else_is_edited(page: BuildPage) -> None:
    page.add("ClusterQueue")
    controls, parts = dict(page.form.controls), list(page.form.widget.children)
    assert page.chosen is not None
    queue = page.chosen
    page.form.name.value = "physics"
    assert "physics" in page.draft.names("ClusterQueue")
    for kind in ("AdmissionCheck", "ResourceFlavor"):
        text = page.draft.added(kind, "other").text
        page.text.value = text
    assert page.form.widget.children == tuple(parts)
    assert {key: page.form.controls[key] for key in controls} == controls
    # Edits are of the object that is shown now, and a new quota adds rows only.
    assert page.chosen != queue
    page.form.controls["spec.stopPolicy"].value = "Hold"
    assert page.draft[page.chosen].field("spec.stopPolicy") == "Hold"
    (box,) = page.form.controls["spec.admissionChecksStrategy.admissionChecks"].children
    box.value = True
    assert page.draft[page.chosen].field("spec.admissionChecksStrategy.admissionChecks") == [
        {"name": "other"}
    ]
