"""What would happen if jobs were submitted, for a page; and branches in which they are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from math import inf
from types import MappingProxyType
from typing import Final

from kueuelab.errors import InputError, Problem
from kueuelab.forecast import Answer, Baseline, JobAnswer, try_job
from kueuelab.forecast.instead import Instead
from kueuelab.forecast.submission import read_submission
from kueuelab.forecast.when import Forecast
from kueuelab.forecast.when_text import about, delay_text, forecast_lines
from kueuelab.manifests.result import cautions
from kueuelab.manifests.scenario import Delete, Submit
from kueuelab.messages import Message
from kueuelab.model import Workload, WorkloadPriorityClass
from kueuelab.model.times import SECOND, format_duration
from kueuelab.session.answers import CostItem, CostPart, Trouble
from kueuelab.session.failures import failure_of
from kueuelab.session.job_form import (
    covered_resources,
    form_of,
    local_queues,
    manifests_of,
    new_form,
)
from kueuelab.session.job_messages import (
    Alternative,
    FormOf,
    JobForm,
    JobTrial,
    KeepJob,
    Start,
    TrialForm,
    TriedJob,
    TryJob,
    When,
)
from kueuelab.session.run_facts import RunFacts
from kueuelab.trace.wording import MessageParts, amount_text, span_text
from kueuelab.whatif.changes import Change, Edit, change_text
from kueuelab.whatif.fields import edited
from kueuelab.whatif.fork import Fork

__all__ = ["fork_with_jobs", "job_trial", "trial_form"]

#: What a text that was pasted is called.
_NAME: Final = "job.yaml"
_MOST_ITEMS: Final = 6
_MOST_SHOWN: Final = 6
_PERCENT: Final = (5, 10, 25, 50, 75, 90, 95)
_TONES: Final = MappingProxyType({"admitted": "ok", "reserved": "warn", "pending": "warn"})


def trial_form(facts: RunFacts, command: FormOf) -> TrialForm:
    """Return what the form of a job begins with."""
    run, words = facts.lab_run, facts.words
    objects = run.fork().objects()
    queues, resources = local_queues(objects), covered_resources(objects)
    workload = _workload(facts, command.workload)
    form: JobForm | None
    if workload is None:
        form = new_form(queues, resources, run.cluster.workloads)
        text = manifests_of(form, ()) if queues else ""
    else:
        form = form_of(workload, run.cluster.workloads)
        text = "" if form is None else manifests_of(form, (), workload)
    return TrialForm(
        form,
        text,
        queues,
        resources,
        words.text("session.job.moment.default"),
        "" if queues else words.text("session.job.no-queues"),
    )


def job_trial(facts: RunFacts, command: TryJob) -> JobTrial:
    """Return what would happen if jobs were submitted where a branch stands.

    Raises
    ------
    InputError
        If there is no job, or it cannot be read.
    """
    words = facts.words
    with facts.baselines(command.at).lend() as baseline:
        text, replaced = _text(facts, command, baseline)
        moment = format_duration(baseline.age)
        answer = try_job(
            f"{text}\n",
            baseline,
            runs=command.runs or None,
            when=not command.now,
            changes=not command.now,
            replaces=replaced,
            name=_NAME,
            language=words,
        )
    return JobTrial(
        verdict=answer.verdict,
        text=text,
        moment=words.text("session.job.moment", time=moment),
        jobs=tuple(_tried(facts, each) for each in answer.jobs),
        problems=_problems(facts, answer),
        others=tuple(part for part in _others(facts, answer) if part.count),
        notes=tuple(_notes(facts, answer)),
        whole=not command.now,
    )


def fork_with_jobs(facts: RunFacts, command: KeepJob) -> tuple[Fork, str]:
    """Return a fork in which jobs are submitted, and the name of the first of them.

    Raises
    ------
    InputError
        If the API server would refuse one, there is none, or there is no such alternative.
    """
    with facts.baselines(command.at).lend() as baseline:
        text, replaced = _text(facts, command, baseline)
        age, cluster = baseline.age, baseline.player.cluster
        submission = read_submission(f"{text}\n", cluster, cluster.configuration, name=_NAME)
        if submission.problems:
            raise InputError(submission.problems)
        if not submission.workloads:
            raise InputError(
                Problem(Message("forecast.no-job"), hint=Message("forecast.no-job.hint"))
            )
        changed: dict[str, Workload] = {}
        later: list[Change] = []
        if command.change >= 0:
            for change in _alternative(facts, command, baseline, text, replaced):
                key = change.object.key if isinstance(change, Edit) else ""
                written = next((each for each in submission.workloads if each.key == key), None)
                if isinstance(change, Edit) and written is not None:
                    new = edited(changed.get(key, written), change.values)
                    assert isinstance(new, Workload)
                    changed[key] = new
                else:
                    later.append(change)
    fork = facts.lab_run.fork(format_duration(age))
    if replaced:
        fork = fork.change(Delete(replaced))
    for action in submission.actions:
        if not isinstance(action, Submit):
            fork = fork.change(action)
            continue
        [workload] = action.workloads
        runs = action.runs or submission.expected.get(workload.key)
        fork = fork.change(Submit((changed.get(workload.key, workload),), runs))
    meta = submission.workloads[0].metadata
    owner = next(iter(meta.owner_references), meta)
    return fork.change(*later), owner.name


def _alternative(
    facts: RunFacts, command: KeepJob, baseline: Baseline, text: str, replaced: str
) -> tuple[Change, ...]:
    """Return the changes of an alternative."""
    answer = try_job(
        f"{text}\n", baseline, when=False, replaces=replaced, name=_NAME, language=facts.words
    )
    jobs = answer.jobs
    found = jobs[command.job].instead if 0 <= command.job < len(jobs) else None
    suggestions = () if found is None else found.suggestions
    if command.change >= len(suggestions):
        raise InputError(Problem(Message("session.job.no-alternative", number=command.change)))
    return suggestions[command.change].changes


# --- what is tried ------------------------------------------------------------------------


def _workload(facts: RunFacts, name: str) -> Workload | None:
    if not name:
        return None
    return facts.run.cluster.workload(facts.run.key_of(name)).obj


def _text(facts: RunFacts, command: TryJob | KeepJob, baseline: Baseline) -> tuple[str, str]:
    """Return the manifests that a command means, and the workload in whose place they are tried."""
    workload = _workload(facts, command.workload)
    replaced = "" if workload is None else workload.key
    cluster = baseline.player.cluster
    if replaced not in cluster.workloads:
        replaced = ""
    if command.form is None:
        return command.text, replaced
    classes = cluster.objects.of_kind(WorkloadPriorityClass)
    return manifests_of(command.form, classes, workload), replaced


# --- the answer ---------------------------------------------------------------------------


def _tried(facts: RunFacts, job: JobAnswer) -> TriedJob:
    words, now = facts.words, job.now
    parts = MessageParts(words)
    alternatives = tuple(_alternatives(facts, job.instead))
    note = ""
    if job.instead is not None:
        form = "session.levers.tried" if alternatives else "session.job.instead.none"
        note = words.text(form, count=job.instead.report.tried)
    return TriedJob(
        workload=now.workload,
        name=now.job,
        about=words.text("session.job.about", queue=now.local_queue, priority=now.priority),
        outcome=now.outcome,
        outcome_text=words.text(f"session.job.{now.outcome}"),
        tone=_TONES[now.outcome],
        now=tuple(_sentence(each) for each in now.lines(parts)),
        when=None if job.forecast is None else _when(job.forecast, parts),
        instead=alternatives,
        instead_note=note,
    )


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def _when(forecast: Forecast, parts: MessageParts) -> When:
    first, *basis = forecast_lines(forecast, parts, hint=False)
    unknown = not basis
    starts = [] if not forecast.is_random or unknown else [_start(forecast, p) for p in _PERCENT]
    known = any(each.seconds is not None for each in starts)
    return When(_sentence(first), tuple(basis), tuple(starts) if known else (), unknown)


def _start(forecast: Forecast, percent: int) -> Start:
    time = forecast.within(percent / 100)
    return Start(percent, None, "") if time == inf else Start(percent, time / SECOND, about(time))


def _alternatives(facts: RunFacts, found: Instead | None) -> Iterator[Alternative]:
    words = facts.words
    for number, each in enumerate(() if found is None else found.suggestions[:_MOST_SHOWN]):
        assert found is not None
        after = each.time - found.report.now
        form = "session.job.instead.later" if after else "session.job.instead.at-once"
        consequence = words.render(each.consequence)
        yield Alternative(
            number=number,
            text=words.render(each.text),
            cost=words.text(form, time=about(after), consequence=consequence),
            at_once=not after,
            evicts=each.evicts,
            changes=tuple(words.render(change_text(change)) for change in each.changes),
        )


def _problems(facts: RunFacts, answer: Answer) -> tuple[Trouble, ...]:
    if not answer.problems:
        return ()
    return failure_of(InputError(answer.problems), facts.words).problems


def _others(facts: RunFacts, answer: Answer) -> Iterator[CostPart]:
    """Yield what the jobs cost other workloads, and which are admitted because of them."""
    words, parts = facts.words, MessageParts(facts.words)

    def item(workload: str, text: str = "") -> CostItem:
        return CostItem(workload, workload, text)

    evicts = [
        item(
            each.workload,
            words.text(
                "session.job.loses",
                ran=span_text(each.ran),
                priority=each.priority,
                amounts=parts.listed(
                    parts(
                        "forecast.displaced.amount",
                        amount=amount_text(resource, amount),
                        resource=resource,
                    )
                    for (_, resource), amount in each.usage.items()
                ),
            ),
        )
        for each in answer.displaced
    ]
    yield _part(facts, "evicts", evicts)
    yield _part(facts, "waits", [item(e.workload, delay_text(e, parts)) for e in answer.delays])
    yield _part(facts, "gains", [item(each) for each in answer.also_admitted])


def _part(facts: RunFacts, kind: str, items: list[CostItem]) -> CostPart:
    title = facts.words.text(f"session.cost.{kind}", count=len(items))
    return CostPart(kind, title, len(items), tuple(items[:_MOST_ITEMS]))


def _notes(facts: RunFacts, answer: Answer) -> Iterable[str]:
    parts = MessageParts(facts.words)
    if answer.loop:
        workloads = parts.several(answer.loop)
        yield parts("forecast.loop", workloads=workloads, count=len(answer.loop))
    yield from (facts.words.render(each) for each in cautions(answer.notes))
