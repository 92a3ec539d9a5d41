"""The one handler of the protocol: a command and what is open in, an answer and what is open out.

Every engine keeps one :class:`Handler` for each reader and sends it the text of commands; what
comes back is the text to send. Nothing in it knows of sockets, workers or widgets.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, replace
from functools import partial, singledispatchmethod
from operator import attrgetter
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.lint import Result
from kueuelab.messages import Catalog, Message, english
from kueuelab.messages.languages import LANGUAGES, ids_of, messages_in
from kueuelab.model import RELEASE, RELEASES, ModelObject, release_named
from kueuelab.model.times import SECOND, format_duration
from kueuelab.progress import WorkStopped, watched
from kueuelab.session import (
    build_commands,
    cluster_protocol,
    commands,
    sharing_protocol,
    topology_protocol,
)
from kueuelab.session.answers import (
    BranchInfo,
    Comparison,
    Example,
    FramesData,
    Greeting,
    Opened,
    PatchText,
    WorkloadChange,
)
from kueuelab.session.build_edits import edited
from kueuelab.session.build_page import draft_form, draft_page
from kueuelab.session.build_run import draft_run
from kueuelab.session.building.draft import Draft
from kueuelab.session.building_files import begun, exported_files, resumed, saved_file
from kueuelab.session.capacity import capacity_cell, capacity_form, capacity_plan
from kueuelab.session.capacity_messages import (
    Capacity,
    CapacityCell,
    CapacityForm,
    CapacityPlan,
    CellFound,
    PlanOf,
)
from kueuelab.session.changing import changed_values, object_text
from kueuelab.session.clusters import (
    cluster_set_info,
    clusters_compared,
    clusters_found,
    faults_found,
    placement_found,
    with_fault,
)
from kueuelab.session.commands import Command, command_of
from kueuelab.session.completion import completions
from kueuelab.session.draft_files import DraftFiles
from kueuelab.session.draft_protocol import DiscardDraft, KeptDrafts, ListDrafts, ResumeDraft
from kueuelab.session.exercise_desk import ExerciseDesk
from kueuelab.session.exercise_protocol import ExerciseCommand
from kueuelab.session.failures import failure_of
from kueuelab.session.figures import queue_figures
from kueuelab.session.history import History
from kueuelab.session.job_messages import FormOf, JobTrial, KeepJob, TrialForm, TryJob
from kueuelab.session.job_trial import fork_with_jobs, job_trial, trial_form
from kueuelab.session.lever_costs import lever_cost, levers_at
from kueuelab.session.links import link_of, recipe_of
from kueuelab.session.lint_page import lint_page, lint_result
from kueuelab.session.listing import ListedWorkloads
from kueuelab.session.member_run import MemberRun
from kueuelab.session.opening import CONTEXT, known_context, nothing_may_be_read
from kueuelab.session.overview import causes, overview
from kueuelab.session.patch_check import patch_text
from kueuelab.session.preview_protocol import Preview
from kueuelab.session.previews import example_preview
from kueuelab.session.progress_reports import ProgressReports
from kueuelab.session.quota_messages import (
    KeepQuotas,
    QuotaOutcome,
    Quotas,
    QuotaSliders,
    TryQuotas,
)
from kueuelab.session.quota_trial import fork_with_quotas, quota_outcome, quota_sliders
from kueuelab.session.run_facts import RunFacts
from kueuelab.session.session import (
    Branch,
    ClusterSetBranch,
    ListedBranch,
    Session,
    decided,
    loaded,
)
from kueuelab.session.set_forks import member_objects, set_edited
from kueuelab.session.topology import topology_found
from kueuelab.session.upgrading import upgrade_found
from kueuelab.session.wire import encoded, text_of
from kueuelab.session.workload_details import explained, levers_found, workload_details
from kueuelab.session.workload_filters import kubectl_text, workload_filters
from kueuelab.session.workload_rows import WorkloadTable
from kueuelab.session.workload_table import workload_page
from kueuelab.trace.diff_ends import end_text
from kueuelab.views.frame.answers import answer as frame_answer
from kueuelab.views.frame.document import Document
from kueuelab.views.frame.domains import has_topologies
from kueuelab.views.frame.multikueue_document import MultiKueueDocument
from kueuelab.whatif.changes import change_text
from kueuelab.whatif.lab import LabRun

__all__ = ["GROUPS", "PROTOCOL", "Handler"]

#: The version of the protocol; it grows when a page of an older version would go wrong.
PROTOCOL: Final = 1
#: The groups of the gallery, in their order.
GROUPS: Final = (
    *("dumps", "tutorial", "preemption-policies", "elastic", "topology"),
    *("multikueue", "loops", "versions"),
)
_MOST_WORKLOADS: Final = 200
_MOST_LINES: Final = 50
#: Characters of a file that a page sends.
_LONGEST_TEXT: Final = 256 * 2**20
#: What is answered of a branch that is only listed, also while another command is worked on.
_OF_WHAT_IS_LISTED: Final = (commands.Workloads, commands.WorkloadFilters, commands.Kubectl)
#: Files that were sent and not opened yet.
_MOST_FILES: Final = 16
#: A command of so many characters is none of these.
_LONGEST_QUICK: Final = 4_096
#: What is answered of a branch that did not run yet.
_OF_WHAT_WAS_READ: Final = (
    *_OF_WHAT_IS_LISTED,
    commands.Load,
    commands.Overview,
    commands.Pending,
    commands.Workload,
    commands.Why,
    commands.Objects,
    build_commands.BuildBegin,
    sharing_protocol.Link,
)
#: The views in which frames are seen.
_VIEWS: Final = ("lab", "topology", "multikueue")
#: How far a workload is; one that is gone has finished.
_FAR: Final = MappingProxyType({"QuotaReserved": 1, "Admitted": 2, "Finished": 2, "": 2})


def _nobody(_: str) -> None:
    """Hear how far a command is, and do nothing about it."""


def _nothing() -> None:
    """Let a command go on."""


class Handler:
    """Answers commands, and keeps what is open.

    Parameters
    ----------
    words
        The language of the answers.
    require_openable
        Refuses the paths that may not be opened, by an :class:`~kueuelab.errors.InputError`. By
        default only packaged scenarios and dumps are opened.
    contexts
        Returns the contexts of the kubeconfig whose clusters may be read; by default none.
    exercises
        Where the answers to exercises are kept; the page keeps them if omitted.
    drafts
        The drafts beside files; the page keeps them if omitted.

    Attributes
    ----------
    history
        What is open, and what was.

    Examples
    --------
    >>> handler = Handler()
    >>> handler.answer({"do": "open", "source": "two-teams"})["branch"]
    'two-teams'
    >>> handler.answer({"do": "pending"})["sentence"]
    '3 workloads are pending. The oldest was created 8s ago.'
    """

    def __init__(
        self,
        words: Catalog | None = None,
        require_openable: Callable[[str], None] | None = None,
        contexts: Callable[[], tuple[str, ...]] = tuple,
        exercises: Path | None = None,
        drafts: DraftFiles | None = None,
    ) -> None:
        self.words = words or english()
        self._desk = ExerciseDesk(self.words, exercises)
        self._drafts = drafts or DraftFiles()
        self._draft_place = ""
        self.history = History()
        self._has_files = require_openable is not None
        self._require_openable = require_openable or nothing_may_be_read
        #: By the identity of a run and, of several clusters, the name of one.
        self._facts: dict[tuple[int, str], RunFacts] = {}
        self._boards: dict[int, MultiKueueDocument] = {}
        self._tables: dict[int, ListedWorkloads] = {}
        #: What was sent and is not opened yet, by id.
        self._files: dict[str, bytes | Path] = {}
        self._contexts = contexts
        self._linted: dict[int, Result] = {}
        self._release = ""

    # --- in and out ------------------------------------------------------------------------

    def take_file(self, id: str, content: bytes | Path) -> None:
        """Take a file that a page sends; the command that opens it names its id."""
        self._files[id] = content
        # A command that was stopped opens nothing any more.
        while len(self._files) > _MOST_FILES:
            del self._files[next(iter(self._files))]

    def is_quick(self, text: str) -> bool:
        """Tell whether a command can be answered at once, while another one is worked on."""
        if len(text) > _LONGEST_QUICK or not self.history.present.listed:
            return False
        try:
            command = command_of(json.loads(text))
        except (KueueLabError, ValueError, RecursionError, AttributeError):
            return False
        return isinstance(command, _OF_WHAT_IS_LISTED) and self._listed(command) is not None

    def reply(
        self,
        text: str,
        send: Callable[[str], object] = _nobody,
        turn: Callable[[], object] = _nothing,
    ) -> str:
        """Return the text of the answer to the text of a command, with the ``id`` of the command.

        What is wrong with the command is in the answer: nothing is raised for a user's mistake.

        Parameters
        ----------
        text
            The command.
        send
            Gets texts that say how far the command is.
        turn
            Called on the way; it may raise ``WorkStopped``, and then what is open stays as it was.
        """
        id_: Any = None
        try:
            try:
                data = json.loads(text)
            except (ValueError, RecursionError):
                raise InputError(Problem(Message("session.wire.json"))) from None
            if not isinstance(data, Mapping):
                raise InputError(Problem(Message("session.wire.object")))
            id_ = data.get("id") if isinstance(data.get("id"), int | str) else None
            with watched(ProgressReports(self.words, id_, send, turn)):
                before = self._stages()
                reply = {"id": id_, "answer": self.answer(data)}
                now = self._stages()
                # The answers of some commands say what is open anyway.
                if "branches" not in reply["answer"] and any(
                    now.get(name, stage) != stage for name, stage in before.items()
                ):
                    reply["opened"] = encoded(self._opened(""))
                return text_of(reply)
        except WorkStopped:
            # What was half made is not kept.
            self._facts, self._boards, self._linted, self._tables = {}, {}, {}, {}
            raise
        except KueueLabError as error:
            return text_of({"id": id_, "error": encoded(failure_of(error, self.words))})

    def answer(self, data: Mapping[str, Any]) -> Any:
        """Return the answer to a command, both as plain JSON.

        Raises
        ------
        KueueLabError
            If something is wrong with the command, or with what it opens.
        """
        command = command_of(data)
        if not isinstance(command, _OF_WHAT_IS_LISTED):
            self._load(command)
        if not isinstance(command, _OF_WHAT_WAS_READ):
            self._decide(command)
        found = encoded(self.handle(command))
        self._forget()
        return found

    def _load(self, command: Command) -> None:
        """Check and load the branches that a command names, as far as they are only listed."""
        for listed in self.history.present.listed:
            if listed.name not in self._named(command):
                continue
            try:
                branch = loaded(listed)
            except InputError:
                # It can't be opened.
                self.history = self.history.mapped(partial(Session.with_loaded, listed=listed))
                raise
            # It is no change: what was open before is the same input.
            load = partial(Session.with_loaded, listed=listed, loaded=branch)
            self.history = self.history.mapped(load)

    def _decide(self, command: Command) -> None:
        """Decide the branches that a command names, as far as they were only read."""
        for branch in self.history.present.branches:
            if branch.name in self._named(command) and not branch.decided:
                # It is no change: what was open before is what was read, too.
                run = partial(Session.with_decided, undecided=branch, decided=decided(branch))
                self.history = self.history.mapped(run)

    def _stages(self) -> dict[str, bool | None]:
        """Return of each branch whether it ran; of one that is only listed, ``None``."""
        session = self.history.present
        found: dict[str, bool | None] = {each.name: None for each in session.listed}
        return found | {each.name: each.decided for each in session.branches}

    def _named(self, command: Command) -> set[str]:
        """Return the texts of a command, which branches are among; without one, the last branch."""
        session = self.history.present
        values = (getattr(command, each.name) for each in fields(command))
        named = {each for each in values if isinstance(each, str)}
        if getattr(command, "branch", None) == "":
            names = (*session.names, *(each.name for each in session.listed))
            named.update(names[-1:])
        return named

    def _listed(self, command: Command) -> ListedBranch | None:
        """Return the branch that a command names, if it is only listed."""
        named = self._named(command)
        return next((each for each in self.history.present.listed if each.name in named), None)

    @singledispatchmethod
    def handle(self, command: Command) -> Any:
        """Return the answer to a command."""
        raise TypeError(f"there is no handler of {command!r}")

    # --- what changes what is open -----------------------------------------------------------

    @handle.register
    def _settings(self, command: sharing_protocol.Settings) -> Greeting:
        words = self.words if command.language is None else messages_in(command.language)
        if command.release is not None:
            self._release = release_named(command.release).version if command.release else ""
        if words is not self.words:
            self.words = words
            # What is known of runs is in another language.
            self._facts, self._boards, self._linted, self._tables = {}, {}, {}, {}
        return self._greeting()

    @handle.register
    def _hello(self, _: commands.Hello) -> Greeting:
        return self._greeting()

    def _greeting(self) -> Greeting:
        return Greeting(
            protocol=PROTOCOL,
            kueue_version=RELEASE.version,
            language=self.words.language,
            words=self.words.table(ids_of("app")),
            examples=tuple(self._examples()),
            folder=self._has_files,
            contexts=self._contexts(),
            opened=self._opened(""),
            languages=LANGUAGES,
            releases=tuple(RELEASES),
            release=self._release,
        )

    @handle.register
    def _open(self, command: commands.Open) -> Opened:
        session = self.history.present
        content = self._content(command)
        if content:
            name = command.name or self.words.text("session.open.pasted")
            opened = session.uploaded(name, content, self._release, decide=command.decide)
        elif command.source.startswith(CONTEXT):
            context = known_context(command.source, self._contexts())
            opened = session.connected(context, decide=command.decide)
        else:
            self._require_openable(command.source)
            opened = session.opened(command.source, self._release, decide=command.decide)
        return self._changed(opened, Message("session.note.opened", name=opened.last))

    def _content(self, command: commands.Open) -> str | bytes | Path:
        """Return what a page sent, to be opened."""
        if not command.file:
            content: str | bytes | Path = command.text
        elif command.file in self._files:
            content = self._files.pop(command.file)
        else:
            raise InputError(Problem(Message("session.open.no-sent-file", name=command.name)))
        size = content.stat().st_size if isinstance(content, Path) else len(content)
        if size > _LONGEST_TEXT:
            raise InputError(Problem(Message("session.open.too-large")))
        return content

    @handle.register
    def _loaded(self, command: commands.Load) -> Opened:
        return self._opened("", self._branch(command.branch).name)

    @handle.register
    def _decided(self, command: commands.Decide) -> Opened:
        return self._opened("", self._branch(command.branch).name)

    @handle.register
    def _try(self, command: commands.Try) -> Opened:
        numbers = (command.lever, *command.more)
        lever = levers_at(self._facts_named(command.branch), command.workload, numbers)
        member = self.history.present.member(command.branch)
        made = {
            "do": "try",
            "workload": command.workload,
            "lever": command.lever,
            "more": list(command.more),
        }
        if member is None:
            name = self._branch(command.branch).name
            session = self.history.present.tried(name, lever).made_by(made)
        else:
            made["branch"] = member[1]
            session = self.history.present.set_tried(member[0], lever).made_by(made)
        return self._changed(session, Message("session.note.tried", change=lever.text))

    @handle.register
    def _edit(self, command: commands.Edit) -> Opened:
        values = command.values
        if command.text:
            objects = self._objects_at_start(command.branch)
            values = changed_values(objects, command.object, command.text)
        member = self.history.present.member(command.branch)
        made = {"do": "edit", "object": command.object, "values": values}
        if member is not None:
            made["branch"] = member[1]
            session = set_edited(self.history.present, *member, command.object, values)
            session = session.made_by(made)
            return self._changed(session, Message("session.note.edited", object=command.object))
        branch = self._branch(command.branch)
        edited = branch.run.fork(0).edit(command.object, values)
        # The branch is called by the object as people write it, without its kind.
        name = f"{branch.name}: {command.object.partition('/')[2]}"
        session = self.history.present.kept(branch.name, name, edited, edited.run())
        session = session.made_by(made)
        return self._changed(session, Message("session.note.edited", object=command.object))

    @handle.register
    def _keep_job(self, command: KeepJob) -> Opened:
        branch = self._branch(command.branch)
        fork, job = fork_with_jobs(self._facts_of(branch), command)
        name = f"{branch.name}: {job}"
        session = self.history.present.kept(branch.name, name, fork, fork.run())
        return self._changed(session, Message("session.note.job", job=job))

    @handle.register
    def _keep_quotas(self, command: KeepQuotas) -> Opened:
        branch = self._branch(command.branch)
        fork = fork_with_quotas(self._facts_of(branch), command.settings)
        name = f"{branch.name}: {self.words.text('session.quotas.branch')}"
        session = self.history.present.kept(branch.name, name, fork, fork.run())
        return self._changed(session, Message("session.note.quotas"))

    @handle.register
    def _run(self, command: commands.Run) -> Opened:
        branch = self._branch(command.branch)
        run = branch.run.again(until=command.until)
        session = self.history.present
        branches = tuple(
            replace(each, run=run) if each is branch else each for each in session.branches
        )
        time = format_duration(run.trace[-1].time - run.start) if len(run.trace) else "0s"
        note = Message("session.note.decided", name=branch.name, time=time)
        return self._changed(replace(session, branches=branches), note, branch.name)

    @handle.register
    def _undo(self, _: commands.Undo) -> Opened:
        self.history = self.history.undone()
        self._keep_draft()
        return self._opened(Message("session.note.undone"))

    @handle.register
    def _redo(self, _: commands.Redo) -> Opened:
        self.history = self.history.redone()
        self._keep_draft()
        return self._opened(Message("session.note.redone"))

    # --- what only asks ----------------------------------------------------------------------

    @handle.register
    def _overview(self, command: commands.Overview) -> Any:
        return overview(self._facts_named(command.branch), command.resource)

    @handle.register
    def _lint(self, command: commands.Lint) -> Any:
        member = self.history.present.member(command.branch)
        branch: Branch | ClusterSetBranch
        branch = self._branch(command.branch) if member is None else member[0]
        facts, key = self._facts_named(command.branch), id(branch.run)
        if key not in self._linted:
            self._linted[key] = lint_result(facts, self.history.present.source_of(branch.name))
        return lint_page(facts, self._linted[key], command.start, command.count)

    @handle.register
    def _pending(self, command: commands.Pending) -> Any:
        return causes(self._facts_named(command.branch))

    @handle.register
    def _workloads(self, command: commands.Workloads) -> Any:
        return workload_page(self._table(command), command)

    @handle.register
    def _workload_filters(self, command: commands.WorkloadFilters) -> Any:
        return workload_filters(self._table(command))

    @handle.register
    def _kubectl(self, command: commands.Kubectl) -> Any:
        return kubectl_text(command.workloads)

    @handle.register
    def _workload(self, command: commands.Workload) -> Any:
        facts = self._facts_named(command.branch)
        return workload_details(facts, facts.run.key_of(command.workload))

    @handle.register
    def _why(self, command: commands.Why) -> Any:
        facts = self._facts_named(command.branch)
        return explained(facts, facts.run.key_of(command.workload), command.step)

    @handle.register
    def _levers(self, command: commands.Levers) -> Any:
        return levers_found(self._facts_named(command.branch), command.workload)

    @handle.register
    def _objects(self, command: commands.Objects) -> Any:
        return object_text(self._objects_at_start(command.branch), command.object)

    @handle.register
    def _cost(self, command: commands.Cost) -> Any:
        facts = self._facts_named(command.branch)
        return lever_cost(facts, command.workload, (command.lever, *command.more))

    @handle.register
    def _job_form(self, command: FormOf) -> TrialForm:
        return trial_form(self._facts_of(self._branch(command.branch)), command)

    @handle.register
    def _try_job(self, command: TryJob) -> JobTrial:
        return job_trial(self._facts_of(self._branch(command.branch)), command)

    @handle.register
    def _quotas(self, command: Quotas) -> QuotaSliders:
        return quota_sliders(self._facts_of(self._branch(command.branch)), command.workload)

    @handle.register
    def _try_quotas(self, command: TryQuotas) -> QuotaOutcome:
        facts = self._facts_of(self._branch(command.branch))
        return quota_outcome(facts, command.workload, command.settings)

    @handle.register
    def _capacity(self, command: Capacity) -> CapacityForm:
        return capacity_form(self._facts_of(self._branch(command.branch)))

    @handle.register
    def _capacity_plan(self, command: PlanOf) -> CapacityPlan:
        branch = self._branch(command.branch)
        name = self.history.present.root(branch.name).name
        return capacity_plan(self._facts_of(branch), command.sweep, name)

    @handle.register
    def _capacity_cell(self, command: CapacityCell) -> CellFound:
        facts = self._facts_of(self._branch(command.branch))
        return capacity_cell(facts, command.sweep, command.cell)

    @handle.register
    def _frames(self, command: commands.Frames) -> FramesData:
        document = self._document(command.view, command.branch)
        if command.question:
            return FramesData(frame_answer(document, command.question))
        start, trace = command.step, document.trace
        if start is None:
            preempting = trace.of_kind("Evicted")
            start = preempting[0] if preempting else document.start
        start = max(0, min(start, len(trace) - 1))
        seen = document.seen(command.view, start)
        return FramesData(seen.as_data((seen.chunk_of(start),)))

    @handle.register
    def _compare(self, command: commands.Compare) -> Comparison:
        session = self.history.present
        if session.member(command.before) and session.member(command.after):
            one, other = map(session.cluster_set, (command.before, command.after))
            return clusters_compared(one, other, self.words, rest=command.rest)
        before, after = session[command.before], session[command.after]
        sides = self._facts_of(before), self._facts_of(after)
        return _comparison(*sides, self.words, rest=command.rest)

    @handle.register
    def _patch(self, command: commands.PatchOf) -> PatchText:
        return patch_text(self.history.present, command.before, command.after, self.words)

    @handle.register
    def _upgrade(self, command: commands.Upgrade) -> Any:
        branch = self._branch(command.branch)
        source = self.history.present.root(branch.name).input
        return upgrade_found(source, command.before, command.after, self.words)

    @handle.register
    def _topology(self, command: topology_protocol.Topology) -> Any:
        return topology_found(self._facts_named(command.branch), command)

    @handle.register
    def _exercise(self, command: ExerciseCommand) -> Any:
        return self._desk.answer(command)

    @handle.register
    def _preview(self, command: Preview) -> Any:
        nothing_may_be_read(command.name)
        return example_preview(command.name, self.words)

    # --- several clusters --------------------------------------------------------------------

    @handle.register
    def _clusters(self, command: cluster_protocol.Clusters) -> Any:
        branch = self._set(command.branch)
        return clusters_found(branch, partial(self._facts_in, branch), self.words)

    @handle.register
    def _placement(self, command: cluster_protocol.Placement) -> Any:
        run = self._set(command.branch).run
        return placement_found(run, command.workload, command.step, self.words)

    @handle.register
    def _faults(self, command: cluster_protocol.Faults) -> Any:
        return faults_found(self._set(command.branch).run, command, self.words)

    @handle.register
    def _fault(self, command: cluster_protocol.AddFault) -> Opened:
        branch = self._set(command.branch)
        made = {"do": "fault", **encoded(replace(command, branch=""))}
        session = with_fault(self.history.present, branch, command).made_by(made)
        change = session.cluster_set(session.last).change
        return self._changed(session, Message("session.note.fault", change=change))

    # --- the draft that is built -------------------------------------------------------------

    @handle.register
    def _build(self, _: build_commands.Build) -> Any:
        return self._draft_page()

    @handle.register
    def _build_begin(self, command: build_commands.BuildBegin) -> Any:
        session = begun(self.history.present, command)
        source = None if session.built is None else session.built.source
        if source is not None and not command.text and self._drafts.kept(source):
            return self._resume_draft(ResumeDraft(str(source)))
        return self._drafted(session)

    @handle.register
    def _list_drafts(self, _: ListDrafts) -> KeptDrafts:
        return KeptDrafts(self._drafts.listed(self.words))

    @handle.register
    def _resume_draft(self, command: ResumeDraft) -> Any:
        return self._drafted(resumed(self.history.present, command, self._drafts))

    @handle.register
    def _discard_draft(self, command: DiscardDraft) -> KeptDrafts:
        self._drafts.discard(command.file)
        session = self.history.present
        if session.built is not None and session.built.source == Path(command.file):
            self.history = self.history.changed(replace(session, built=None))
        return KeptDrafts(self._drafts.listed(self.words))

    @handle.register
    def _build_edit(self, command: build_commands.DraftEdit) -> Any:
        draft, chosen = edited(command, self._draft())
        session = self.history.present
        if draft.text == self._draft().text:
            return self._draft_page(chosen)
        return self._drafted(session.with_draft(draft), chosen)

    @handle.register
    def _build_form(self, command: build_commands.BuildForm) -> Any:
        return draft_form(self._draft(), command.object, self.words)

    @handle.register
    def _build_complete(self, command: build_commands.BuildComplete) -> Any:
        draft = self._draft().with_text(command.text)
        return completions(draft, command.line, command.column, self.words)

    @handle.register
    def _build_run(self, _: build_commands.BuildRun) -> Any:
        # A run changes no text: undo leads to the last edit, and to the run of that time.
        session = self.history.present.ran_draft(self._release)
        self.history = replace(self.history, present=session)
        assert session.built is not None
        return draft_run(session, self.words, self._opened("", session.built.branch))

    @handle.register
    def _build_save(self, command: build_commands.BuildSave) -> Any:
        if not self._has_files:
            raise InputError(Problem(Message("session.build.no-files")))
        self._require_openable(command.file)
        session, found = saved_file(self.history.present, command.file, self.words)
        self.history = replace(self.history, present=session)
        return found

    @handle.register
    def _build_export(self, command: build_commands.BuildExport) -> Any:
        return exported_files(self._draft(), command.kind, self.words)

    def _draft(self) -> Draft:
        built = self.history.present.built
        if built is None:
            raise InputError(Problem(Message("session.build.no-draft")))
        return built.draft

    def _drafted(self, session: Session, chosen: str = "") -> Any:
        self.history = self.history.changed(session)
        self._keep_draft()
        return self._draft_page(chosen)

    def _draft_page(self, chosen: str = "") -> Any:
        built = self.history.present.built
        return draft_page(built, self.words, self._opened(""), chosen, self._draft_place)

    def _keep_draft(self) -> None:
        """Keep a draft that changed beside its file, and know where, as a sentence."""
        built = self.history.present.built
        if built is None or built.source is None or not self._drafts.has(built.source):
            self._draft_place = ""
            return
        form = "kept" if self._drafts.keep(built) else "browser"
        self._draft_place = self.words.text(f"session.draft.{form}", file=built.source.name)

    # --- links -------------------------------------------------------------------------------

    @handle.register
    def _link(self, command: sharing_protocol.Link) -> Any:
        session = self.history.present
        if not session.last:
            raise InputError(Problem(Message("session.nothing-open")))
        return link_of(session, command.branch or session.last)

    @handle.register
    def _open_link(self, command: sharing_protocol.OpenLink) -> Opened:
        recipe = recipe_of(command.link)
        if not recipe.open.text:
            nothing_may_be_read(recipe.open.source)
        before, release = self.history, self._release
        try:
            self._release = release_named(recipe.release).version if recipe.release else ""
            opened = self._open(recipe.open)
            for each in recipe.then:
                inside = f"/{each.branch}" if each.branch else ""
                opened = self.handle(replace(each, branch=opened.branch + inside))
            # All of it is one change.
            self.history = before.changed(self.history.present)
        except KueueLabError:
            self.history = before
            raise
        finally:
            self._release = release
        return self._opened(opened.note)

    # --- inside ------------------------------------------------------------------------------

    def _branch(self, name: str) -> Branch:
        session = self.history.present
        if session.member(name):
            hint = Message("session.clusters.one-only.hint")
            raise InputError(Problem(Message("session.clusters.one-only"), hint=hint))
        if not session.branches:
            raise InputError(Problem(Message("session.nothing-open")))
        return session[name] if name else session.branches[-1]

    def _set(self, name: str) -> ClusterSetBranch:
        """Return a run of several clusters.

        Raises
        ------
        InputError
            If it has but one.
        """
        found = self.history.present.member(name)
        if found is None:
            self._branch(name)
            raise InputError(Problem(Message("session.clusters.none")))
        return found[0]

    def _objects_at_start(self, name: str) -> Sequence[ModelObject]:
        member = self.history.present.member(name)
        if member is not None:
            return member_objects(*member)
        return self._branch(name).run.fork(0).objects()

    def _facts_of(self, branch: Branch) -> RunFacts:
        key = id(branch.run), ""
        if key not in self._facts:
            self._facts[key] = RunFacts(branch.run, self.words)
        return self._facts[key]

    def _facts_in(self, branch: ClusterSetBranch, cluster: str) -> RunFacts:
        key = id(branch.run), cluster
        if key not in self._facts:
            self._facts[key] = RunFacts(MemberRun(branch.run, cluster), self.words)
        return self._facts[key]

    def _table(self, command: commands.Workloads | commands.WorkloadFilters) -> WorkloadTable:
        """Return the workloads of a branch, also of one that is only listed."""
        listed = self._listed(command)
        return self._facts_named(command.branch) if listed is None else self._table_of(listed)

    def _table_of(self, listed: ListedBranch) -> ListedWorkloads:
        key = id(listed)
        if key not in self._tables:
            self._tables[key] = ListedWorkloads(listed.listing, self.words)
        return self._tables[key]

    def _facts_named(self, name: str) -> RunFacts:
        """Return what is known of a branch; of several clusters, of the one that is named."""
        member = self.history.present.member(name)
        return self._facts_of(self._branch(name)) if member is None else self._facts_in(*member)

    def _document(self, view: str, name: str) -> Document:
        """Return the frames of a branch, to be seen in a view."""
        if view not in _VIEWS:
            raise UnknownObjectError("view", view, _VIEWS)
        if view == "multikueue":
            run = self._set(name).run
            if id(run) not in self._boards:
                self._boards[id(run)] = MultiKueueDocument(run, None, self.words)
            return self._boards[id(run)]
        facts = self._facts_named(name)
        if not len(facts.trace):
            raise InputError(Problem(Message("session.no-steps", name=name)))
        return facts.document

    def _forget(self) -> None:
        """Forget what is known of runs that are no longer open."""
        session = self.history.present
        kept = {id(branch.run) for branch in session.branches}
        kept |= {id(branch.run) for branch in session.cluster_sets}
        self._facts = {key: facts for key, facts in self._facts.items() if key[0] in kept}
        self._boards = {key: board for key, board in self._boards.items() if key in kept}
        self._linted = {key: found for key, found in self._linted.items() if key in kept}
        listed = {id(each) for each in session.listed}
        self._tables = {key: found for key, found in self._tables.items() if key in listed}

    def _changed(self, session: Session, note: str, shown: str = "") -> Opened:
        self.history = self.history.changed(session)
        return self._opened(note, shown)

    def _opened(self, note: str, shown: str = "") -> Opened:
        session = self.history.present
        return Opened(
            branch=shown or session.last,
            branches=(
                *map(self._info, session.branches),
                *map(self._set_info, session.cluster_sets),
                *map(self._listed_info, session.listed),
            ),
            note=self.words.render(note),
            undo=bool(self.history.past),
            redo=bool(self.history.future),
        )

    def _info(self, branch: Branch) -> BranchInfo:
        run, words = branch.run, self.words
        facts = self._facts_of(branch)
        count, steps = sum(facts.phases.values()), len(run.trace)
        changes = () if branch.fork is None else branch.fork.changes
        return BranchInfo(
            name=branch.name,
            parent=branch.parent,
            title=run.trace.title or branch.name,
            about=words.text(
                "session.branch.about" if branch.decided else "session.branch.as-read",
                count=count,
                total=f"{count:,}",
                steps=f"{steps:,}",
            ),
            change=words.separated([words.render(change_text(each)) for each in changes]),
            steps=steps,
            workloads=count,
            pending=facts.phases["Pending"] + facts.phases["QuotaReserved"],
            topologies=has_topologies(run.trace),
            release=run.trace.kueue_version,
            at=_time_of(run),
            source="" if branch.input is None else branch.input.address,
            stage="decided" if branch.decided else "read",
        )

    def _listed_info(self, listed: ListedBranch) -> BranchInfo:
        phases = self._table_of(listed).phases
        count = phases.total()
        return BranchInfo(
            name=listed.name,
            parent="",
            title=listed.name,
            about=self.words.text("session.branch.listed", count=count, total=f"{count:,}"),
            change="",
            steps=0,
            workloads=count,
            pending=phases["Pending"] + phases["QuotaReserved"],
            source=listed.input.address,
            stage="listed",
        )

    def _set_info(self, branch: ClusterSetBranch) -> BranchInfo:
        return cluster_set_info(branch, partial(self._facts_in, branch), self.words)

    def _examples(self) -> Any:
        titles = {each.name: each.title for each in scenarios.entries()}
        for group in GROUPS:
            found = scenarios.dumps() if group == "dumps" else scenarios.names(group)
            heading = self.words.text(f"session.gallery.{group}")
            for name in found:
                yield Example(name, group, heading, titles.get(name, ""))


def _time_of(run: LabRun) -> int | None:
    """Return when the state of a cluster was read; ``None`` of what has a timeline."""
    return None if run.fork(0).spec.timeline else run.start // SECOND


def _comparison(before: RunFacts, after: RunFacts, words: Catalog, *, rest: bool) -> Comparison:
    diff = after.run.diff(before.run, words)
    first, count = diff.divergence, len(diff.ends)
    changes = tuple(
        WorkloadChange(each.workload, each.before, each.after, _tone(before, after, each.workload))
        for each in diff.ends[:_MOST_WORKLOADS]
    )
    figures = tuple(queue_figures(before.trace, after.trace, diff.queues, words, rest=rest))
    more = count - len(changes)
    if rest:
        others = _unchanged(after, {each.workload for each in diff.ends})
        more += max(0, len(others) - _MOST_WORKLOADS)
        changes += tuple(others[:_MOST_WORKLOADS])
    same = "session.compare.same" if not diff else "session.compare.same-ends"
    return Comparison(
        sentence=words.text("session.compare.ends" if count else same, count=count),
        first=tuple(line.strip() for line in diff.first_lines),
        step_before=None if first is None or first.before is None else first.before.index,
        step_after=None if first is None or first.after is None else first.after.index,
        workloads=changes,
        more_workloads=more,
        queues=diff.queue_lines[:_MOST_LINES],
        figures=figures[:_MOST_WORKLOADS],
        more_figures=max(0, len(figures) - _MOST_WORKLOADS),
    )


def _unchanged(facts: RunFacts, changed: set[str]) -> list[WorkloadChange]:
    """Return the workloads that end where they end in the other branch."""
    found = []
    for key, view in facts.state.workloads.items():
        if key not in changed:
            end = end_text(view, facts.parts)
            found.append(WorkloadChange(key, end, end, ""))
    return sorted(found, key=attrgetter("workload"))


def _tone(before: RunFacts, after: RunFacts, workload: str) -> str:
    """Tell whether a workload gets further in one run than in another."""
    one, other = (_FAR.get(each.state.workload(workload).phase, 0) for each in (before, after))
    return "ok" if other > one else "bad" if other < one else ""
