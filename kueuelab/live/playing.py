"""Running a scenario on clusters: create its objects, follow it, remove everything."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from kueuelab.live.access import clean_command
from kueuelab.live.api import ClusterApi
from kueuelab.live.discovery import served
from kueuelab.live.errors import LiveError, NotPlayableError
from kueuelab.live.expected_course import announcement, expected_course, suitable_speed
from kueuelab.live.following import Following
from kueuelab.live.installed_release import difference, installed_version
from kueuelab.live.job_player import JobsMode, is_nodeless
from kueuelab.live.kueue_configuration import require_configuration
from kueuelab.live.lease import RunLease
from kueuelab.live.limits import limits_of, require_time
from kueuelab.live.mirror import Mirror
from kueuelab.live.play_options import PlayProgress
from kueuelab.live.removal import not_removed
from kueuelab.live.requests import has_nodes, requests_of, run_labels, setup_of
from kueuelab.live.resources import READ, WORKLOADS, Json
from kueuelab.live.retrying import RetryingApi
from kueuelab.live.scenario_cluster import ScenarioCluster
from kueuelab.live.timeline import TimelinePlayer
from kueuelab.manifests import ScenarioSpec
from kueuelab.messages import Message
from kueuelab.model import nearest_release
from kueuelab.simulation.expectations import Outcome

if TYPE_CHECKING:
    from kueuelab.live.configuring import KueueConfigurer

__all__ = ["PlayedScenario", "play"]

#: How long it may take until workers are connected, and until queues can admit.
_ACTIVE_SECONDS: Final[Mapping[str, float]] = {
    "MultiKueueCluster": 30.0,
    "ClusterQueue": 10.0,
    "LocalQueue": 10.0,
}
#: How much longer after Kueue was restarted: the new one has to become the leader.
_RESTART_SECONDS: Final = 60.0
_PAUSE: Final = 0.25


@dataclass(frozen=True, slots=True)
class PlayedScenario:
    """The result of running a scenario on clusters.

    Attributes
    ----------
    spec
        The scenario.
    mirrors
        The mirror of each cluster, by its name in the scenario; ``""`` for the manager, or
        the only one.
    outcomes
        The scenario's expectations, and what was found.
    notes
        Notes for the reader.
    speed
        How many seconds of the scenario passed in one real second.
    at_rest
        Whether the clusters were at rest at the end.
    ended_early_at
        The time of the scenario at which it was ended before all was over, in nanoseconds since its
        start; ``None`` if it went to its end.
    """

    spec: ScenarioSpec
    mirrors: Mapping[str, Mirror]
    outcomes: tuple[Outcome, ...] = ()
    notes: tuple[str, ...] = ()
    speed: float = 1.0
    at_rest: bool = False
    ended_early_at: int | None = None

    @property
    def mirror(self) -> Mirror:
        """The mirror of the manager, or of the only cluster."""
        return self.mirrors[""]


def play(
    api: ClusterApi,
    spec: ScenarioSpec,
    *,
    workers: Mapping[str, ClusterApi] | None = None,
    seconds: float = 600.0,
    jobs: JobsMode = "auto",
    speed: float | None = 1.0,
    patience: float = 60.0,
    keep: bool = False,
    to_the_end: bool = True,
    rounds: int = 3,
    configurer: KueueConfigurer | None = None,
    tell: Callable[[str], None] = lambda sentence: None,
    watch: Callable[[PlayProgress], None] = lambda progress: None,
) -> PlayedScenario:
    """Run a scenario's timeline on a cluster, and return what was observed.

    Parameters
    ----------
    api
        The cluster, or the manager; it may be written, and is closed at the end.
    spec
        The scenario.
    workers
        The workers of a scenario with several clusters, by their names there.
    seconds, jobs, speed, patience, keep, to_the_end, rounds, configurer, tell, watch
        See :class:`~kueuelab.live.play_options.PlayOptions`.

    Raises
    ------
    InputError
        If the scenario can't be played on a cluster; nothing has been written then.
    LiveError
        If the cluster rejects a request. What was created is removed in that case, too.
    """
    given = {"": api, **(workers or {})}
    apis = {name: RetryingApi(each, tell, patience) for name, each in given.items()}
    clusters: dict[str, ScenarioCluster] = {}
    try:
        _require_workers(spec, apis)
        if version := installed_version(apis[""]):
            spec = spec.of_release(nearest_release(version))
        played = {
            name: _is_played(each, jobs, placed=has_nodes(spec, name))
            for name, each in apis.items()
        }
        # Says what cannot be played, before the lab runs it.
        requests_of(spec, played=all(played.values()))
        course = expected_course(spec)
        if speed is None:
            speed = suitable_speed(spec, course, seconds, to_the_end=to_the_end)
        requests = requests_of(spec, played=all(played.values()), speed=speed)
        require_time(spec, seconds, speed)
        notes = (*_notes(apis, played), *limits_of(spec, speed))
        expected = announcement(course, speed, to_the_end=to_the_end, rounds=rounds)
        for note in notes:
            tell(note)
        configurations = {worker.name: worker.configuration for worker in spec.workers}
        run_id = uuid.uuid4().hex[:12]
        restarted = False
        for name, each in apis.items():
            _require_version(each)
            if configurer is not None:
                wanted = configurations.get(name, spec.configuration)
                restarted = configurer.provide(each, wanted) or restarted
            require_configuration(each, configurations.get(name, spec.configuration))
            lease = RunLease(given[name], run_id, run_labels(spec))
            clusters[name] = ScenarioCluster(
                name, each, played=played[name], patience=patience, lease=lease
            )
            clusters[name].manager = clusters[""] if name else None
        for cluster in clusters.values():
            _acquire_lease(cluster.lease, tell)
        for sentence in expected:
            tell(sentence)
        for name in sorted(clusters, reverse=True):  # workers first
            clusters[name].set_up(setup_of(spec, name))
        tell(
            Message(
                "live.play.created",
                count=sum(len(cluster.created) for cluster in clusters.values()),
            )
        )
        for cluster in clusters.values():
            _wait_until_active(
                cluster.api, setup_of(spec, cluster.name), tell, _RESTART_SECONDS * restarted
            )
            cluster.following = Following(
                cluster.api, configurations.get(cluster.name, spec.configuration), keep=keep
            )
            configuration = cluster.following.mirror.configuration
            cluster.player.waits = configuration.wait_for_pods_ready is not None
        timeline = TimelinePlayer(
            clusters,
            spec,
            requests,
            speed,
            tell,
            course,
            to_the_end=to_the_end,
            rounds=rounds,
            watch=watch,
        )
        at_rest = timeline.play(seconds)
        for cluster in clusters.values():
            cluster.following.mirror.settle()
        mirrors = {name: cluster.following.mirror for name, cluster in clusters.items()}
        return PlayedScenario(
            spec,
            mirrors,
            tuple(timeline.outcomes),
            notes,
            speed,
            at_rest,
            timeline.ended_early_at,
        )
    finally:
        _clean_up(clusters, apis, tell)


def _clean_up(
    clusters: Mapping[str, ScenarioCluster],
    apis: Mapping[str, ClusterApi],
    tell: Callable[[str], None],
) -> None:
    """Remove everything, the manager's objects first, and close all connections in any case."""
    failed: LiveError | None = None
    try:
        if any(len(cluster.created) for cluster in clusters.values()):
            tell(Message("live.play.clean-up"))
        for cluster in clusters.values():
            try:
                try:
                    cluster.adopt_copies()
                except LiveError as error:
                    failed = failed or not_removed(cluster.api, error)
                cluster.created.remove(without_controllers=cluster.played)
            except LiveError as error:
                failed = failed or error
            except BaseException:
                tell(Message("live.play.left-behind", command=clean_command(cluster.api.context)))
                raise
        if failed is not None:
            raise failed
    finally:
        for name, api in apis.items():
            if name in clusters:
                clusters[name].close()
            else:
                api.close()


