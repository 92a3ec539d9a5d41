"""What a move of a quota slider costs in a branch of 500 workloads: the answer of the session.

Run ``python benchmarks/quota_sliders.py [queues]`` (17 ClusterQueues if omitted, of 30 workloads);
it prints figures and checks nothing. The app asks ``tryQuotas`` while a slider moves.
"""

from __future__ import annotations

import statistics
import sys
import time
from io import StringIO

from kueuelab.bench.cluster_dump import DumpShape, write_dump
from kueuelab.session.handler import Handler


def main() -> None:
    """Open a dump, move each slider to some of its stops, and print."""
    shape = DumpShape(queues=int(sys.argv[1]) if len(sys.argv) > 1 else 17)
    stream = StringIO()
    write_dump(shape, stream)
    handler = Handler()
    handler.answer({"do": "open", "name": "dump.yaml", "text": stream.getvalue()})
    rows = handler.answer({"do": "workloads", "phase": "Pending", "count": 1})["rows"]
    workload = rows[0]["workload"]
    sliders = handler.answer({"do": "quotas", "workload": workload})["sliders"]
    wall, cpu = [], []
    for slider in sliders:
        for stop in slider["stops"][:: max(1, len(slider["stops"]) // 5)]:
            value = None if stop["value"] < 0 else stop["text"]
            setting = {"object": slider["object"], "field": slider["field"], "value": value}
            start, used = time.perf_counter(), time.process_time()
            handler.answer({"do": "tryQuotas", "workload": workload, "settings": [setting]})
            wall.append(time.perf_counter() - start)
            cpu.append(time.process_time() - used)
    print(f"{shape.workloads:,} workloads, {len(sliders)} sliders, {len(wall)} moves")
    for name, found in (("processor time", cpu), ("time", wall)):
        late = sorted(found)[int(len(found) * 0.95)]
        print(f"{name}: median {statistics.median(found):.3f} s, 95 % within {late:.3f} s")


if __name__ == "__main__":
    main()
