"""Runs of scenarios on a cluster that were recorded: manifests before, and a watch stream."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final

import yaml

from kueuelab.files import read_bytes, reading
from kueuelab.live.errors import LiveError
from kueuelab.live.mirror import Mirror
from kueuelab.live.playing import PlayedScenario
from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.messages import Message
from kueuelab.model import Configuration
from kueuelab.model.times import parse_time

__all__ = ["is_recording", "played_from", "scenario_of"]

_STREAM: Final = "stream.jsonl.gz"
#: What a file can raise that is damaged, or something else.
_UNREADABLE: Final = (
    *(OSError, EOFError, ValueError, LookupError, StopIteration, TypeError),
    *(RecursionError, yaml.YAMLError),
)


def is_recording(path: Path) -> bool:
    """Tell whether a folder holds a recorded run."""
    return bool(_folders(path))


def _folders(path: Path) -> dict[str, Path]:
    """Return the folder of each cluster, by its name in the scenario; ``""`` is the manager."""
    if (path / _STREAM).is_file():
        return {"": path}
    if not (path / "manager" / _STREAM).is_file():
        return {}
    workers = sorted(file.parent for file in path.glob(f"*/{_STREAM}"))
    return {"": path / "manager"} | {w.name: w for w in workers if w.name != "manager"}


def scenario_of(path: Path) -> ScenarioSpec:
    """Return the scenario of a recorded run."""
    return load_scenario(path / "scenario.yaml")


def played_from(path: Path, *, keep: bool = False) -> PlayedScenario:
    """Replay a recorded run: ``scenario.yaml``, ``before/`` and the watch stream.

    Parameters
    ----------
    path
        The folder; with several clusters it has a folder for each, named as in the scenario,
        and ``manager``.
    keep
        Whether to keep what each decision was made from.

    Raises
    ------
    LiveError
        If it cannot be read.
    """
    spec = scenario_of(path)
    configurations = {worker.name: worker.configuration for worker in spec.workers}
    folders = _folders(path) or {"": path}
    return PlayedScenario(
        spec,
        {
            name: _mirror(folder, configurations.get(name, spec.configuration), path.name, keep)
            for name, folder in folders.items()
        },
    )


def _mirror(path: Path, configuration: Configuration, name: str, keep: bool) -> Mirror:
    try:
        objects = [
            obj
            for file in sorted((path / "before").glob("*.yaml"))
            for obj in yaml.safe_load(read_bytes(file))["items"]
        ]
        with reading(path / _STREAM) as stream:
            lines = [json.loads(line) for line in stream]
        first = next(line["object"] for line in lines if line["resource"] == "jobs")
        start = parse_time(first["metadata"]["creationTimestamp"])
    except _UNREADABLE as error:
        # What follows the first line repeats the file.
        line = (str(error).splitlines() or [""])[0]
        raise LiveError(
            Message("live.recording.unreadable", path=path, line=line), "config"
        ) from error
    mirror = Mirror(configuration, start, name, keep=keep)
    mirror.load(objects)
    for line in lines:
        mirror.feed(start + round(line["t"] * 1_000_000_000), line["type"], line["object"])
    mirror.settle()
    return mirror