def _acquire_lease(lease: RunLease, tell: Callable[[str], None]) -> None:
    try:
        lease.take()
    except LiveError as error:
        if error.trouble not in ("forbidden", "missing"):
            raise
        tell(Message("live.play.no-lease", error=error.problem.message))


def _require_workers(spec: ScenarioSpec, apis: Mapping[str, ClusterApi]) -> None:
    wanted = [worker.name for worker in spec.workers]
    missing = [name for name in wanted if name not in apis]
    if missing:
        message = Message("live.play.worker-missing", count=len(wanted), worker=missing[0])
        options = " ".join(f"--worker {name}=CONTEXT" for name in missing)
        hint = Message("live.play.worker-missing.hint", options=options)
        raise NotPlayableError(message, "config", hint=hint)
    unknown = [name for name in apis if name and name not in wanted]
    if unknown:
        there = ", ".join(wanted) or Message("list.none")
        message = Message("live.play.unknown-worker", unknown=unknown[0])
        raise LiveError(
            message, "config", hint=Message("live.play.unknown-worker.hint", there=there)
        )


def _require_version(api: ClusterApi) -> None:
    """Raise an error if Kueue does not serve the API version in which objects are written."""
    [found] = served(api, [WORKLOADS])
    if found.version != WORKLOADS.version:
        message = Message("live.play.kueue-version", context=api.context, version=found.version)
        hint = Message("live.play.kueue-version.hint", version=WORKLOADS.version)
        raise LiveError(message, "kueue", hint=hint)


