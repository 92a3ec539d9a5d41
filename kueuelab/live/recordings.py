"""Runs of scenarios on a cluster that were recorded: manifests before, and a watch stream."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Final

import yaml

from kueuelab.live.errors import LiveError
from kueuelab.live.mirror import Mirror
from kueuelab.live.playing import Played
from kueuelab.manifests import load_scenario
from kueuelab.model.times import parse_time

__all__ = ["is_recording", "played_from"]

_STREAM: Final = "stream.jsonl.gz"


def is_recording(path: Path) -> bool:
    """Tell whether a folder holds a recorded run."""
    return (path / _STREAM).is_file()


def played_from(path: Path, *, keep: bool = False) -> Played:
    """Replay a recorded run: ``scenario.yaml``, ``before/`` and the watch stream.

    Parameters
    ----------
    path
        The folder.
    keep
        Whether to keep what each decision was made from.

    Raises
    ------
    LiveError
        If it cannot be read.
    """
    spec = load_scenario(path / "scenario.yaml")
    try:
        objects = [
            obj
            for file in sorted((path / "before").glob("*.yaml"))
            for obj in yaml.safe_load(file.read_text("utf-8"))["items"]
        ]
        with gzip.open(path / _STREAM, "rt", encoding="utf-8") as stream:
            lines = [json.loads(line) for line in stream]
        first = next(line["object"] for line in lines if line["resource"] == "jobs")
        start = parse_time(first["metadata"]["creationTimestamp"])
    except (OSError, EOFError, ValueError, LookupError, StopIteration, yaml.YAMLError) as error:
        raise LiveError(f"the recording {path} cannot be read: {error}", "config") from error
    mirror = Mirror(spec.configuration, start, path.name, keep=keep)
    mirror.load(objects)
    for line in lines:
        mirror.feed(start + round(line["t"] * 1_000_000_000), line["type"], line["object"])
    mirror.settle()
    return Played(spec, {"": mirror})
