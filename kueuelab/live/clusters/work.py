"""Creating, showing and deleting kind clusters, in steps; completed steps are not repeated."""

from __future__ import annotations

from collections.abc import Iterator

from kueuelab.live.clusters.connecting import connecting_steps, worker_states
from kueuelab.live.clusters.frameworks import trimmed
from kueuelab.live.clusters.health import Health
from kueuelab.live.clusters.layout import NAMESPACE, Layout
from kueuelab.live.clusters.runner import Runner
from kueuelab.live.clusters.steps import Step, Tell, Watch, carry_out, unwatched
from kueuelab.live.clusters.tools import DEPLOYMENT, Tools
from kueuelab.live.clusters.wiring import ConnectedCluster, Wiring
from kueuelab.live.installed_release import difference
from kueuelab.manifests.jobs.kinds import JobKind
from kueuelab.messages import Message
from kueuelab.model import nearest_release

__all__ = ["down", "status", "up", "wiring_of"]


def wiring_of(layout: Layout) -> Wiring:
    """Return which clusters are connected, and where inside the container engine's network.

    Examples
    --------
    >>> wiring_of(Layout("lab", workers=1)).workers[0].server
    'https://lab-worker1-control-plane:6443'
    """
    workers = tuple(
        ConnectedCluster(f"kind-{name}", f"w{number}", name, f"https://{name}-control-plane:6443")
        for number, name in enumerate(layout.worker_names, start=1)
    )
    return Wiring(layout.name, ConnectedCluster(f"kind-{layout.manager}"), workers)


def up(
    layout: Layout,
    runner: Runner,
    tell: Tell = lambda sentence: None,
    *,
    configuration: str = "",
    watch: Watch = unwatched,
) -> None:
    """Create the clusters and install Kueue; what is there already is left as it is.

    Parameters
    ----------
    layout
        Which clusters.
    runner
        Runs the commands, or only prints them.
    tell
        Called with what is being done.
    configuration
        Kueue's Configuration as text; the one of the release if empty.
    watch
        Shows the progress.

    Raises
    ------
    LiveError
        If a step fails; it says what to do. Running it again goes on where it stopped.
    """
    tools = Tools(runner)
    tools.check_all()
    found: list[Step] = []
    for cluster in layout.clusters:
        found += _cluster_steps(layout, tools, cluster, configuration)
    if layout.workers:
        # The served kinds are known when all clusters exist.
        found += [_configure_step(layout, tools, name, configuration) for name in layout.clusters]
    found += connecting_steps(wiring_of(layout), tools, tell)
    carry_out(found, tell, watch)


def down(layout: Layout, runner: Runner, tell: Tell = lambda sentence: None) -> None:
    """Delete the clusters that :func:`up` created, and no others. It can be called twice.

    Raises
    ------
    LiveError
        If a cluster of that name was not created by kueuelab, or cannot be deleted.
    """
    tools = Tools(runner)
    tools.check_all()
    there = layout.clusters if tools.is_dry else tools.clusters()
    for cluster in reversed(layout.clusters):
        if cluster not in there:
            tell(Message("live.clusters.missing", cluster=cluster))
            continue
        if not tools.is_dry:
            tools.require_own(cluster)
        tell(Message("live.clusters.delete", cluster=cluster))
        tools.delete(cluster)


def status(layout: Layout, runner: Runner) -> Iterator[Health]:
    """Yield the health of each cluster and of each connection to a worker."""
    tools = Tools(runner)
    tools.check_all()
    there = tools.clusters()
    for cluster in layout.clusters:
        if cluster not in there:
            yield Health(Message("live.health.missing", cluster=cluster), False)
            continue
        context = f"kind-{cluster}"
        version, ready = tools.kueue_version(context), tools.is_ready(context)
        state = "ready" if version and ready else "not-ready" if version else "no-kueue"
        values = {"version": version} if version else {}
        text = Message(f"live.health.{state}", cluster=cluster, context=context, **values)
        yield Health(text, state == "ready")
        if note := difference(version, context, nearest_release(version)):
            yield Health(note, True)
    if layout.manager in there:
        yield from worker_states(wiring_of(layout), tools)


def _cluster_steps(
    layout: Layout, tools: Tools, cluster: str, configuration: str
) -> Iterator[Step]:
    context = f"kind-{cluster}"
    look = Message("live.step.pods.hint", context=context, namespace=NAMESPACE)
    yield Step(
        Message("live.step.create", cluster=cluster),
        lambda: tools.is_own(cluster),
        lambda: tools.create(cluster),
        Message("live.step.create.hint", cluster=cluster),
    )
    yield Step(
        Message("live.step.install", kueue=layout.kueue, cluster=cluster),
        lambda: tools.kueue_version(context) == layout.kueue,
        lambda: tools.apply_from(context, layout.release),
        Message("live.step.install.hint"),
    )
    if configuration and not layout.workers:
        yield _configure_step(layout, tools, cluster, configuration)
    yield Step(
        Message("live.step.ready", cluster=cluster),
        lambda: tools.is_ready(context),
        lambda: tools.wait(context, DEPLOYMENT, "condition=Available", NAMESPACE),
        look,
    )


def _configure_step(layout: Layout, tools: Tools, cluster: str, configuration: str) -> Step:
    context = f"kind-{cluster}"

    def is_done() -> bool:
        wanted = _wanted(layout, tools, cluster, configuration)
        return not tools.is_dry and tools.configuration(context) == wanted

    def configure() -> None:
        if wanted := _wanted(layout, tools, cluster, configuration):
            tools.configure(context, wanted)

    return Step(
        Message(
            "live.step.configure-frameworks" if layout.workers else "live.step.configure",
            cluster=cluster,
        ),
        is_done,
        configure,
        Message("live.step.pods.hint", context=context, namespace=NAMESPACE),
    )


def _wanted(layout: Layout, tools: Tools, cluster: str, configuration: str) -> str:
    """Return the Configuration that a cluster is to have.

    A manager is connected with no worker that lacks a kind of ``integrations.frameworks``, so
    that with MultiKueue all frameworks go that are not served: on a manager, those that any
    of its workers does not serve.
    """
    text = configuration or tools.configuration(f"kind-{cluster}")
    if not layout.workers:
        return text
    concerned = layout.clusters if cluster == layout.manager else (cluster,)

    def serves(kind: JobKind) -> bool:
        return all(tools.serves(f"kind-{each}", kind) for each in concerned)

    return trimmed(text, serves)
