"""Nodes in short form, and what a draft is."""

from __future__ import annotations

from dataclasses import fields

import pytest

from kueuelab.errors import KueueLabError
from kueuelab.session.building.draft import Draft
from kueuelab.session.building.nodes import pools_of, with_pool, with_pool_field, without_pool


def test_one_pool_that_is_no_list_is_edited_in_place() -> None:
    text = """\
apiVersion: kueuelab/v1
kind: Scenario
metadata: {name: a}
spec:
  # Two racks.
  nodes: {racks: 2, hosts: 4, cpu: 8}
  timeline: []
"""
    draft = Draft(text)
    assert with_pool_field(draft, 0, "racks", "3").text == text.replace("racks: 2", "racks: 3")
    both = with_pool(draft)
    assert [pool.shown("racks") for pool in pools_of(both)] == ["2", "2"]
    assert "# Two racks." in both.text
    assert both.problems == ()
    assert pools_of(without_pool(draft, 0)) == ()


def test_manifests_alone_have_no_short_form_of_nodes() -> None:
    with pytest.raises(KueueLabError, match="part of a scenario"):
        with_pool(Draft("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n"))


def test_a_draft_has_slots_and_what_it_knows_is_no_part_of_it() -> None:
    draft = Draft.new()
    assert not hasattr(draft, "__dict__")
    assert draft.objects == ()
    assert draft == Draft.new()
    assert "_known" not in repr(draft)
    assert [each.name for each in fields(draft) if each.init] == ["text", "name", "base"]
