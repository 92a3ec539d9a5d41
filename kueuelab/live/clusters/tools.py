"""The commands of kind, kubectl and the container engine."""

from __future__ import annotations

import json
import os
from typing import Final

from kueuelab.live.clusters import layout as manifests
from kueuelab.live.clusters.layout import BEFORE, CONFIG_MAP, LABEL, NAMESPACE
from kueuelab.live.clusters.runner import Command, Done, Runner
from kueuelab.live.errors import LiveError
from kueuelab.manifests.jobs.kinds import JobKind
from kueuelab.manifests.loading.dumped_version import version_of_image
from kueuelab.messages import Message

__all__ = ["DEPLOYMENT", "Tools"]

DEPLOYMENT: Final = "deployment/kueue-controller-manager"
_MARK: Final = ",".join(f"{key}={value}" for key, value in LABEL.items())
_ENGINES: Final = ("docker", "podman")
_PROVIDER: Final = "KIND_EXPERIMENTAL_PROVIDER"
#: How often something is tried while others come up, and how long in between.
_TRIES: Final = 10
_PAUSE: Final = 3.0
#: The labels that say what made an object, without its contents.
#: What kubectl and API servers print.
_PRINTED_MISSING: Final = ("not find", "NotFound")
_PRINTED_WEBHOOK_FAILED: Final = "failed calling webhook"
_PRINTED_UNKNOWN_KIND: Final = "have a resource type"
_OWNER: Final = (
    "custom-columns=KIND:.kind,NAME:.metadata.name,"
    r"BY:.metadata.labels.app\.kubernetes\.io/managed-by,"
    r"WIRING:.metadata.labels.kueuelab/wiring"
)


