"""How far behind following is: 1,000 jobs arrive in 20 queues, each change watched and judged.

Run ``python benchmarks/following.py [jobs] [seconds]``; it prints figures and checks nothing. A
lab plays Kueue; every write becomes an event of a watch, in an order that a server can show:
admissions up to 30 ms late, as Kueue writes them beside its next cycles, all else one after
another. First the events are taken as fast as possible, then when they are due. How far behind it
would be with a processor of its own follows from the processor time of each change, whatever else
the machine does meanwhile. Last, workloads that are pending in the middle of it are asked why.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from threading import Event
from typing import Any

from kueuelab.collector import FewFullCollections
from kueuelab.live.api import Listing, WatchEvent
from kueuelab.live.following import Following
from kueuelab.live.mirror import Mirror
from kueuelab.live.resources import KUEUE_GROUP, READ, Json, Resource
from kueuelab.live.why import why
from kueuelab.manifests.encode import encode_object
from kueuelab.model import (
    ClusterQueue,
    ClusterQueuePreemption,
    Configuration,
    Container,
    FlavorQuotas,
    LabelSelector,
    LocalQueue,
    ObjectMeta,
    PodSet,
    PodSpec,
    PodTemplate,
    ResourceFlavor,
    ResourceGroup,
    ResourceQuota,
    ResourceRequirements,
    Workload,
    WorkloadStatus,
)
from kueuelab.model.times import SECOND
from kueuelab.quantity import Quantity
from kueuelab.simulation import Cluster

START = 1_800_000_000 * SECOND
QUEUES, COHORTS = 20, 4
#: How long a write takes at most, in seconds: an admission's, and another one's.
LATEST, LONGEST = 0.03, 0.002
RUNS = 4.0


def objects() -> list[Any]:
    """Return a flavor and the queues: five with 5 cpu each in a cohort."""
    found: list[Any] = [ResourceFlavor(ObjectMeta("default"))]
    quota = ResourceGroup(("cpu",), (FlavorQuotas("default", (ResourceQuota("cpu", 5000),)),))
    preemption = ClusterQueuePreemption(
        within_cluster_queue="LowerPriority", reclaim_within_cohort="Any"
    )
    for number in range(QUEUES):
        found.append(
            ClusterQueue(
                ObjectMeta(f"q{number}", generation=1),
                (quota,),
                cohort_name=f"cohort-{number % COHORTS}",
                namespace_selector=LabelSelector(),
                preemption=preemption,
            )
        )
        found.append(LocalQueue(ObjectMeta(f"q{number}", "team", generation=1), f"q{number}"))
    return found


def workload(number: int, random: Random, at: int) -> Workload:
    """Return one of the arriving workloads."""
    requests = {"cpu": Quantity.parse(str(random.choice((1, 1, 2, 3))))}
    container = Container("main", ResourceRequirements(requests))
    template = PodTemplate(spec=PodSpec(containers=(container,)))
    name = f"job-{number:04}"
    meta = ObjectMeta(name, "team", uid=f"uid-{name}", creation_timestamp=at // SECOND * SECOND)
    priority = random.choice((0, 0, 10, 20))
    queue = f"q{random.randrange(QUEUES)}"
    return Workload(meta, (PodSet(template=template),), queue, priority=priority)


class Recorded:
    """Plays Kueue, and notes what each write would look like in a watch."""

    def __init__(self, jobs: int, seconds: float) -> None:
        self._random = Random(19)
        self._cluster = Cluster(start=START)
        self._cluster.load(objects())
        self._cluster.plane.on_write = self._written
        self._dirty: dict[str, None] = {}
        #: When the last write of those that follow one after another was there, in seconds.
        self._written_at = 0.0
        self._last: dict[str, tuple[float, Any]] = {}
        self.events: list[tuple[float, str, Json]] = []
        self._play(jobs, seconds)
        self.events.sort(key=lambda event: event[0])
        for version, (_, _, body) in enumerate(self.events, 1):
            body["metadata"]["resourceVersion"] = str(version)

    def _written(self, key: str) -> None:
        self._dirty[key] = None

    def _play(self, jobs: int, seconds: float) -> None:
        arrivals = sorted(self._random.uniform(0, seconds) for _ in range(jobs))
        ends: dict[str, int] = {}
        made = 0
        cluster, tick = self._cluster, SECOND // 20
        while made < jobs or ends:
            cluster.advance(tick)
            now = cluster.now
            while made < jobs and arrivals[made] * SECOND <= now - START:
                cluster.create_workload(workload(made, self._random, now))
                made += 1
            self._note()
            for key, due in list(ends.items()):
                if due <= now:
                    del ends[key]
                    cluster.finish(key)
            self._note()
            gone = [key for key in cluster.plane.evicting if self._random.random() < 0.2]
            cluster.complete_evictions(gone)
            self._note()
            for _ in range(3):
                cluster.cycle()
                self._note()
            for key, state in cluster.workloads.items():
                running = state.is_admitted and not state.is_evicted and not state.is_finished
                if running and key not in ends:
                    ends[key] = now + round(RUNS * SECOND)
                elif not running:
                    ends.pop(key, None)

    def _note(self) -> None:
        """Note what the writes since the last time look like, in an order that Kueue writes in.

        A write that something follows from is there before what follows from it. Only
        admissions are written beside the scheduler, which meanwhile goes on.
        """
        at = self._written_at = max(self._written_at, (self._cluster.now - START) / SECOND)
        dirty, self._dirty = self._dirty, {}
        for key in dirty:
            state = self._cluster.workloads[key]
            status = WorkloadStatus(
                conditions=tuple(state.conditions.values()), admission=state.admission
            )
            seen, known = self._last.get(key, (0.0, None))
            if status == known:
                continue
            if known is not None and known.admission is None and status.admission is not None:
                when = at + self._random.uniform(0, LATEST)
            else:
                self._written_at += self._random.uniform(0, LONGEST)
                when = self._written_at
            when = max(seen, when)
            self._last[key] = when, status
            body = encode_object(replace(state.obj, status=status))
            self.events.append((when, "ADDED" if known is None else "MODIFIED", body))


class Server:
    """An API server whose watch of Workloads yields events when they are due.

    What comes of the first ``given`` events is there when it starts.
    """

    context, server_time = "benchmark", START

    def __init__(self, events: list[tuple[float, str, Json]], given: int = 0) -> None:
        self._events, self._began, self._closed = events, time.monotonic(), Event()
        self.given = given

    @property
    def workloads(self) -> dict[str, Json]:
        """The newest version of each Workload, by name."""
        return {body["metadata"]["name"]: body for _, _, body in self._events[: self.given]}

    def get(self, path: str, query: Mapping[str, str] | None = None) -> Json:
        """Return what is served: all kinds, and no Configuration."""
        if path == f"/apis/{KUEUE_GROUP}":
            return {"versions": [{"version": "v1beta2"}]}
        return {"resources": [{"name": each.plural} for each in READ], "data": {}}

    def list(self, resource: Resource, namespace: str = "", query: Any = None) -> Listing:
        """Return the queues, or the Workloads."""
        bodies = [*map(encode_object, objects()), *self.workloads.values()]
        return Listing(tuple(body for body in bodies if body["kind"] == resource.kind), "0")

    def watch(self, resource: Resource, since: str, seconds: int) -> Iterator[WatchEvent]:
        """Yield the changes of Workloads when they are due."""
        if resource.kind != "Workload":
            self._closed.wait()
            return
        for at, type_, body in self._events[self.given :]:
            if self._closed.wait(max(self._began + at - time.monotonic(), 0)):
                return
            self.given += 1
            yield WatchEvent(type_, body)
        self._closed.wait()

    def close(self) -> None:
        """End all watches."""
        self._closed.set()


def flat_out(events: list[tuple[float, str, Json]]) -> None:
    """Take all events at once."""
    mirror = Mirror(Configuration(), START, "benchmark")
    mirror.load([encode_object(each) for each in objects()])
    collector = FewFullCollections()  # as while it follows
    began = time.process_time()
    done = worst = 0.0
    for at, type_, body in events:
        before = time.process_time()
        mirror.feed(START + round(at * SECOND), type_, body)
        # When a processor of its own would be done with it, had it arrived when it was due.
        done = max(done, at) + time.process_time() - before
        worst = max(worst, done - at)
    mirror.settle()
    took = time.process_time() - began
    collector.end()
    differ = sum(not decision.agrees for decision in mirror.decisions)
    each = took / len(events) * 1000
    print(
        f"flat out: {took:.1f} s of a processor for {len(events)} changes, {each:.2f} ms each; "
        f"{len(mirror.decisions)} decisions, {differ} differ; "
        f"with a processor of its own at most {worst:.2f} s behind"
    )


def paced(events: list[tuple[float, str, Json]]) -> None:
    """Take events when they are due, and look again and again how far behind it is."""
    server = Server(events)
    worst, asked = 0.0, 0.0
    with Following(server, background=True) as following:  # type: ignore[arg-type]
        while following.judged < len(events):
            worst = max(worst, following.seconds_behind)
            began = time.perf_counter()
            len(following.trace)
            asked = max(asked, time.perf_counter() - began)
            time.sleep(0.05)
        print(
            f"when due: at most {worst:.2f} s behind, .trace returns within {asked * 1000:.0f} ms; "
            f"{following!r}"
        )


def asked(events: list[tuple[float, str, Json]], times: int = 3) -> None:
    """Ask why workloads are pending, among all those that came in the first half."""
    server = Server(events, len(events) // 2)
    server.server_time = START + round(events[server.given][0] * SECOND)
    there = server.workloads
    pending = [name for name, body in there.items() if "admission" not in body.get("status", {})]
    for name in pending[:: max(1, len(pending) // times)][:times]:
        began = time.process_time()
        answer = why(server, f"team/{name}")  # type: ignore[arg-type]
        took = time.process_time() - began
        print(f"why: {took:.2f} s of a processor for {name}; {len(there)} Workloads are there")
        print(f"    {str(answer).splitlines()[0]}")


def main() -> None:
    """Print the figures."""
    jobs = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 50.0
    events = Recorded(jobs, seconds).events
    print(f"{jobs} jobs within {seconds:g} s: {len(events)} changes in {events[-1][0]:.0f} s")
    flat_out(events)
    paced(events)
    asked(events)


if __name__ == "__main__":
    main()
