"""The tables say what Kueue's own schemas say, where those are at hand."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from kueuelab.manifests.shapes.shape import ABSENT, QUANTITY, Shape
from kueuelab.manifests.shapes.tables import KUEUE_KINDS, shape_of
from kueuelab.model import RELEASE, release_named

#: The CustomResourceDefinitions in a checkout of Kueue, and the release that it is.
CRDS = Path(os.environ.get("KUEUELAB_KUEUE", "nowhere")) / "config/components/crd/bases"
OF = release_named(os.environ.get("KUEUELAB_KUEUE_VERSION", RELEASE.version))

KINDS = {"array": "list", "integer": "integer", "boolean": "boolean", "string": "text"}


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
@pytest.mark.parametrize("kind", KUEUE_KINDS)
def test_every_kind_has_a_table(kind: str, version: str) -> None:
    shape = shape_of(f"kueue.x-k8s.io/{version}", kind)
    assert shape is not None
    assert "metadata" in shape.fields


def test_lists_tell_their_items_apart_by_fields_that_the_items_have() -> None:
    def check(shape: Shape) -> None:
        if shape.item is not None:
            assert all(key in shape.item.fields for key in shape.keys), shape
            check(shape.item)
        for field in shape.fields.values():
            check(field.shape)

    for kind in KUEUE_KINDS:
        shape = shape_of("kueue.x-k8s.io/v1beta2", kind)
        assert shape is not None
        check(shape)


@pytest.mark.skipif(not CRDS.is_dir(), reason="KUEUELAB_KUEUE names no checkout of Kueue")
def test_tables_agree_with_the_definitions() -> None:
    found = []
    for file in sorted(CRDS.glob("*.yaml")):
        definition = yaml.safe_load(file.read_text())["spec"]
        kind = definition["names"]["kind"]
        for version in definition["versions"]:
            shape = shape_of(f"kueue.x-k8s.io/{version['name']}", kind, OF)
            if shape is None and version["name"] not in OF.api_versions:
                continue
            assert shape is not None
            schema = version["schema"]["openAPIV3Schema"]
            for name in ("apiVersion", "kind", "metadata"):
                schema["properties"].pop(name)
            known = {n: f for n, f in shape.fields.items() if n != "metadata"}
            shape = Shape("record", shape.go, fields=known, rules=shape.rules)
            found += differences(schema, shape, f"{kind}/{version['name']}")
    assert found == []


def differences(schema: dict[str, Any], shape: Shape, path: str) -> Iterator[str]:
    """Yield where a table says something else than a schema."""
    kind = kind_of(schema)
    if kind != shape.kind:
        yield f"{path}: {kind} is {shape.kind}"
        return
    for what, wanted, got in (
        ("pattern", schema.get("pattern", ""), QUANTITY if kind == "quantity" else shape.like),
        ("maxLength", schema.get("maxLength"), shape.longest),
        ("minLength", schema.get("minLength"), shape.shortest),
        ("minimum", schema.get("minimum"), shape.minimum),
        ("enum", tuple(schema.get("enum", ())), shape.choices),
        ("most", schema.get("maxItems", schema.get("maxProperties")), shape.most),
        ("least", schema.get("minItems"), shape.least),
        ("keys", tuple(schema.get("x-kubernetes-list-map-keys", ())), shape.keys),
        ("set", schema.get("x-kubernetes-list-type") == "set", shape.distinct),
        ("required", sorted(schema.get("required", [])), sorted(shape.required)),
        ("fields", sorted(schema.get("properties", {})), sorted(shape.fields)),
        ("rules", len(schema.get("x-kubernetes-validations", [])), rules_of(shape)),
    ):
        if wanted != got:
            yield f"{path}: {what} {wanted!r} is {got!r}"
    inner = schema.get("items") or schema.get("additionalProperties")
    if isinstance(inner, dict) and shape.item is not None:
        yield from differences(inner, shape.item, f"{path}[]")
    for name, field in shape.fields.items():
        part = schema.get("properties", {}).get(name)
        if part is not None:
            if part.get("default", ABSENT) != field.default:
                yield f"{path}.{name}: default"
            yield from differences(part, field.shape, f"{path}.{name}")


def kind_of(schema: dict[str, Any]) -> str:
    if schema.get("x-kubernetes-int-or-string"):
        return "quantity" if "pattern" in schema else "port"
    if schema.get("format") == "date-time":
        return "time"
    if schema["type"] == "object":
        return "map" if "additionalProperties" in schema else "record"
    return KINDS[schema["type"]]


def rules_of(shape: Shape) -> int:
    # One name stands for all five rules about tolerations.
    return len(shape.rules) + (4 if "tolerations" in shape.rules else 0)
