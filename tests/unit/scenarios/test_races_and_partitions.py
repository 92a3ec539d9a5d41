"""The scenarios about variants that race, and about partitions of devices."""

from __future__ import annotations

from kueuelab import scenarios
from kueuelab.views import Document
from kueuelab.views.frame.text import picture_text


def test_a_workload_migrates_to_preferred_flavors() -> None:
    run = scenarios.load("concurrent-race").run()
    assert run.passed
    rows = [row for row in str(run.timeline).splitlines() if "train-variant" in row]
    admitted = [row.partition("cpu/")[2].rstrip(")") for row in rows if "admitted by" in row]
    assert admitted == ["spot", "on-demand", "reserved"]
    assert "variant of default/train for flavor spot" in "".join(rows)


def test_partitions_count_by_their_memory_and_are_printed_as_bytes() -> None:
    run = scenarios.load("devices-partitions").run()
    assert run.passed
    step = next(
        index
        for index in run.trace.of_kind("Pending")
        if run.trace[index].workload.endswith("whole")
    )
    assert "insufficient unused quota for gpu-memory in flavor default, 40Gi more needed" in str(
        run.trace[step].facts
    )
    said = run.why("whole", at=step).as_text()
    assert "gpu-memory in flavor default: 40Gi requested, team uses 40Gi of 40Gi nominal" in said
    picture = picture_text(Document(run).frame(step))
    assert "default/gpu-memory, 40Gi of 40Gi used" in picture