class Tools:
    """kind, kubectl and the container engine.

    Parameters
    ----------
    runner
        Runs the commands, or only prints them.
    """

    def __init__(self, runner: Runner) -> None:
        self._runner = runner
        self._served: dict[tuple[str, str], frozenset[str]] = {}
        #: Tells kind which engine to use, where it would choose another one.
        self._provider: dict[str, str] = {}

    @property
    def is_dry(self) -> bool:
        """Whether nothing is really run."""
        return self._runner.is_dry

    # --- what is installed ---------------------------------------------------------------

    def check_kubectl(self) -> None:
        """Check that kubectl is installed."""
        if not self.is_dry:
            self.must(Command(("kubectl", "version", "--client"), reads=True))

    def check_all(self) -> None:
        """Check that everything is installed that kind needs, one sentence each."""
        if self.is_dry:
            return
        self.check_kubectl()
        self.must(Command(("kind", "version"), reads=True))
        chosen, silent = os.environ.get(_PROVIDER, ""), ""
        for engine in (chosen,) if chosen else _ENGINES:
            try:
                if self._runner.run(Command((engine, "info"), reads=True)).ok:
                    # kind takes docker where it is installed, whether it answers or not.
                    self._provider = {} if engine == _ENGINES[0] else {_PROVIDER: engine}
                    return
                silent = silent or engine
            except LiveError as error:
                if error.trouble != "timeout":
                    continue
                silent = silent or engine
        if silent:
            hint = Message("live.engine.silent.hint", silent=silent)
            raise LiveError(Message("live.engine.silent", silent=silent), "command", hint=hint)
        hint = Message("live.engine.missing.hint")
        raise LiveError(Message("live.engine.missing"), "command", hint=hint)

    # --- kind ----------------------------------------------------------------------------

    def clusters(self) -> tuple[str, ...]:
        """Return the kind clusters that there are."""
        command = Command(("kind", "get", "clusters"), reads=True, environment=self._provider)
        done = self._runner.run(command)
        if not self.is_dry:
            self._require(command, done)
        return tuple(done.stdout.split())

    def is_own(self, cluster: str) -> bool:
        """Tell whether a kind cluster is there; another's of the same name is an error."""
        if cluster not in self.clusters():
            return False
        self.require_own(cluster)
        return True

    def require_own(self, cluster: str) -> None:
        """Refuse a kind cluster that kueuelab did not create."""
        nodes = self._kubectl(f"kind-{cluster}", "get", "nodes", "-l", _MARK, "-o", "name")
        if nodes.ok and nodes.stdout.strip():
            return
        if nodes.ok:
            message = Message("live.clusters.not-ours", cluster=cluster)
            raise LiveError(message, "guarded", hint=Message("live.clusters.not-ours.hint"))
        hint = Message("live.clusters.incomplete.hint", cluster=cluster)
        raise LiveError(
            Message("live.clusters.incomplete", cluster=cluster), "unreachable", hint=hint
        )

    def create(self, cluster: str) -> None:
        """Create a kind cluster."""
        args = ("kind", "create", "cluster", "--name", cluster, "--wait", "120s", "--config", "-")
        config = manifests.kind_config()
        self.must(Command(args, stdin=config, seconds=600, environment=self._provider))

    def delete(self, cluster: str) -> None:
        """Delete a kind cluster."""
        args = ("kind", "delete", "cluster", "--name", cluster)
        self.must(Command(args, seconds=180, environment=self._provider))

    # --- reading -------------------------------------------------------------------------

    def kueue_version(self, context: str) -> str:
        """Return the version of Kueue that is installed, ``""`` if none is."""
        path = "jsonpath={.spec.template.spec.containers[0].image}"
        image = self._kubectl(context, "-n", NAMESPACE, "get", DEPLOYMENT, "-o", path)
        return version_of_image(image.stdout.strip()) if image.ok else ""

    def is_ready(self, context: str) -> bool:
        """Tell whether Kueue is available."""
        path = 'jsonpath={.status.conditions[?(@.type=="Available")].status}'
        found = self._kubectl(context, "-n", NAMESPACE, "get", DEPLOYMENT, "-o", path)
        return found.ok and found.stdout.strip() == "True"

    def serves_kueue(self, context: str) -> bool:
        """Tell whether an API server knows Kueue's kinds, wherever Kueue itself may run.

        Raises
        ------
        LiveError
            If it does not answer.
        """
        found = self._kubectl(context, "get", "--raw", "/apis/kueue.x-k8s.io/v1beta2")
        if found.ok or _is_missing(found) or self.is_dry:
            return found.ok
        raise LiveError(
            Message("live.command.cannot-ask", context=context, last=_last(found.stderr)),
            "unreachable",
        )

    def serves(self, context: str, kind: JobKind) -> bool:
        """Tell whether an API server serves a kind of job; in a dry run, all of them.

        Raises
        ------
        LiveError
            If it does not answer.
        """
        version = kind.api_version
        known = self._served.get((context, version))
        if known is None:
            path = f"/apis/{version}" if "/" in version else f"/api/{version}"
            found = self._kubectl(context, "get", "--raw", path)
            if self.is_dry:
                return True
            if not found.ok and not _is_missing(found):
                message = Message(
                    "live.command.cannot-ask", context=context, last=_last(found.stderr)
                )
                raise LiveError(message, "unreachable")
            known = self._served[context, version] = _kinds_in(found.stdout)
        return kind.kind in known

    def has_namespace(self, context: str) -> bool:
        """Tell whether there is the namespace that Kueue keeps its secrets in."""
        return self._kubectl(context, "get", "namespace", NAMESPACE, "-o", "name").ok

    def has_node(self, context: str, name: str) -> bool:
        """Tell whether a cluster has a node of a name."""
        return self._kubectl(context, "get", "node", name, "-o", "name").ok

    def connection(self, context: str, cluster: str) -> tuple[bool, str]:
        """Return whether a MultiKueueCluster is connected, and Kueue's message."""
        path = 'jsonpath={range .status.conditions[?(@.type=="Active")]}{.status} {.message}{end}'
        found = self._kubectl(context, "get", "multikueuecluster", cluster, "-o", path)
        status, _, message = found.stdout.strip().partition(" ")
        return found.ok and status == "True", message.strip()

    def server(self, context: str) -> str:
        """Return the address of a cluster, as the kubeconfig has it."""
        return self._configured(context, "server")

    def authority(self, context: str) -> str:
        """Return the authority that a cluster's certificate comes from, in base64."""
        return self._configured(context, "certificate-authority-data")

    def _configured(self, context: str, name: str) -> str:
        path = f"jsonpath={{.clusters[0].cluster.{name}}}"
        view = ("config", "view", "--raw", "--flatten", "--minify", "-o", path)
        args = ("kubectl", "--context", context, *view)
        return self._runner.run(Command(args, reads=True)).stdout.strip()

    def configuration(self, context: str) -> str:
        """Return Kueue's Configuration as it is in the cluster."""
        path = r"jsonpath={.data.controller_manager_config\.yaml}"
        name = f"configmap/{CONFIG_MAP}"
        return self._kubectl(context, "-n", NAMESPACE, "get", name, "-o", path).stdout

    def configuration_before(self, context: str) -> str:
        """Return the Configuration that was there before that of a scenario; ``""`` if none was."""
        path = f"jsonpath={{.metadata.annotations.{BEFORE}}}"
        name = f"configmap/{CONFIG_MAP}"
        return self._kubectl(context, "-n", NAMESPACE, "get", name, "-o", path).stdout

    def require_free(self, context: str, text: str, wiring: str, *, secret: bool = False) -> None:
        """Refuse to overwrite objects of others.

        Raises
        ------
        LiveError
            If one of these objects is there and was not made for this wiring.
        """
        args = (*_at(context), "get", "-f", "-", "--ignore-not-found", "--no-headers")
        command = Command((*args, "-o", _OWNER), stdin=text, reads=True, secret=secret)
        for line in self._runner.run(command).stdout.splitlines():
            kind, name, *owner = line.split()
            if owner != [LABEL["app.kubernetes.io/managed-by"], wiring]:
                message = Message("live.exists")
                hint = Message("live.exists.names.hint")
                raise LiveError(message, "exists", object=f"{kind}/{name}", hint=hint)

    # --- writing -------------------------------------------------------------------------

    def apply(self, context: str, text: str, *, secret: bool = False) -> None:
        """Apply manifests, server-side; again if a webhook is not available yet."""
        args = (*_at(context), "apply", "--server-side", "--field-manager=kueuelab", "-f", "-")
        command = Command(args, stdin=text, secret=secret)
        for _ in range(_TRIES):
            done = self._runner.run(command)
            if done.ok or _PRINTED_WEBHOOK_FAILED not in done.stderr:
                return self._require(command, done)
            self._runner.pause(_PAUSE)
        return self.must(command)

    def apply_from(self, context: str, address: str) -> None:
        """Apply the manifests at an address, server-side."""
        self.must(Command((*_at(context), "apply", "--server-side", "-f", address), seconds=180))

    def configure(self, context: str, text: str, before: str = "") -> None:
        """Replace Kueue's Configuration, and restart Kueue; ``before`` is kept beside it."""
        args = (*_at(context), "apply", "--server-side", "--force-conflicts", "-f", "-")
        self.must(Command(args, stdin=manifests.configuration_map(text, before)))
        rollout = (*_at(context), "-n", NAMESPACE, "rollout")
        self.must(Command((*rollout, "restart", DEPLOYMENT)))
        self.must(Command((*rollout, "status", DEPLOYMENT, "--timeout=300s"), seconds=330))

    def wait(
        self, context: str, what: str, condition: str, namespace: str = "", seconds: int = 300
    ) -> None:
        """Wait until a condition is true."""
        inside = ("-n", namespace) if namespace else ()
        args = (*_at(context), *inside, "wait", what, f"--for={condition}", f"--timeout={seconds}s")
        self.must(Command(args, seconds=seconds + 30))

    def remove(self, context: str, kinds: str, selector: str, namespace: str = "") -> bool:
        """Delete the objects with these labels, and nothing else; tell whether there were any."""
        inside = ("-n", namespace) if namespace else ()
        args = (*_at(context), *inside, "delete", kinds, "-l", selector, "--timeout=60s")
        command = Command(args, seconds=90)
        done = self._runner.run(command)
        # A kind that is not served has no objects.
        if not done.ok and _PRINTED_UNKNOWN_KIND in done.stderr:
            return False
        self._require(command, done)
        return bool(done.stdout.strip())

    def token(self, context: str, account: str) -> tuple[str, str]:
        """Return the token of a service account and the authority, both as they are served.

        A controller writes them into the account's Secret. Where none runs, the API server
        itself gives a token for a year, and the kubeconfig has the authority.

        Raises
        ------
        LiveError
            If there is no token.
        """
        for attempt in range(_TRIES):
            if attempt:
                self._runner.pause(_PAUSE)
            token = self._field(context, account, "jsonpath={.data.token}")
            authority = self._field(context, account, r"jsonpath={.data.ca\.crt}")
            if token and authority:
                return token, authority
            if self.is_dry:
                break
        return "", ""

    def requested_token(self, context: str, account: str) -> str:
        """Return a token for a year, plain, from the API server itself."""
        make = ("create", "token", account, "--duration=8760h")
        args = (*_at(context), "-n", NAMESPACE, *make)
        command = Command(args, secret=True, reads=True)
        done = self._runner.run(command)
        if not self.is_dry:
            self._require(command, done)
        return done.stdout.strip()

    def _field(self, context: str, account: str, path: str) -> str:
        args = (*_at(context), "-n", NAMESPACE, "get", "secret", account, "-o", path)
        found = self._runner.run(Command(args, secret=True, reads=True))
        return found.stdout.strip() if found.ok else ""

    def pause(self) -> None:
        """Wait for a moment."""
        self._runner.pause(_PAUSE)

    def must(self, command: Command) -> None:
        """Run a command that has to succeed."""
        self._require(command, self._runner.run(command))

    def _require(self, command: Command, done: Done) -> None:
        if not done.ok:
            program, error = command.args[0], "" if command.secret else _last(done.stderr)
            message = (
                Message("live.command.failed-because", program=program, code=done.code, error=error)
                if error
                else Message("live.command.failed", program=program, code=done.code)
            )
            raise LiveError(message, "command")

    def _kubectl(self, context: str, *args: str) -> Done:
        return self._runner.run(
            Command((*_at(context), "--request-timeout=10s", *args), reads=True)
        )


def _is_missing(done: Done) -> bool:
    return any(text in done.stderr for text in _PRINTED_MISSING)


def _last(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1] if lines else ""


def _kinds_in(answer: str) -> frozenset[str]:
    """Return the kinds in an API server's list of what it serves in a version."""
    try:
        resources = json.loads(answer)["resources"]
        return frozenset(str(resource["kind"]) for resource in resources)
    except (ValueError, TypeError, KeyError):
        return frozenset()


def _at(context: str) -> tuple[str, ...]:
    return "kubectl", "--context", context
