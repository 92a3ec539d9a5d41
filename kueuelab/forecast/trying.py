"""`try_job`: what would happen if jobs were submitted."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from kueuelab.errors import InputError, Problem
from kueuelab.forecast.answer import Answer, JobAnswer
from kueuelab.forecast.baseline import Baseline
from kueuelab.forecast.distributions import read_runs
from kueuelab.forecast.instead import instead
from kueuelab.forecast.now import Watch
from kueuelab.forecast.related import MOST_WHOLE, related_part
from kueuelab.forecast.run_times import RunTimes
from kueuelab.forecast.submission import read_submission
from kueuelab.forecast.when import DEFAULT_SEEDS, MOST_COMPARED, Forecaster
from kueuelab.manifests import load_scenario
from kueuelab.manifests.result import cautions
from kueuelab.manifests.scenario import Delete
from kueuelab.messages import Catalog, Message, language_of, separated
from kueuelab.whatif.copies import Copies
from kueuelab.whatif.lab import Lab

__all__ = ["try_job"]


def try_job(
    jobs: Any,
    on: Any,
    *,
    at: float | str | None = None,
    runs: str | None = None,
    seeds: int = DEFAULT_SEEDS,
    when: bool = True,
    changes: bool = True,
    replaces: str = "",
    name: str = "",
    progress: Callable[[], object] | None = None,
    language: str | Catalog = "en",
) -> Answer:
    """Say what would happen if jobs were submitted; nothing is submitted anywhere.

    Parameters
    ----------
    jobs
        Manifests of any kind that Kueue manages: a file, YAML or JSON text, parsed documents.
    on
        The cluster: a dump or a scenario (a file, text, or a :class:`~kueuelab.whatif.lab.Lab`), or
        a :class:`~kueuelab.forecast.Baseline`, which serves once.
    at
        When, after the start of a scenario or a dump (``"90s"``); by default one second after the
        last action of the timeline.
    runs
        How long jobs run that say nothing of it: ``2h``, or ``30m..4h`` for nine of ten.
    seeds
        How many runs a forecast is made from.
    when
        Whether to forecast when pending jobs start.
    changes
        Whether to search changes of a pending job by which it would be admitted.
    replaces
        A workload that is deleted first (``namespace/name``): the jobs are tried in its place.
    name
        What to call a text that has no name, in problems.
    progress
        Called after each change of a job that was simulated.
    language
        The language of the reasons: a code, or a catalogue of sentences.

    Raises
    ------
    InputError
        If there is no job in the manifests, or the cluster cannot be read.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> job = '''
    ... apiVersion: batch/v1
    ... kind: Job
    ... metadata: {name: train, labels: {kueue.x-k8s.io/queue-name: team-b-jobs}}
    ... spec:
    ...   template:
    ...     spec:
    ...       restartPolicy: Never
    ...       containers: [{name: main, image: train, resources: {requests: {cpu: 200m}}}]
    ... '''
    >>> print(try_job(job, scenarios.load("reclaim-1-take-back")))
    Job/default/train (LocalQueue team-b-jobs, priority 0)
    Now: admitted at once by ClusterQueue team-b: main (1 pod: cpu/default).
    """
    words = language_of(language)
    expected = None if runs is None else read_runs(runs)
    baseline = on if isinstance(on, Baseline) else Baseline(_lab_of(on), at)
    cluster = baseline.player.cluster
    submission = read_submission(jobs, cluster, cluster.configuration, name=name)
    if not submission.workloads and not submission.problems:
        left_out = cautions(submission.notes)
        hint = separated(left_out) if left_out else Message("forecast.no-job.hint")
        raise InputError(Problem(Message("forecast.no-job"), hint=hint))
    watch = Watch(baseline)
    compares = when and len(cluster.workloads) <= MOST_COMPARED
    before = Copies(baseline.player) if compares else None
    actions = (*((Delete(replaces),) if replaces else ()), *submission.actions)
    baseline.submit(actions)
    jobs_now = [watch.now(each, words) for each in submission.workloads]
    own = [now.workload for now in jobs_now]
    answer = Answer(
        tuple(map(JobAnswer, jobs_now)),
        submission.problems,
        submission.notes,
        watch.displaced(),
        watch.also_admitted(own),
        loop=() if baseline.loop is None else baseline.loop.workloads,
    )
    if when:
        run_times = RunTimes(baseline, submission, expected)
        large = len(cluster.workloads) > MOST_WHOLE
        part = related_part(baseline, actions, answer.pending) if large and answer.pending else None
        forecaster = Forecaster(baseline, run_times, seeds, before, part)
        forecasts = forecaster.forecasts(answer.pending)
        preempted = (each.workload for each in answer.displaced)
        answer = replace(
            answer,
            jobs=tuple(replace(j, forecast=forecasts.get(j.now.workload)) for j in answer.jobs),
            delays=forecaster.delays(own, preempted),
        )
    if changes:
        found = {key: instead(baseline.player, key, progress) for key in answer.pending}
        answer = replace(
            answer,
            jobs=tuple(replace(j, instead=found.get(j.now.workload)) for j in answer.jobs),
        )
    return answer


def _lab_of(source: Any) -> Lab:
    return source if isinstance(source, Lab) else Lab(load_scenario(source))
