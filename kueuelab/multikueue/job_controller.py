"""Kubernetes' own Job controller, and the pods of jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from kueuelab.model.times import to_seconds
from kueuelab.multikueue.jobs import Job, JobStatus, Pod
from kueuelab.multikueue.nodes import has_nodes, room_for
from kueuelab.multikueue.workqueue import WorkQueue

if TYPE_CHECKING:
    from kueuelab.multikueue.member_cluster import MemberCluster

__all__ = ["JobController"]

_NEVER: Final = 2**63
_ITSELF: Final = ("", "kubernetes.io/job-controller")


class JobController:
    """Starts and counts the pods of jobs that aren't suspended. Collects changes of pods."""

    __slots__ = ("_member", "queue")

    def __init__(self, member: MemberCluster) -> None:
        self._member = member
        self.queue = WorkQueue(
            member.loop, member.timing, member.timing.kubernetes, self._sync, keeps_delayed=True
        )

    def _sync(self, key: str) -> None:
        job = self._member.jobs.get(key)
        if job is None or not self._is_local(job) or job.status.end is not None:
            return
        if job.suspend:
            self._stop(job)
        else:
            self._run(job)

    def _is_local(self, job: Job) -> bool:
        if job.pods_are_jobs or (job.waits_in_pods and self._stays_gated(job)):
            return False
        support = job.kind.multikueue
        default = support.default_controller if support is not None else None
        return job.managed_by in _ITSELF or job.managed_by == default

    def _stays_gated(self, job: Job) -> bool:
        workloads, runs_on_worker = self._member.workloads, self._member.integration.runs_on_worker
        states = [workloads[key] for key in job.workload_keys if key in workloads]
        return any(runs_on_worker(job, state) for state in states)

    def _stop(self, job: Job) -> None:
        now = self._member.loop.now
        alive = [pod for pod in job.pods if pod.is_alive(now)]
        if alive:
            self._delete(job, alive)
            self.queue.add_after(job.key, self._member.timing.job_batch)
            return
        job.pods = [pod for pod in job.pods if pod.is_going(now)]
        status = job.status._replace(active=0, ready=0, terminating=len(job.pods))
        if not status.has("Suspended"):
            status = status.with_condition(
                "Suspended", "True", "JobSuspended", "Job suspended", self._member.now
            )
        self._write(job, status)
        self._offer_nodes()

    def _delete(self, job: Job, pods: list[Pod]) -> None:
        """Delete pods; the controller handles that like any change of pods."""
        timing, loop = self._member.timing, self._member.loop
        grace = job.plan.termination
        gone_at = loop.now + (timing.pod_gone if grace is None else grace)
        for pod in pods:
            pod.gone_at = gone_at
        self._notice_at(job, gone_at)

    def _notice_at(self, job: Job, when: int) -> None:
        batch = self._member.timing.job_batch
        self._member.loop.at(when, lambda: self.queue.add_after(job.key, batch))

    def _run(self, job: Job) -> None:
        now, stamp = self._member.loop.now, self._member.now
        status = job.status
        if status.start_time is None:
            status = status._replace(start_time=stamp)
            if "Suspended" in status.conditions:
                status = status.with_condition(
                    "Suspended", "False", "JobResumed", "Job resumed", stamp
                )
        over = [pod for pod in job.pods if pod.is_over(now)]
        going = [pod for pod in job.pods if pod.is_going(now)]
        alive = [pod for pod in job.pods if pod.has_node and pod.is_alive(now)]
        job.pods = [*alive, *going]
        failed = status.failed + (len(over) if job.plan.exit_code else 0)
        if failed > status.failed:
            job.failed_at = max(to_seconds(pod.ends_at or 0) for pod in over)
        succeeded = status.succeeded + (0 if job.plan.exit_code else len(over))
        if failed > job.backoff_limit:
            self._end(job, status, succeeded, failed, complete=False)
        elif succeeded >= job.completions:
            self._end(job, status, succeeded, failed, complete=True)
        else:
            missing = min(job.parallelism, job.completions - succeeded) - len(alive)
            if missing > 0 and self._may_replace(job, failed):
                self._start_pods(job, missing)
            alive = [pod for pod in job.pods if pod.is_alive(now)]
            ready = sum(pod.ready_at <= now for pod in alive)
            status = status._replace(active=len(alive), ready=ready, terminating=len(going))
            self._write(job, status)
            self._write(job, job.status._replace(succeeded=succeeded, failed=failed))

    def _may_replace(self, job: Job, failed: int) -> bool:
        """Tell whether the back-off after failed pods is over; reconcile again when it is."""
        if not failed:
            return True
        due = job.failed_at + self._member.timing.pod_backoff_after(failed)
        if due <= self._member.loop.now:
            return True
        self._member.loop.at(due, lambda: self.queue.add(job.key))
        return False

    def _start_pods(self, job: Job, missing: int) -> None:
        ready_at = self._member.loop.now + self._member.timing.pod_ready
        run = None if job.never_ends else job.plan.run
        ends_at = None if run is None else ready_at + run
        fitting = min(missing, room_for(self._member, job))
        job.pods += [Pod(ready_at, ends_at) for _ in range(fitting)]
        # The other pods wait for a node.
        job.pods += [Pod(_NEVER, None, has_node=False) for _ in range(missing - fitting)]
        self._notice_at(job, ready_at)
        if ends_at is not None:
            self._notice_at(job, ends_at)

    def _end(
        self, job: Job, status: JobStatus, succeeded: int, failed: int, *, complete: bool
    ) -> None:
        """Write the condition that announces the end of the job, then the final one."""
        stamp = self._member.now
        job.pods = []
        self._offer_nodes()
        first, last = (
            ("SuccessCriteriaMet", "Complete") if complete else ("FailureTarget", "Failed")
        )
        reason = "CompletionsReached" if complete else "BackoffLimitExceeded"
        message = (
            "Reached expected number of succeeded pods"
            if complete
            else "Job has reached the specified backoff limit"
        )
        status = status._replace(active=0, ready=0, terminating=0)
        self._write(job, status.with_condition(first, "True", reason, message, stamp))
        status = job.status._replace(succeeded=succeeded, failed=failed)
        if complete:
            status = status._replace(completion_time=stamp)
        self._write(job, status.with_condition(last, "True", reason, message, stamp))

    def _offer_nodes(self) -> None:
        """Reconcile the jobs whose pods wait for a node."""
        if has_nodes(self._member):
            for other in self._member.jobs.values():
                if not all(pod.has_node for pod in other.pods):
                    self.queue.add(other.key)

    def _write(self, job: Job, status: JobStatus) -> None:
        if status != job.status:
            self._member.write_job(job, status=status)

    def finish(self, job: Job) -> bool:
        """Let the running pods succeed now; tell whether there were any."""
        now = self._member.loop.now
        alive = [pod for pod in job.pods if pod.is_alive(now)]
        for pod in alive:
            pod.ends_at = now
        if alive:
            self._notice_at(job, now)
        return bool(alive)
