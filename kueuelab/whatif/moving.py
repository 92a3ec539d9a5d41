"""A workload that is moved: stopped and submitted again, it leaves a domain to another one."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Final

from kueuelab.manifests.scenario import Delete, Submit
from kueuelab.model import WorkloadStatus
from kueuelab.whatif.change_sets import ChangeSet, change_set_of
from kueuelab.whatif.evaluator import Evaluator
from kueuelab.whatif.freed_domains import those_that_free_a_domain
from kueuelab.whatif.proposals import adjustment
from kueuelab.whatif.subject import Subject
from kueuelab.workload import WorkloadState

__all__ = ["moving"]

#: How many workloads are tried, and how many are reported.
_TRIED: Final = 6
_REPORTED: Final = 2


def moving(subject: Subject, judge: Evaluator) -> Iterator[ChangeSet]:
    """Yield workloads that free a domain and find another place at once, the smallest first.

    Kueue does not move pods. A workload that is submitted again queues behind the one that waits.
    """
    plans = (_plan(subject, state) for state in those_that_free_a_domain(subject)[:_TRIED])
    good = (plan for plan in plans if judge.helps(plan) and not judge.trial(plan).pending)
    yield from islice(good, _REPORTED)


def _plan(subject: Subject, state: WorkloadState) -> ChangeSet:
    written = subject.cluster.plane.written(state)
    name = f"{written.name}-again"
    meta = replace(written.metadata, name=name, uid="", creation_timestamp=None)
    again = replace(written, metadata=meta, status=WorkloadStatus())
    changes = Delete(state.key), Submit((again,))
    queues = (state.cluster_queue,)
    return change_set_of(adjustment("move", *changes, queues=queues, workload=state.key))
