"""Manifests that are to be submitted, judged and converted as a cluster would do it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from kueuelab.errors import Problem
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.manifests.result import Note
from kueuelab.manifests.scenario import Action, Apply, Submit
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.messages import Message
from kueuelab.model import Configuration, ModelObject, Workload

if TYPE_CHECKING:
    from kueuelab.simulation import Cluster

__all__ = ["Submission", "read_submission"]


@dataclass(frozen=True, slots=True)
class Submission:
    """What would be submitted, and what the API server would refuse of it.

    Attributes
    ----------
    objects
        Objects other than jobs, which are applied first.
    workloads
        The Workloads of the jobs that are accepted.
    runs
        How long a workload runs, in nanoseconds, where its job is a demonstration that sleeps.
    expected
        How long it is expected to run, as the annotation of its job says.
    deadlines
        After how long a job is ended at the latest, in nanoseconds, where it says so.
    problems
        What is refused, each with its place and a hint.
    notes
        What was converted, left out or read otherwise.
    """

    objects: tuple[ModelObject, ...] = ()
    workloads: tuple[Workload, ...] = ()
    runs: Mapping[str, int] = field(default_factory=dict)
    expected: Mapping[str, int] = field(default_factory=dict)
    deadlines: Mapping[str, int] = field(default_factory=dict)
    problems: tuple[Problem, ...] = ()
    notes: tuple[Note, ...] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """What submitting does to a cluster."""
        applied = (Apply(self.objects),) if self.objects else ()
        submits = (Submit((each,), self.runs.get(each.key)) for each in self.workloads)
        return (*applied, *submits)


def read_submission(
    source: Any, cluster: Cluster, configuration: Configuration, *, name: str = ""
) -> Submission:
    """Read manifests against a cluster.

    Parameters
    ----------
    source
        Anything that :func:`kueuelab.manifests.load` takes.
    cluster
        What there is already.
    configuration
        How jobs become Workloads there.
    name
        What to call a text that has no name, in problems.

    Examples
    --------
    >>> from kueuelab.simulation import Cluster
    >>> job = '''
    ... apiVersion: batch/v1
    ... kind: Job
    ... metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: team-a}}
    ... spec: {parallelism: -1, template: {spec: {restartPolicy: Never, containers: []}}}
    ... '''
    >>> found = read_submission(job, Cluster(), Configuration())
    >>> [problem.field for problem in found.problems]
    ['spec.parallelism', 'spec.template.spec.containers']
    """
    loader = Loader(configuration=configuration, served_only=True)
    unreadable: list[Problem] = []
    loader.add_documents(list(documents_of(source, unreadable, name=name)))
    loader.add_problems(unreadable)
    for item in loader.scenarios:
        text = Message("forecast.submission.scenario")
        hint = Message("forecast.submission.scenario.hint")
        loader.findings.add(item, Mistake(("kind",), text, hint))
    present = tuple(cluster.objects)
    manifests = loader.collect(present, strict=True)
    loader.summarise(present)
    problems, notes = loader.findings.results()
    clashing = tuple(_clashes(manifests.workloads, cluster))
    return Submission(
        tuple(obj for obj in manifests if not isinstance(obj, Workload)),
        tuple(each for each in manifests.workloads if each.key not in dict(clashing)),
        manifests.runs,
        manifests.expected_runs,
        manifests.deadlines,
        (*problems, *(problem for _, problem in clashing)),
        notes,
    )


def _clashes(workloads: Iterable[Workload], cluster: Cluster) -> Iterable[tuple[str, Problem]]:
    """Yield the workloads that are there already, by their own name or by their job."""
    submitted = list(workloads)
    if not submitted:
        return
    owners = {each for state in cluster.workloads.values() for each in _owners(state.obj)}
    for each in submitted:
        if each.key not in cluster.workloads and not owners.intersection(_owners(each)):
            continue
        kind, namespace, name = next(iter(_owners(each)), ("Workload", *each.key.split("/")))
        message = Message("forecast.submission.exists")
        hint = Message("forecast.submission.exists.hint")
        yield each.key, Problem(message, f"{kind}/{namespace}/{name}", "metadata.name", hint=hint)


def _owners(workload: Workload) -> tuple[tuple[str, str, str], ...]:
    meta = workload.metadata
    return tuple((owner.kind, meta.namespace, owner.name) for owner in meta.owner_references)
