"""How long things take: batching and back-off as in Kueue, latencies as on small clusters.

What Kueue and Kubernetes fix (batches of a second, back-off) is fixed here too. The latencies
are not measured, but have the order that they have on a cluster.
"""

from __future__ import annotations

from dataclasses import dataclass

from kueuelab.model.times import MILLISECOND, SECOND

__all__ = ["Timing"]


@dataclass(frozen=True, slots=True)
class Timing:
    """Durations in nanoseconds.

    Attributes
    ----------
    multikueue, workload, scheduler, job, kubernetes, dispatcher
        Until a controller reconciles a key that was queued.
    remote_call, read
        One request to a worker's API server, and reading all copies of a workload.
    informer, watch
        Until a controller sees what another one wrote, here or on a worker.
    connect
        Until a connection to a worker is up.
    restart
        Until a restarted Kueue does something.
    batch
        Changes on a worker are gathered that long, and so are changes of checks.
    wake
        Freed quota is offered again after that time.
    job_batch
        Kubernetes gathers changes of pods that long.
    slow_start
        What a worker takes to look at a job when it is slow to.
    pod_ready, pod_gone
        What a pod takes to become ready, and to go.
    deferred_sync
        When a job's status is asked for again that couldn't be written yet.
    round, single_cluster_preemption
        Of the incremental dispatcher, and of orchestrated preemption.
    retry_first, retry_last
        Back-off after failed reconciliations.
    reconnect_step, reconnect_steps
        Back-off of connection attempts: twice as long each time, so many times.
    since_collection
        How long before the start garbage was collected last.
    pod_backoff, pod_backoff_last
        Until a failed pod of a Job is replaced: twice as long after each failure, up to a limit.
    """

    multikueue: int = 4 * MILLISECOND
    dispatcher: int = 6 * MILLISECOND
    workload: int = 13 * MILLISECOND
    scheduler: int = 10 * MILLISECOND
    kubernetes: int = 10 * MILLISECOND
    job: int = 16 * MILLISECOND
    remote_call: int = 40 * MILLISECOND
    read: int = 10 * MILLISECOND
    informer: int = 6 * MILLISECOND
    watch: int = 80 * MILLISECOND
    connect: int = 150 * MILLISECOND
    restart: int = 300 * MILLISECOND
    batch: int = SECOND
    wake: int = SECOND
    job_batch: int = SECOND
    slow_start: int = 90 * MILLISECOND
    pod_ready: int = 200 * MILLISECOND
    pod_gone: int = 300 * MILLISECOND
    deferred_sync: int = 2 * SECOND
    round: int = 300 * SECOND
    single_cluster_preemption: int = 300 * SECOND
    retry_first: int = 5 * MILLISECOND
    retry_last: int = 1000 * SECOND
    reconnect_step: int = 5 * SECOND
    reconnect_steps: int = 7
    since_collection: int = 0
    pod_backoff: int = 10 * SECOND
    pod_backoff_last: int = 600 * SECOND

    def reconnect_after(self, failed: int) -> int:
        """Return how long to wait after so many failed attempts.

        Examples
        --------
        >>> [Timing().reconnect_after(n) // SECOND for n in (1, 2, 3)]
        [5, 10, 20]
        """
        return self.reconnect_step << (min(failed, self.reconnect_steps) - 1)

    def retry_after(self, failed: int) -> int:
        """Return how long to wait before a reconciliation that failed so often."""
        return min(self.retry_first << min(failed - 1, 40), self.retry_last)

    def pod_backoff_after(self, failed: int) -> int:
        """Return how long after the last of so many failures a Job's next pod is created.

        Examples
        --------
        >>> [Timing().pod_backoff_after(n) // SECOND for n in (1, 2, 3, 9)]
        [10, 20, 40, 600]
        """
        return min(self.pod_backoff << min(failed - 1, 40), self.pod_backoff_last)
