"""Answers requests from the state of what is served. It decides nothing: the session does."""

from __future__ import annotations

from functools import singledispatchmethod
from typing import Any

from kueuelab.errors import InputError, Problem
from kueuelab.forecast import try_job
from kueuelab.lint import lint
from kueuelab.lint.reading import Source
from kueuelab.manifests import encode_object
from kueuelab.messages import Catalog, Message
from kueuelab.model import Workload
from kueuelab.service.answers import (
    LeversWithCosts,
    ManifestsLinted,
    PendingFound,
    PendingItem,
    TryFound,
    WhyFound,
)
from kueuelab.service.metrics import exposition
from kueuelab.service.requests import (
    Compare,
    Levers,
    Lint,
    LintManifests,
    Pending,
    Request,
    Try,
    Why,
)
from kueuelab.service.served_cluster import ServedCluster, State
from kueuelab.session import commands
from kueuelab.session.answers import Comparison, LintPage
from kueuelab.session.failures import failure_of
from kueuelab.session.handler import Handler
from kueuelab.session.history import History
from kueuelab.session.lint_page import lint_page
from kueuelab.session.overview import causes
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.session import Branch, Session
from kueuelab.session.wire import decoded
from kueuelab.whatif.lab import LabRun

__all__ = ["Answering"]


class Answering:
    """Answers requests about one cluster.

    Parameters
    ----------
    cluster
        What is served.
    words
        The language of the answers.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> from kueuelab.service.served_cluster import FileCluster
    >>> answering = Answering(FileCluster("two-teams"), english())
    >>> answering.answer(Pending(count=1)).workloads[0].workload
    'team-b/job-b-cpu-1-05bb5'
    """

    def __init__(self, cluster: ServedCluster, words: Catalog) -> None:
        self._cluster, self._words = cluster, words
        self._state: State | None = None
        self._known: RunFacts | None = None
        self._handler = Handler(words)
        self._to_the_end: LabRun | None = None
        self._metrics = ""

    @singledispatchmethod
    def answer(self, request: Request) -> Any:
        """Return the answer to a request.

        Raises
        ------
        KueueLabError
            If something is wrong with it, or the cluster cannot be read.
        """
        raise TypeError(f"there is no answer to {request!r}")

    def metrics(self) -> str:
        """Return the state now in Prometheus' text format.

        Raises
        ------
        LiveError
            If the cluster cannot be read.
        """
        facts = self._facts()
        self._metrics = self._metrics or exposition(facts)
        return self._metrics

    # --- each request ------------------------------------------------------------------------

    @answer.register
    def _pending(self, request: Pending) -> PendingFound:
        facts = self._facts()
        found = [
            each
            for each in facts.pending
            if request.queue in ("", each.cluster_queue)
            and request.cause in ("", facts.cause_as_shown(each.cause).id)
        ]
        shown = found[request.start : request.start + request.count]
        grouped = causes(facts)
        return PendingFound(
            kueue_version=facts.trace.kueue_version,
            sentence=grouped.sentence,
            count=grouped.count,
            causes=grouped.causes,
            found=len(found),
            start=request.start,
            workloads=tuple(decoded(PendingItem, each.as_data()) for each in shown),
        )

    @answer.register
    def _why(self, request: Why) -> WhyFound:
        version = self._facts().trace.kueue_version
        details = self._handled(commands.Workload(request.workload))
        return WhyFound(version, details, self._handled(commands.Why(details.workload)))

    @answer.register
    def _levers(self, request: Levers) -> LeversWithCosts:
        version = self._facts().trace.kueue_version
        found = self._handled(commands.Levers(request.workload))
        tried = [each.number for each in found.levers if each.can_try] if request.costs else []
        costs = (self._handled(commands.Cost(found.workload, number)) for number in tried)
        return LeversWithCosts(version, found, tuple(costs))

    @answer.register
    def _lint(self, request: Lint) -> LintPage:
        self._facts()
        found: LintPage = self._handled(commands.Lint(start=request.start, count=request.count))
        return found

    @answer.register
    def _lint_manifests(self, request: LintManifests) -> ManifestsLinted:
        facts = self._facts()
        there = facts.objects()
        existing = [encode_object(each) for each in there if not isinstance(each, Workload)]
        source = Source(request.manifests.encode(), self._words.text("service.manifests"))
        result = lint([source], existing=existing)
        page = lint_page(facts, result, request.start, request.count)
        if not result.problems:
            return ManifestsLinted(page, ())
        return ManifestsLinted(page, failure_of(InputError(result.problems), self._words).problems)

    @answer.register
    def _try(self, request: Try) -> TryFound:
        with self._now().baselines.lend() as baseline:
            found = try_job(
                request.jobs.encode(),
                baseline,
                runs=request.runs or None,
                seeds=request.seeds,
                when=request.when,
                changes=request.changes,
                name=self._words.text("service.jobs"),
                language=self._words,
            )
        return decoded(TryFound, {**found.as_data(), "text": found.as_text(self._words)})

    @answer.register
    def _compare(self, request: Compare) -> Comparison:
        state = self._now()
        if not request.edits and not request.manifests:
            hint = Message("service.compare.nothing.hint")
            raise InputError(Problem(Message("service.compare.nothing"), hint=hint))
        fork = state.lab.fork()
        for edit in request.edits:
            fork = fork.edit(edit.object, edit.values)
        if request.manifests:
            fork = fork.apply(request.manifests.encode())
        # What was read from a cluster is decided at one instant; both sides go on to the end.
        if self._to_the_end is None:
            self._to_the_end = state.lab.run()
        session = Session((Branch("before", self._to_the_end),))
        handler = _handler_of(session.kept("before", "after", fork, fork.run()), self._words)
        found: Comparison = handler.handle(commands.Compare("before", "after"))
        return found

    # --- inside ------------------------------------------------------------------------------

    def _now(self) -> State:
        """Return the state as it is now; what is known of an older one is forgotten."""
        state = self._cluster.state()
        if state is not self._state:
            self._state = state
            self._known = self._to_the_end = None
            self._metrics = ""
        return state

    def _facts(self) -> RunFacts:
        """Return what is known of the run of the state as it is now."""
        state = self._now()
        if self._known is None:
            self._handler = _handler_of(state.session, self._words)
            self._known = RunFacts(state.session.branches[0].run, self._words)
        return self._known

    def _handled(self, command: commands.Command) -> Any:
        return self._handler.handle(command)


def _handler_of(session: Session, words: Catalog) -> Handler:
    handler = Handler(words)
    handler.history = History(session)
    return handler
