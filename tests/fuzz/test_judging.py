"""Verdicts come without a crash, whatever is created or changed into what."""

from __future__ import annotations

import os
from copy import deepcopy
from pathlib import Path
from typing import Any

import yaml

from kueuelab.manifests.server import judge
from kueuelab.testing import Mutator

FILES = Path(__file__).parent / "files"
NUMBER = int(os.environ.get("KUEUELAB_INPUTS", "5000"))


def test_damaged_objects() -> None:
    texts = [(FILES / name).read_text("utf-8") for name in ("kinds.yaml", "older.yaml")]
    objects: list[Any] = [obj for text in texts for obj in yaml.safe_load_all(text)]
    stored = {}
    for obj in objects:
        verdict = judge(obj)
        if verdict.is_accepted:
            status = {"status": obj["status"]} if "status" in obj else {}
            stored[obj["kind"], obj["apiVersion"]] = {**verdict.object, **status}
    assert len(stored) > 12
    mutator = Mutator(["a: b\n"], 5)
    refused = 0
    for number in range(NUMBER):
        obj = objects[number % len(objects)]
        holder = [deepcopy(obj)]
        for _ in range(1 + number % 3):
            mutator.damage(holder)
        if not holder or not isinstance(holder[0], dict):
            continue
        damaged = holder[0]
        key = str(damaged.get("kind")), str(damaged.get("apiVersion"))
        before = stored.get(key)
        verdicts = [judge(damaged)]
        if before is not None:
            verdicts.append(judge(damaged, existing=before))
            if damaged["apiVersion"].startswith("kueue.x-k8s.io/"):
                verdicts.append(judge(damaged, existing=before, subresource="status"))
        for verdict in verdicts:
            assert verdict.is_accepted != bool(verdict.message)
            refused += not verdict.is_accepted
            assert all(error.field and error.message for error in verdict.errors)
    assert refused > NUMBER // 10