def _is_played(api: ClusterApi, jobs: JobsMode, *, placed: bool) -> bool:
    """Tell whether kueuelab writes the status of jobs; ``placed``: they go to nodes of the run."""
    if placed:
        if jobs == "pods":
            message = Message("live.play.nodes-run-no-pods", context=api.context)
            hint = Message("live.play.nodes-run-no-pods.hint")
            raise NotPlayableError(message, "config", hint=hint)
        return True
    if jobs != "auto":
        return jobs == "played"
    try:
        return is_nodeless(api)
    except LiveError as error:
        if error.trouble != "forbidden":
            raise
        return False  # without that right the mode must be given explicitly


def _notes(apis: Mapping[str, ClusterApi], played: Mapping[str, bool]) -> list[str]:
    versions = {installed_version(api): api.context for api in apis.values()}
    releases = [
        difference(version, context, nearest_release(version))
        for version, context in versions.items()
    ]
    return [note for note in releases if note] + [
        Message("live.play.no-pods", context=apis[name].context) for name in apis if played[name]
    ]


def _wait_until_active(
    api: ClusterApi, objects: list[Json], tell: Callable[[str], None], more: float
) -> None:
    """Wait until workers are connected and queues can admit; ``more`` seconds after a restart.

    Queues that stay inactive are part of the scenario; a scenario cannot run without its workers.
    """
    kinds = {resource.kind: resource for resource in READ}
    waiting = [obj for obj in objects if obj["kind"] in _ACTIVE_SECONDS]
    began = time.monotonic()
    while waiting:
        left: list[Json] = []
        for obj in waiting:
            meta, kind = obj["metadata"], obj["kind"]
            said = _inactive(api.get(kinds[kind].path(meta.get("namespace", ""), meta["name"])))
            if said is None:
                continue
            if time.monotonic() - began < _ACTIVE_SECONDS[kind] + more:
                left.append(obj)
                continue
            text = (
                Message("live.play.inactive", kind=kind, name=meta["name"], reason=said)
                if said
                else Message("live.play.inactive-without-reason", kind=kind, name=meta["name"])
            )
            if kind == "MultiKueueCluster":
                worker = f"--manager {api.context} --worker {meta['name']}=CONTEXT"
                hint = Message("live.play.connect.hint", worker=worker)
                raise LiveError(text, "kueue", hint=hint)
            tell(text)
        waiting = left
        if waiting:
            time.sleep(_PAUSE)


def _inactive(obj: Json) -> str | None:
    for condition in (obj.get("status") or {}).get("conditions") or ():
        if condition["type"] == "Active":
            return None if condition["status"] == "True" else str(condition.get("message"))
    return ""
