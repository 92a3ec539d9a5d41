"""How much memory following takes that goes on and on: a recorded stream, played many times over.

Run ``python benchmarks/follow_memory.py FOLDER [rounds] [decisions]``; it prints figures and
checks nothing. FOLDER is a recording of one cluster (``before/`` and ``stream.jsonl.gz``). In
each round all workloads have other names and uids, as new jobs have; those of the round before
are deleted. With 0 ``decisions`` everything is kept.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from pathlib import Path

from kueuelab.collector import FewFullCollections
from kueuelab.live.kueue_configuration import installed_configuration
from kueuelab.live.mirror import Mirror
from kueuelab.live.record_window import EVERYTHING, LATEST, Keep
from kueuelab.live.recordings import Recording, read_recording
from kueuelab.live.resources import Json
from kueuelab.model import RELEASE
from kueuelab.model.times import SECOND

_MIB = 1024 * 1024


def renamed(obj: Json, number: int, last: dict[str, str]) -> Json:
    """Return an object as it is in a round: its workloads have names and uids of their own."""
    if obj["kind"] != "Workload":
        return obj
    meta = obj["metadata"]
    suffix = f"-{number}"
    last[meta["name"] + suffix] = meta["namespace"]
    text = str(meta.get("uid", ""))
    return _with_uids({**obj, "metadata": {**meta, "name": meta["name"] + suffix}}, text, suffix)


def _with_uids(obj: Json, uid: str, suffix: str) -> Json:
    """Return a workload with another uid, also where messages name that of a preemptor."""
    found: Json = {**obj, "metadata": {**obj["metadata"], "uid": uid + suffix}}
    status = obj.get("status") or {}
    conditions = [
        {**each, "message": each.get("message", "").replace(", JobUID", f"{suffix}, JobUID")}
        for each in status.get("conditions") or ()
    ]
    if status:
        found["status"] = {**status, "conditions": conditions}
    return found


def rounds(recording: Recording, count: int) -> Iterator[tuple[int, float, str, Json]]:
    """Yield each change of all rounds: the round, the seconds, the type and the object."""
    length = recording.changes[-1][0] + 10
    last: dict[str, str] = {}
    for number in range(count):
        at = number * length
        if number:
            for name, namespace in last.items():
                gone = {"kind": "Workload", "metadata": {"name": name, "namespace": namespace}}
                yield number, at, "DELETED", gone
            last.clear()
            for obj in recording.objects:
                kept = {k: v for k, v in obj["metadata"].items() if k != "resourceVersion"}
                yield number, at, "MODIFIED", renamed({**obj, "metadata": kept}, number, last)
        for seconds, type_, obj in recording.changes:
            if type_ != "BOOKMARK":
                yield number, at + seconds, type_, renamed(obj, number, last)


def resident() -> float:
    """Return how much memory this process has now, in MiB."""
    pages = int(Path("/proc/self/statm").read_text("utf-8").split()[1])
    return pages * 4096 / _MIB


def main() -> None:
    """Print the figures."""
    recording = read_recording(Path(sys.argv[1]))
    count = int(sys.argv[2]) if len(sys.argv) > 2 else 50
    keep = LATEST
    if len(sys.argv) > 3:
        keep = Keep(decisions=int(sys.argv[3])) if int(sys.argv[3]) else EVERYTHING
    print(f"{recording.name}, {count} rounds, {keep}; {resident():.0f} MiB before")
    mirror = Mirror(installed_configuration(RELEASE), recording.start, "memory", window=keep)
    last: dict[str, str] = {}
    mirror.load([renamed(obj, 0, last) for obj in recording.objects])
    collector = FewFullCollections()
    began, shown = time.process_time(), 0
    for number, seconds, type_, obj in rounds(recording, count):
        if number != shown:
            shown = number
            if number % 5 == 0 or number == 1:
                _say(mirror, number, time.process_time() - began)
        mirror.feed(recording.start + round(seconds * SECOND), type_, obj)
    mirror.settle()
    _say(mirror, count, time.process_time() - began)
    collector.end()


def _say(mirror: Mirror, number: int, seconds: float) -> None:
    counts = mirror.counts
    share = 100 * counts.differing / max(counts.judged, 1)
    print(
        f"after {number:2} rounds: {resident():4.0f} MiB; {counts.judged} decisions, "
        f"{counts.differing} differ ({share:.2f} %); {len(mirror.decisions)} decisions, "
        f"{len(mirror.trace)} steps and {len(mirror.seen)} workloads kept; {seconds:.0f} s",
        flush=True,
    )


if __name__ == "__main__":
    main()
