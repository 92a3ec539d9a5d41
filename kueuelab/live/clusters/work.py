"""Making, showing and removing clusters, step by step; what is done is not done again."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from kueuelab.live.clusters import layout as manifests
from kueuelab.live.clusters.layout import LABEL, NAMESPACE, Layout
from kueuelab.live.clusters.runner import Command, Done, Runner
from kueuelab.live.errors import LiveError

__all__ = ["Step", "down", "status", "steps", "up"]

_DEPLOYMENT: Final = "deployment/kueue-controller-manager"
_MARK: Final = ",".join(f"{key}={value}" for key, value in LABEL.items())
_ENGINES: Final = ("docker", "podman")
#: How often something is applied while Kueue's webhook comes up.
_TRIES: Final = 10


@dataclass(frozen=True, slots=True)
class Step:
    """One thing to do.

    Attributes
    ----------
    title
        What it does.
    is_done
        Tells whether it is done already.
    do
        Does it.
    advice
        What to do if it fails.
    """

    title: str
    is_done: Callable[[], bool]
    do: Callable[[], None]
    advice: str


def up(
    layout: Layout,
    runner: Runner,
    tell: Callable[[str], None] = lambda sentence: None,
    *,
    configuration: str = "",
) -> None:
    """Create the clusters and install Kueue; what is there already is left as it is.

    Parameters
    ----------
    layout
        Which clusters.
    runner
        Runs the commands, or only tells them.
    tell
        Told what is being done.
    configuration
        Kueue's Configuration as text; the one of the release if empty.

    Raises
    ------
    LiveError
        If a step fails; it says what to do. Running it again goes on where it stopped.
    """
    tools = _Tools(runner)
    tools.check()
    found = list(steps(layout, tools, configuration))
    for number, step in enumerate(found, start=1):
        label = f"[{number}/{len(found)}] {step.title}"
        if step.is_done():
            tell(f"{label}: done already")
            continue
        tell(label)
        try:
            step.do()
        except LiveError as error:
            if error.problem.hint:
                raise
            raise LiveError(
                f"{step.title}: {error.problem.message}", error.trouble, hint=step.advice
            ) from error


def down(
    layout: Layout, runner: Runner, tell: Callable[[str], None] = lambda sentence: None
) -> None:
    """Delete the clusters that :func:`up` created, and no other; twice does no harm.

    Raises
    ------
    LiveError
        If a cluster of that name was not created by kueuelab, or cannot be deleted.
    """
    tools = _Tools(runner)
    there = layout.clusters if runner.is_dry else tools.clusters()
    for cluster in reversed(layout.clusters):
        if cluster not in there:
            tell(f"{cluster} is not there")
            continue
        if not runner.is_dry:
            tools.require_own(cluster)
        tell(f"delete {cluster}")
        tools.must(Command(("kind", "delete", "cluster", "--name", cluster), seconds=180))


def status(layout: Layout, runner: Runner) -> Iterator[str]:
    """Yield a sentence about each cluster, and about each connection to a worker."""
    tools = _Tools(runner)
    there = tools.clusters()
    for cluster in layout.clusters:
        if cluster not in there:
            yield f"{cluster}: not there"
            continue
        version = tools.kueue_version(cluster)
        ready = tools.is_ready(cluster)
        state = f"Kueue {version}, {'ready' if ready else 'not ready'}" if version else "no Kueue"
        yield f"{cluster} (context kind-{cluster}): {state}"
    for worker in layout.worker_names if layout.manager in there else ():
        connected = "connected" if tools.is_connected(layout.manager, worker) else "not connected"
        yield f"MultiKueueCluster {worker}: {connected}"


def steps(layout: Layout, tools: _Tools, configuration: str = "") -> Iterator[Step]:
    """Yield what is to be done, in order."""
    for cluster in layout.clusters:
        yield from _cluster_steps(layout, tools, cluster, configuration)
    for worker in layout.worker_names:
        yield from _worker_steps(layout, tools, worker)
    if layout.workers:
        text = manifests.multikueue(layout)
        yield Step(
            f"tell {layout.manager} about its workers",
            lambda: False,
            lambda: tools.apply(layout.manager, text),
            f"Look at: kubectl --context kind-{layout.manager} get multikueueclusters",
        )
    for worker in layout.worker_names:
        yield Step(
            f"wait until {worker} is connected",
            lambda worker=worker: tools.is_connected(layout.manager, worker),  # type: ignore[misc]
            lambda worker=worker: tools.wait(  # type: ignore[misc]
                layout.manager, f"multikueuecluster/{worker}", "condition=Active"
            ),
            f"Look at: kubectl --context kind-{layout.manager} describe multikueuecluster {worker}",
        )


def _cluster_steps(
    layout: Layout, tools: _Tools, cluster: str, configuration: str
) -> Iterator[Step]:
    look = f"Look at: kubectl --context kind-{cluster} -n {NAMESPACE} get pods"
    yield Step(
        f"create {cluster}",
        lambda: tools.is_own(cluster),
        lambda: tools.create(cluster),
        f"Look at what kind says, then: kind delete cluster --name {cluster}",
    )
    yield Step(
        f"install Kueue {layout.kueue} in {cluster}",
        lambda: tools.kueue_version(cluster) == layout.kueue,
        lambda: tools.apply_from(cluster, layout.release),
        "Check the network, and that there is such a release",
    )
    if configuration:
        yield Step(
            f"configure Kueue in {cluster}",
            lambda: tools.configuration(cluster) == configuration,
            lambda: tools.configure(cluster, configuration),
            look,
        )
    yield Step(
        f"wait until Kueue is ready in {cluster}",
        lambda: tools.is_ready(cluster),
        lambda: tools.wait(cluster, _DEPLOYMENT, "condition=Available", NAMESPACE),
        look,
    )


def _worker_steps(layout: Layout, tools: _Tools, worker: str) -> Iterator[Step]:
    yield Step(
        f"let {layout.manager} in at {worker}",
        lambda: False,
        lambda: tools.apply(worker, manifests.worker_access()),
        f"Look at: kubectl --context kind-{worker} -n {NAMESPACE} get serviceaccounts",
    )
    yield Step(
        f"give {layout.manager} the login for {worker}",
        lambda: False,
        lambda: tools.hand_over(layout.manager, worker),
        f"Look at: kubectl --context kind-{worker} -n {NAMESPACE} get secrets",
    )


class _Tools:
    """kind, kubectl and the container engine."""

    def __init__(self, runner: Runner) -> None:
        self._runner = runner

    # --- asking ------------------------------------------------------------------------

    def check(self) -> None:
        """Check that everything is installed, one sentence each."""
        if self._runner.is_dry:
            return
        self._runner.run(Command(("kubectl", "version", "--client"), reads=True))
        self._runner.run(Command(("kind", "version"), reads=True))
        silent = ""
        for engine in _ENGINES:
            try:
                if self._runner.run(Command((engine, "info"), reads=True)).ok:
                    return
                silent = silent or engine
            except LiveError:
                continue
        if silent:
            hint = f"Start it, and look at: {silent} info"
            raise LiveError(f"{silent} is installed but does not answer", "command", hint=hint)
        hint = "Install docker or podman"
        raise LiveError("there is no container engine", "command", hint=hint)

    def clusters(self) -> tuple[str, ...]:
        """Return the kind clusters that there are."""
        return tuple(self._ask("kind", "get", "clusters").stdout.split())

    def is_own(self, cluster: str) -> bool:
        """Tell whether a cluster is there; another's of the same name is an error."""
        if cluster not in self.clusters():
            return False
        self.require_own(cluster)
        return True

    def require_own(self, cluster: str) -> None:
        """Refuse a cluster that kueuelab did not create."""
        nodes = self._kubectl(cluster, "get", "nodes", "-l", _MARK, "-o", "name")
        if nodes.ok and nodes.stdout.strip():
            return
        if nodes.ok:
            message = f"the kind cluster '{cluster}' was not created by kueuelab"
            raise LiveError(message, "guarded", hint="Choose another --name")
        hint = f"If it is only half made: kind delete cluster --name {cluster}"
        raise LiveError(f"the kind cluster '{cluster}' does not answer", "unreachable", hint=hint)

    def kueue_version(self, cluster: str) -> str:
        """Return the version of Kueue that is installed, ``""`` if none is."""
        path = "jsonpath={.spec.template.spec.containers[0].image}"
        image = self._kubectl(cluster, "-n", NAMESPACE, "get", _DEPLOYMENT, "-o", path)
        return image.stdout.strip().rpartition(":")[2] if image.ok else ""

    def is_ready(self, cluster: str) -> bool:
        """Tell whether Kueue is available."""
        path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}'
        found = self._kubectl(cluster, "-n", NAMESPACE, "get", _DEPLOYMENT, "-o", path)
        return found.ok and found.stdout.strip() == "True"

    def is_connected(self, manager: str, worker: str) -> bool:
        """Tell whether the manager reaches a worker."""
        path = 'jsonpath={.status.conditions[?(@.type=="Active")].status}'
        found = self._kubectl(manager, "get", "multikueuecluster", worker, "-o", path)
        return found.ok and found.stdout.strip() == "True"

    def configuration(self, cluster: str) -> str:
        """Return Kueue's Configuration as it is in the cluster."""
        path = r"jsonpath={.data.controller_manager_config\.yaml}"
        name = "configmap/kueue-manager-config"
        return self._kubectl(cluster, "-n", NAMESPACE, "get", name, "-o", path).stdout

    # --- doing -------------------------------------------------------------------------

    def create(self, cluster: str) -> None:
        """Create a kind cluster."""
        args = ("kind", "create", "cluster", "--name", cluster, "--wait", "120s", "--config", "-")
        self.must(Command(args, stdin=manifests.kind_config(), seconds=600))

    def apply(self, cluster: str, text: str, *, secret: bool = False) -> None:
        """Apply manifests, server-side; a webhook that is not up yet is given a moment."""
        args = (*_at(cluster), "apply", "--server-side", "--field-manager=kueuelab", "-f", "-")
        command = Command(args, stdin=text, secret=secret)
        for _ in range(_TRIES):
            done = self._runner.run(command)
            if done.ok or "failed calling webhook" not in done.stderr:
                return self._require(command, done)
            self._runner.pause(3)
        return self.must(command)

    def apply_from(self, cluster: str, address: str) -> None:
        """Apply the manifests at an address, server-side."""
        self.must(Command((*_at(cluster), "apply", "--server-side", "-f", address), seconds=180))

    def configure(self, cluster: str, text: str) -> None:
        """Replace Kueue's Configuration, and restart Kueue."""
        args = (*_at(cluster), "apply", "--server-side", "--force-conflicts", "-f", "-")
        self.must(Command(args, stdin=manifests.configuration_map(text)))
        rollout = (*_at(cluster), "-n", NAMESPACE, "rollout")
        self.must(Command((*rollout, "restart", _DEPLOYMENT)))
        self.must(Command((*rollout, "status", _DEPLOYMENT, "--timeout=300s"), seconds=330))

    def wait(self, cluster: str, what: str, condition: str, namespace: str = "") -> None:
        """Wait until something is so."""
        inside = ("-n", namespace) if namespace else ()
        args = (*_at(cluster), *inside, "wait", what, f"--for={condition}", "--timeout=300s")
        self.must(Command(args, seconds=330))

    def hand_over(self, manager: str, worker: str) -> None:
        """Take the token from a worker and give it to the manager; it is never shown."""
        token, authority = "PHRva2VuPg==", "PGF1dGhvcml0eT4="
        if not self._runner.is_dry:
            token = self._token_field(worker, "jsonpath={.data.token}")
            authority = self._token_field(worker, r"jsonpath={.data.ca\.crt}")
        self.apply(manager, manifests.worker_secret(worker, token, authority), secret=True)

    def _token_field(self, worker: str, path: str) -> str:
        args = (*_at(worker), "-n", NAMESPACE, "get", "secret", "multikueue-sa", "-o", path)
        found = self._runner.run(Command(args, secret=True, reads=True))
        if not found.ok or not found.stdout.strip():
            raise LiveError(f"{worker} has no token yet", "missing")
        return found.stdout.strip()

    def must(self, command: Command) -> None:
        """Run a command that has to succeed."""
        self._require(command, self._runner.run(command))

    def _require(self, command: Command, done: Done) -> None:
        if not done.ok:
            said = [line for line in done.stderr.splitlines() if line.strip()]
            program = " ".join(command.args[:1])
            told = "" if command.secret else f": {said[-1].strip()}" if said else ""
            raise LiveError(f"{program} failed (exit code {done.code}){told}", "command")

    def _ask(self, *args: str) -> Done:
        return self._runner.run(Command(args, reads=True))

    def _kubectl(self, cluster: str, *args: str) -> Done:
        return self._ask(*_at(cluster), "--request-timeout=10s", *args)


def _at(cluster: str) -> tuple[str, ...]:
    return "kubectl", "--context", f"kind-{cluster}"
