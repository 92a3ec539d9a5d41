"""Runs of several clusters: rounds of a dispatcher, one job's messages, faults, hazards."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from kueuelab.messages import Message
from kueuelab.quantity import to_int
from kueuelab.trace.names import short_name
from kueuelab.trace.text_table import text_table
from kueuelab.views.multikueue import picture_at
from kueuelab.views.sequence import sequence_of

if TYPE_CHECKING:
    from kueuelab.model import Workload
    from kueuelab.multikueue import ClusterSetRun, Dispatcher, MultiKueueScenario
    from kueuelab.widgets import MultiKueueBoard

__all__ = [
    "broken",
    "cpu_quotas",
    "dispatched",
    "hazards",
    "life",
    "moved",
    "races",
    "requested_cpu",
    "rounds",
    "runs_by_winner",
    "where",
    "without_faults",
]

_SECOND: Final = 10**9


def dispatched(lab: MultiKueueScenario, dispatcher: Dispatcher) -> MultiKueueScenario:
    """Return a scenario of several clusters with another dispatcher.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> rounds(dispatched(mk.load("rounds-step-by-step"), mk.all_at_once), "train")
    round 1 at 100ms: w1, w2, w3
    finished on w3
    """
    return replace(lab, dispatcher=dispatcher)


def rounds(run: Any, job: str) -> None:
    """Print the rounds in which workers were nominated for a job, and the worker it runs on.

    Parameters
    ----------
    run
        A run, or a scenario, which is run.
    job
        The job.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> rounds(mk.load("rounds-step-by-step"), "train")
    round 1 at 100ms: w1
    round 2 at 5m0.1s: w2
    round 3 at 10m0.1s: w3
    finished on w3
    """
    found = _run_of(run)
    index = len(found.trace) - 1
    picture = picture_at(
        found, found.dispatches, index, state=found.state_at(index), sentence="", selected=""
    )
    for row in picture.jobs:
        if short_name(row.workload) == job:
            for each in row.rounds:
                print(each.as_text())
            print(row.state)


def life(run: ClusterSetRun, job: str, *, since: str = "", first: int | None = None) -> None:
    """Print the messages between clusters about one job, in order.

    Parameters
    ----------
    run
        The run.
    job
        The job.
    since
        Begin at the first message with this text.
    first
        Print only so many.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> life(mk.load("lost-worker").run(), "train", first=2)
    1s       manager: submitted
    1s       manager: quota reserved
    """
    lines = [message.as_text() for message in sequence_of(run, job).messages]
    begin = next((number for number, line in enumerate(lines) if since in line), len(lines))
    for line in lines[begin:][:first]:
        print(line)


def moved(lab: MultiKueueScenario, fault: str, to: float) -> MultiKueueScenario:
    """Return a scenario with a fault of its timeline at another time, in seconds.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> changed = moved(mk.load("lost-worker"), "reconnect", to=12)
    >>> [action.at // 10**9 for action in changed.spec.timeline if hasattr(action, "what")]
    [8, 12]
    """
    timeline = sorted(
        (
            replace(each, at=round(to * _SECOND)) if getattr(each, "what", "") == fault else each
            for each in lab.spec.timeline
        ),
        key=lambda each: each.at,
    )
    return replace(lab, spec=replace(lab.spec, timeline=tuple(timeline), expect=()))


def without_faults(lab: MultiKueueScenario) -> MultiKueueScenario:
    """Return a scenario without the faults of its timeline.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> len(without_faults(mk.load("lost-worker")).run().hazards)
    0
    """
    timeline = tuple(each for each in lab.spec.timeline if not hasattr(each, "what"))
    return replace(lab, spec=replace(lab.spec, timeline=timeline, expect=()))


def broken(run: ClusterSetRun, faults: Iterable[str], job: str, at: float) -> None:
    """Print for each fault on which workers a job ran after it, and the hazards it leaves.

    Parameters
    ----------
    run
        A run without faults.
    faults
        Names of faults, each with its cluster: ``"disconnect w1"``.
    job
        The job that is followed.
    at
        When the fault happens, in seconds after the start.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> calm = without_faults(mk.load("lost-worker")).run()
    >>> broken(calm, ["delete copy w1"], "train", at=5)  # doctest: +ELLIPSIS
    fault           job                                            hazards
    delete copy w1  ...
    """
    rows = []
    for fault in faults:
        board = _with_fault(run, fault, job, at)
        jobs = board.comparison.jobs if board.comparison else ()
        found = [each for each in jobs if short_name(each.workload) == job]
        stints = "; ".join(stint.as_text() for each in found for stint in each.after)
        rows.append((fault, stints, ", ".join(hazard.id for hazard in board.run.hazards) or "-"))
    print(text_table(("fault", "job", "hazards"), rows))


def hazards(run: ClusterSetRun, fault: str, job: str, at: float) -> None:
    """Print the hazards that a fault leaves, and what an operator can do.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> calm = without_faults(mk.load("lost-worker")).run()
    >>> hazards(calm, "restart Kueue manager", "train", at=5)
    """
    for hazard in _with_fault(run, fault, job, at).run.hazards:
        print(f"{fault}: {hazard.what}")
        print(f"    {hazard.remedy}")


def where(run: Any) -> None:
    """Print for each job of the manager where it is in the end, and the rounds before.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> where(scenarios.load("rounds-step-by-step"))
    train: finished on w3
    """
    found = _run_of(run)
    index = len(found.trace) - 1
    picture = picture_at(
        found, found.dispatches, index, state=found.state_at(index), sentence="", selected=""
    )
    for row in picture.jobs:
        print(f"{short_name(row.workload)}: {row.state}")


def requested_cpu(workload: Workload) -> float:
    """Return how much cpu one pod of a workload requests.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> lab = scenarios.load("rounds-step-by-step")
    >>> jobs = [each for action in lab.spec.timeline for each in getattr(action, "workloads", ())]
    >>> requested_cpu(jobs[0])
    2.0
    """
    containers = workload.pod_sets[0].template.spec.containers
    return sum(to_int("cpu", each.resources.requests["cpu"]) for each in containers) / 1000


def runs_by_winner(
    lab: MultiKueueScenario, seeds: Iterable[int], until: float | None = None
) -> dict[str, ClusterSetRun]:
    """Return one run for each worker that wins the first race, by the worker's name.

    Each run ends after so many seconds of virtual time, if ``until`` is given.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> sorted(runs_by_winner(mk.load("quota-far-below"), range(4)))
    ['w1', 'w2']
    """
    found: dict[str, ClusterSetRun] = {}
    for seed in seeds:
        run = replace(lab, seed=seed).run(until=until)
        found.setdefault(run.races[0].winner, run)
    return found


def cpu_quotas(run: ClusterSetRun) -> None:
    """Print the nominal quota of cpu of each ClusterQueue of each cluster, in the end.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> cpu_quotas(mk.load("quota-far-below").run(until=10))
    cluster  ClusterQueue  cpu
    manager  dispatch      2
    w1       dispatch      4
    w2       dispatch      4
    """
    state = run.trace.state_at(len(run.trace) - 1)
    rows = [
        (cluster, queue.name, f"{quota.nominal / 1000:g}")
        for cluster in run.cluster_set.members
        for queue in state[cluster].cluster_queues
        for quota in queue.quotas
    ]
    print(text_table(("cluster", "ClusterQueue", "cpu"), rows))


def races(lab: MultiKueueScenario, seeds: Iterable[int]) -> None:
    """Print which worker wins each race, with several seeds.

    Examples
    --------
    >>> import kueuelab.multikueue as mk
    >>> races(mk.load("quota-far-below"), range(1))  # doctest: +ELLIPSIS
    seed 0: ...
    """
    for seed in seeds:
        run = replace(lab, seed=seed).run()
        found = "; ".join(str(race) for race in run.races)
        print(Message("teaching.race.seed", seed=seed, races=found))


def _run_of(found: Any) -> Any:
    return found if hasattr(found, "trace") else found.run()


def _with_fault(run: ClusterSetRun, fault: str, job: str, at: float) -> MultiKueueBoard:
    from kueuelab.widgets import multikueue_board

    board = multikueue_board(run)
    board.at(at)
    name, _, cluster = fault.rpartition(" ")
    board.inject(name, cluster, job)
    return board
