"""What the rules of lint find in what is open: with place and object, page by page."""

from __future__ import annotations

from typing import Any

import pytest

from kueuelab.errors import InputError
from kueuelab.session.handler import Handler

INPUT = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ResourceFlavor
metadata: {name: default}
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team}
spec:
  namespaceSelector: {}
  resourceGroups:
  - coveredResources: [cpu]
    flavors: [{name: defualt, resources: [{name: cpu, nominalQuota: 1}]}]
---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: main, namespace: default}
spec: {clusterQueue: taem}
"""


def opened(text: str = INPUT) -> Handler:
    handler = Handler()
    handler.answer({"do": "open", "name": "in.yaml", "text": text})
    return handler


def lint(handler: Handler, **asked: Any) -> Any:
    return handler.answer({"do": "lint", **asked})


def test_a_finding_has_its_rule_its_place_and_its_object() -> None:
    page = lint(opened())
    assert page["sentence"] == "Found: 2 errors, 1 warning and 1 note."
    assert [each["level"] for each in page["findings"]] == ["error", "error", "warning", "note"]
    first = page["findings"][0]
    assert (first["rule"], first["name"]) == ("KL501", "missing-flavor")
    assert (first["object"], first["queue"]) == ("ClusterQueue/team", "team")
    assert first["place"] == {"file": "in.yaml", "line": 12, "column": 22}
    assert first["fix"] == "Did you mean 'default'?"
    assert "name: defualt" in first["manifest"]


def test_findings_are_sent_in_pages() -> None:
    handler = opened()
    whole = lint(handler)["findings"]
    assert lint(handler, start=1, count=1)["findings"] == whole[1:2]
    assert lint(handler, start=9)["findings"] == []
    for wrong in ({"start": -1}, {"count": 51}):
        with pytest.raises(InputError, match="at most 50 findings"):
            lint(handler, **wrong)


def test_a_comment_in_the_input_turns_a_rule_off() -> None:
    text = INPUT.replace("spec: {clusterQueue", "# kueuelab: ignore KL502\nspec: {clusterQueue")
    page = lint(opened(text))
    assert "KL502" not in [each["rule"] for each in page["findings"]]
    assert "1 finding is ignored" in page["sentence"]


def test_a_loop_is_found_once() -> None:
    handler = Handler()
    name = next(
        each["name"]
        for each in handler.answer({"do": "hello"})["examples"]
        if each["group"] == "loops"
    )
    handler.answer({"do": "open", "source": name})
    assert [each["kind"] for each in handler.answer({"do": "overview"})["findings"]] == ["loop"]
    assert not {"KL921", "KL922"} & {each["rule"] for each in lint(handler)["findings"]}


def test_the_input_of_a_branch_is_that_of_what_was_opened() -> None:
    handler = opened()
    edit = {"do": "edit", "object": "cluster-queue/team", "values": {"spec.stopPolicy": "Hold"}}
    handler.answer(edit)
    assert lint(handler)["findings"][0]["place"]["file"] == "in.yaml"


def test_an_input_without_a_queue_has_an_overview_and_findings() -> None:
    handler = opened("---".join(INPUT.split("---")[2:]))
    assert handler.answer({"do": "overview"})["quota"] == []
    assert lint(handler)["sentence"] == "Found: nothing."
