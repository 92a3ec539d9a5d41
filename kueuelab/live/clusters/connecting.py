"""Connecting a manager with its workers, showing the state, and disconnecting."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from typing import Final

from kueuelab.live.clusters import wiring as manifests
from kueuelab.live.clusters.addresses import is_of_one_machine, reached_at
from kueuelab.live.clusters.frameworks import kind_in, not_served, unwatchable
from kueuelab.live.clusters.health import Health
from kueuelab.live.clusters.layout import NAMESPACE, release_of
from kueuelab.live.clusters.runner import Runner
from kueuelab.live.clusters.steps import Step, Tell, Watch, carry_out, unwatched
from kueuelab.live.clusters.tools import Tools
from kueuelab.live.clusters.wiring import ConnectedCluster, Login, Wiring
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import KUEUE_GROUP
from kueuelab.manifests.jobs.kinds import JobKind
from kueuelab.messages import Message
from kueuelab.model import RELEASE

__all__ = ["connect", "connecting_steps", "connections", "disconnect"]

#: What is removed from a manager, and from a worker: objects that refer to others go first.
_OF_MANAGER: Final = tuple(
    f"{kind}.{KUEUE_GROUP}"
    for kind in ("admissionchecks", "multikueueconfigs", "multikueueclusters")
)
_OF_WORKER: Final = ("clusterrolebindings", "clusterroles")
#: How often a connection is waited for, and for how many seconds each time.
_WAITS: Final = 10
_WAIT: Final = 30


def connect(
    wiring: Wiring,
    runner: Runner,
    tell: Tell = lambda sentence: None,
    *,
    kueue: str = RELEASE.version,
    watch: Watch = unwatched,
) -> None:
    """Connect clusters that are there and have Kueue; what is done is left as it is.

    Parameters
    ----------
    wiring
        Which clusters.
    runner
        Runs the commands, or only prints them.
    tell
        Called with what is being done.
    kueue
        The Kueue release that a hint names if Kueue is missing.
    watch
        Shows the progress.

    Raises
    ------
    LiveError
        If a step fails; it says what to do. Running it again goes on where it stopped.
    """
    tools = Tools(runner)
    tools.check_kubectl()
    found = [*_presence_steps(wiring, tools, kueue), *connecting_steps(wiring, tools, tell)]
    carry_out(found, tell, watch)


def _presence_steps(wiring: Wiring, tools: Tools, kueue: str) -> Iterator[Step]:
    """Yield a check of each cluster: nothing is installed on a cluster of others."""
    for cluster in wiring.clusters:
        at = f"kubectl --context {cluster.context}"
        yield Step(
            Message("live.step.find-kueue", context=cluster.context),
            lambda cluster=cluster: tools.serves_kueue(cluster.context),  # type: ignore[misc]
            lambda: _missing(tools, Message("live.step.find-kueue.not-served")),
            Message("live.step.find-kueue.hint", at=at, release_of=release_of(kueue)),
        )
        if wiring.workers:
            yield Step(
                Message("live.step.find-namespace", namespace=NAMESPACE, context=cluster.context),
                lambda cluster=cluster: tools.has_namespace(cluster.context),  # type: ignore[misc]
                lambda: _missing(tools, Message("live.step.find-namespace.missing")),
                Message("live.step.find-namespace.hint", at=at, namespace=NAMESPACE),
            )
    for worker in wiring.workers:
        yield Step(
            Message(
                "live.step.find-address", manager=wiring.manager.context, worker=worker.context
            ),
            lambda: False,
            lambda worker=worker: _find_address(wiring, worker, tools),  # type: ignore[misc]
            Message("live.connect.local-address.hint", alias=worker.alias),
        )
        yield Step(
            Message("live.step.find-kinds", manager=wiring.manager.context, worker=worker.context),
            lambda: False,
            lambda worker=worker: _find_kinds(wiring.manager.context, worker, tools),  # type: ignore[misc]
            Message("live.step.find-kinds.hint", context=worker.context),
        )


def _find_address(wiring: Wiring, worker: ConnectedCluster, tools: Tools) -> None:
    reached_at(wiring, worker, tools)


def _find_kinds(manager: str, worker: ConnectedCluster, tools: Tools) -> None:
    """Make sure that a worker serves all kinds that Kueue of the manager watches there.

    Where the Configuration can't be read, the MultiKueueCluster says what is missing.
    """
    missing = _not_served(manager, worker, tools)
    if missing:
        raise unwatchable(manager, worker.context, missing)


def _not_served(manager: str, worker: ConnectedCluster, tools: Tools) -> tuple[JobKind, ...]:
    text = tools.configuration(manager)
    return not_served(text, lambda kind: tools.serves(worker.context, kind)) if text else ()


def _missing(tools: Tools, message: str) -> None:
    if not tools.is_dry:
        raise LiveError(message, "missing")


def connecting_steps(wiring: Wiring, tools: Tools, tell: Tell) -> Iterator[Step]:
    """Yield the steps on workers and manager, in order; none without workers."""
    manager = wiring.manager.context
    for worker in wiring.workers:
        at = f"kubectl --context {worker.context} -n {NAMESPACE}"
        yield Step(
            Message("live.step.grant-access", manager=manager, context=worker.context),
            lambda: False,
            lambda worker=worker: _let_in(wiring, worker, tools),  # type: ignore[misc]
            Message("live.step.grant-access.hint", at=at),
        )
        yield Step(
            Message("live.step.give-credentials", manager=manager, context=worker.context),
            lambda: False,
            lambda worker=worker: _hand_over(wiring, worker, tools, tell),  # type: ignore[misc]
            Message("live.step.give-credentials.hint", at=at),
        )
    if not wiring.workers:
        return
    yield Step(
        Message("live.step.name-workers", manager=manager),
        lambda: False,
        lambda: _apply(wiring, manager, manifests.multikueue(wiring), tools),
        Message("live.step.name-workers.hint", manager=manager),
    )
    for worker in wiring.workers:
        yield Step(
            Message("live.step.connected", name=worker.name),
            lambda worker=worker: tools.connection(manager, worker.name)[0],  # type: ignore[misc]
            lambda worker=worker: _wait(manager, worker, tools),  # type: ignore[misc]
            Message(
                "live.step.connected.hint",
                manager=manager,
                context=worker.context,
                alias=worker.alias,
            ),
        )


def _apply(wiring: Wiring, context: str, text: str, tools: Tools, *, secret: bool = False) -> None:
    tools.require_free(context, text, wiring.name, secret=secret)
    tools.apply(context, text, secret=secret)


def _let_in(wiring: Wiring, worker: ConnectedCluster, tools: Tools) -> None:
    _apply(wiring, worker.context, manifests.worker_access(wiring), tools)


def _hand_over(wiring: Wiring, worker: ConnectedCluster, tools: Tools, tell: Tell) -> None:
    """Copy the token from a worker to the manager; it is never shown."""
    login = _login(wiring, worker, tools)
    if is_of_one_machine(login.server):
        tell(Message("live.connect.given-local-address", server=login.server))
    # A dry run has placeholders instead of credentials.
    text = manifests.worker_secret(wiring, worker, login, plain=tools.is_dry)
    _apply(wiring, wiring.manager.context, text, tools, secret=not tools.is_dry)


def _login(wiring: Wiring, worker: ConnectedCluster, tools: Tools) -> Login:
    token, authority = tools.token(worker.context, wiring.account)
    server = reached_at(wiring, worker, tools)
    if token:
        plain = base64.b64decode(token).decode()
    else:
        plain = tools.requested_token(worker.context, wiring.account)
        authority = tools.authority(worker.context)
    if tools.is_dry:
        context = worker.context
        return Login(
            server or str(Message("live.connect.dry.address", context=context)),
            str(Message("live.connect.dry.token", context=context)),
            str(Message("live.connect.dry.authority", context=context)),
        )
    if not authority:
        raise LiveError(Message("live.connect.no-authority"), "missing")
    return Login(server, plain, authority)


def _wait(manager: str, worker: ConnectedCluster, tools: Tools) -> None:
    """Wait for a connection, unless it can never be made."""
    for attempt in range(1, _WAITS + 1):
        try:
            tools.wait(
                manager, f"multikueuecluster/{worker.name}", "condition=Active", seconds=_WAIT
            )
            return
        except LiveError as error:
            _, message = tools.connection(manager, worker.name)
            if missing := kind_in(message):
                found = _not_served(manager, worker, tools)
                raise unwatchable(manager, worker.context, found or missing) from error
            if attempt == _WAITS:
                if not message:
                    raise
                raise LiveError(
                    Message("live.connect.kueue-says", error=message), error.trouble
                ) from error


def connections(wiring: Wiring, runner: Runner) -> Iterator[Health]:
    """Yield the health of each cluster and of each connection to a worker."""
    tools = Tools(runner)
    tools.check_kubectl()
    reached: set[str] = set()
    for cluster in wiring.clusters:
        try:
            serves = tools.serves_kueue(cluster.context)
        except LiveError as error:
            yield Health(error.problem.message, False)
            continue
        reached.add(cluster.context)
        found = "live.health.kueue-api" if serves else "live.health.no-kueue-api"
        yield Health(Message(found, context=cluster.context), serves)
    if wiring.manager.context in reached:
        yield from worker_states(wiring, tools)


def worker_states(wiring: Wiring, tools: Tools) -> Iterator[Health]:
    """Yield the health of each connection, by the manager."""
    for worker in wiring.workers:
        connected, message = tools.connection(wiring.manager.context, worker.name)
        why = f": {message}" if message and not connected else ""
        found = f"{'' if connected else 'not '}connected{why}"
        yield Health(f"MultiKueueCluster {worker.name}: {found}", connected)


def disconnect(wiring: Wiring, runner: Runner, tell: Tell = lambda sentence: None) -> None:
    """Remove what :func:`connect` made, by its labels, and nothing else.

    Raises
    ------
    LiveError
        If something can't be removed.
    """
    tools = Tools(runner)
    tools.check_kubectl()
    selector, removed = wiring.selector, False
    manager = wiring.manager.context
    tell(Message("live.step.remove-workers", manager=manager))
    for kind in _OF_MANAGER:
        try:
            removed |= tools.remove(manager, kind, selector)
        except LiveError as error:
            hint = Message("live.step.remove-workers.hint")
            raise LiveError(error.problem.message, error.trouble, hint=hint) from error
    removed |= tools.remove(manager, "secrets", selector, NAMESPACE)
    for worker in wiring.workers:
        tell(Message("live.step.revoke-access", manager=manager, context=worker.context))
        for kind in _OF_WORKER:
            removed |= tools.remove(worker.context, kind, selector)
        removed |= tools.remove(worker.context, "serviceaccounts,secrets", selector, NAMESPACE)
    if not removed and not tools.is_dry:
        tell(Message("live.clusters.nothing-to-remove"))
