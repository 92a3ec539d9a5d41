"""An API server in this process, over real sockets, with the lab in the place of Kueue.

It keeps objects as an API server does: resource versions, uids, generations, finalizers,
status apart from the rest, optimistic locking, watches, namespaces that have to be there.
It runs no pods and, unless told otherwise, has no nodes and no controllers of Kubernetes:
no job controller, no garbage collector, nobody who finishes the removal of a namespace.
"""

from __future__ import annotations

import json
import socket
import threading
import time
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import yaml

from kueuelab.live.resources import JOBS, KUEUE, LEASES, READ, WORKLOADS, Resource
from kueuelab.manifests import load, read_object
from kueuelab.manifests.decode import decode_object
from kueuelab.manifests.encode import encode_object
from kueuelab.manifests.server.judge import is_judged, judge
from kueuelab.model import Workload, WorkloadStatus
from kueuelab.simulation import Cluster
from kueuelab.simulation.reconcile import finish
from kueuelab.simulation.status import read_back

Json = dict[str, Any]

OTHERS = (
    LEASES,
    Resource("Event", "events", "", "v1"),
    Resource("ConfigMap", "configmaps", "", "v1"),
    Resource("Deployment", "deployments", "apps", "v1"),
)
RESOURCES = {(each.group, each.plural): each for each in (*READ, *OTHERS)}


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


#: Namespaces that every API server has.
_SYSTEM = ("default", "kube-node-lease", "kueue-system")
_NOT_READY = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


class RefusedError(Exception):
    def __init__(self, code: int, reason: str, message: str) -> None:
        super().__init__(message)
        self.code, self.reason = code, reason


class Store:
    """Objects, and everything that ever happened to them."""

    def __init__(self, *, namespaces_go: bool) -> None:
        self.lock = threading.RLock()
        self.objects: dict[tuple[str, str, str, str], Json] = {}
        self.log: list[tuple[int, str, tuple[str, str], Json]] = []
        self.version = 1
        self.namespaces_go = namespaces_go
        self.changed = threading.Condition(self.lock)

    def key(self, resource: Resource, namespace: str, name: str) -> tuple[str, str, str, str]:
        return resource.group, resource.plural, namespace, name

    def _tell(self, type_: str, resource: Resource, obj: Json) -> None:
        self.version += 1
        obj["metadata"]["resourceVersion"] = str(self.version)
        where = (resource.group, resource.plural)
        self.log.append((self.version, type_, where, json.loads(json.dumps(obj))))
        self.changed.notify_all()

    def get(self, resource: Resource, namespace: str, name: str) -> Json:
        found = self.objects.get(self.key(resource, namespace, name))
        if found is None:
            raise RefusedError(404, "NotFound", f'{resource.plural} "{name}" not found')
        return found

    def create(self, resource: Resource, namespace: str, obj: Json) -> Json:
        name = obj["metadata"]["name"]
        if self.key(resource, namespace, name) in self.objects:
            raise RefusedError(409, "AlreadyExists", f'{resource.plural} "{name}" already exists')
        if resource.namespaced and namespace not in _SYSTEM:
            home = self.get(RESOURCES["", "namespaces"], "", namespace)
            if home["metadata"].get("deletionTimestamp"):
                raise RefusedError(403, "Forbidden", f"{namespace} is being terminated")
        meta = {**obj["metadata"], "uid": str(uuid.uuid4()), "creationTimestamp": now()}
        meta["generation"] = 1
        if namespace:
            meta["namespace"] = namespace
        made = {**obj, "metadata": meta}
        made.pop("status", None)
        if resource.kind == "Namespace":
            made["spec"] = {"finalizers": ["kubernetes"]}
            made["status"] = {"phase": "Active"}
        if resource.kind == "Node":  # until a node controller finds it ready
            spec = made.get("spec") or {}
            made["spec"] = {**spec, "taints": [*(spec.get("taints") or ()), _NOT_READY]}
        self.objects[self.key(resource, namespace, name)] = made
        self._tell("ADDED", resource, made)
        return made

    def replace(
        self, resource: Resource, namespace: str, name: str, obj: Json, part: str = ""
    ) -> Json:
        there = self.get(resource, namespace, name)
        sent = obj["metadata"].get("resourceVersion")
        if sent != there["metadata"]["resourceVersion"]:
            raise RefusedError(409, "Conflict", f'"{name}": the object has been modified')
        if part == "finalize":
            del self.objects[self.key(resource, namespace, name)]
            self._tell("DELETED", resource, there)
            return there
        if part == "status":
            if resource.kind == "Job":
                require_valid(obj, there)
            made = {**there, "status": obj.get("status") or {}}
        else:
            made = {**obj}
            kept = ("uid", "creationTimestamp", "generation")
            made["metadata"] = {**obj["metadata"], **{f: there["metadata"][f] for f in kept}}
            if {k: v for k, v in made.items() if k not in ("metadata", "status")} != {
                k: v for k, v in there.items() if k not in ("metadata", "status")
            }:
                made["metadata"]["generation"] += 1
            made.pop("status", None)
            if "status" in there:
                made["status"] = there["status"]
        self.objects[self.key(resource, namespace, name)] = made
        self._tell("MODIFIED", resource, made)
        return made

    def write(self, resource: Resource, obj: Json) -> None:
        """Write what a controller in this process changed."""
        meta = obj["metadata"]
        self.objects[self.key(resource, meta.get("namespace", ""), meta["name"])] = obj
        self._tell("MODIFIED", resource, obj)

    def delete(self, resource: Resource, namespace: str, name: str, uid: str = "") -> Json:
        there = self.get(resource, namespace, name)
        if uid and there["metadata"]["uid"] != uid:
            raise RefusedError(409, "Conflict", "the UID in the precondition does not match")
        if resource.kind == "Namespace" and not self.namespaces_go:
            there["metadata"]["deletionTimestamp"] = now()
            there["status"] = {"phase": "Terminating"}
            self._tell("MODIFIED", resource, there)
            return there
        del self.objects[self.key(resource, namespace, name)]
        self._tell("DELETED", resource, there)
        if resource.kind == "Namespace":
            for key in [key for key in self.objects if key[2] == name]:
                gone = self.objects.pop(key)
                self._tell("DELETED", RESOURCES[key[0], key[1]], gone)
        return there

    def of(self, resource: Resource, namespace: str = "") -> list[Json]:
        where = (resource.group, resource.plural)
        return [
            obj
            for key, obj in self.objects.items()
            if key[:2] == where and (not namespace or key[2] == namespace)
        ]


def require_accepted(resource: Resource, body: Json, existing: Json | None = None) -> None:
    """Refuse what an API server of 1.36 with Kueue v0.19.2 refuses."""
    named = {"apiVersion": resource.api_version, "kind": resource.kind}
    if not is_judged(named["apiVersion"], named["kind"]):
        return
    before = None if existing is None else {**existing, **named}
    verdict = judge({**body, **named}, existing=before)
    if not verdict.is_accepted:
        raise RefusedError(verdict.code, verdict.reason, verdict.message)


def require_valid(job: Json, before: Json) -> None:
    """Refuse a status of a Job that an API server of 1.36 refuses."""
    status = job.get("status") or {}
    true = {c["type"] for c in status.get("conditions") or () if c["status"] == "True"}
    wrong = []
    if "Complete" in true:
        if "SuccessCriteriaMet" not in true:
            wrong.append("cannot set Complete=True condition without SuccessCriteriaMet=true")
        if not status.get("completionTime") or not status.get("startTime"):
            wrong.append("Complete job without completionTime or startTime")
        if status.get("active") or status.get("terminating") or status.get("ready"):
            wrong.append("finished job with active pods")
    elif status.get("completionTime"):
        wrong.append("completionTime cannot be set for a job that is not complete")
    if (status.get("ready") or 0) > (status.get("active") or 0):
        wrong.append("there are more ready than active pods")
    old = before.get("status") or {}
    if (status.get("succeeded") or 0) < (old.get("succeeded") or 0):
        wrong.append("cannot decrease succeeded counter")
    if wrong:
        raise RefusedError(422, "Invalid", f"Job is invalid: status: {'; '.join(wrong)}")


def _decoded(resource: Resource, obj: Json) -> Any:
    named = {**obj, "apiVersion": resource.api_version, "kind": resource.kind}
    # A pod by itself takes no room anywhere: as a manifest it is left out.
    return decode_object(named) if resource.kind == "Pod" else read_object(named)


def _watched(resource: Resource, obj: Json) -> Json | None:
    """Return what others report of an object, or write beside its spec, and Kueue looks at."""
    if resource.kind == "Node":
        return {"labels": obj["metadata"].get("labels"), "status": obj.get("status")}
    return obj.get("status") if resource.kind in ("AdmissionCheck", "Pod") else None


class Kueue:
    """The lab, playing Kueue: reads the store, writes statuses back."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.cluster = Cluster(load([]).configuration or _default(), start=time.time_ns())
        #: How many seconds Kueue takes to make the Workload of a Job.
        self.reacts_after = 0.0
        #: How often it has looked at everything and decided.
        self.rounds = 0
        self._first_seen: dict[str, float] = {}
        self._applied: dict[tuple[str, str, str, str], tuple[int, Json | None]] = {}
        self._written: dict[str, Json] = {}
        self._active: dict[str, bool] = {}

    def work(self) -> None:
        with self.store.lock:
            self._objects()
            self._jobs()
            self._workloads()
            self.cluster.advance_to(time.time_ns())
            self._write_back()  # what is given back is seen before what is given out
            for _ in range(10):
                before = self.cluster.state()
                self.cluster.cycle()
                self._write_back()
                if self.cluster.state() == before:
                    break
            self._resume_and_suspend()
            self.rounds += 1
            self.store.changed.notify_all()

    def _objects(self) -> None:
        for resource in READ:
            if resource.kind in ("Workload", "Job"):
                continue
            for obj in self.store.of(resource):
                meta = obj["metadata"]
                key = self.store.key(resource, meta.get("namespace", ""), meta["name"])
                seen = meta["generation"], _watched(resource, obj)
                if self._applied.get(key) == seen:
                    continue
                self._applied[key] = seen
                self.cluster.apply(_decoded(resource, obj))
                if resource.kind in ("ClusterQueue", "LocalQueue", "MultiKueueCluster"):
                    active = {"type": "Active", "status": "True", "reason": "Ready"}
                    active |= {"message": "Can admit", "lastTransitionTime": now()}
                    self.store.write(resource, {**obj, "status": {"conditions": [active]}})
        for key in [key for key in self._applied if key not in self.store.objects]:
            del self._applied[key]
            resource = RESOURCES[key[0], key[1]]
            self.cluster.remove(resource.kind, key[3], key[2])

    def _jobs(self) -> None:
        for job in self.store.of(JOBS):
            meta = job["metadata"]
            queue_name = (meta.get("labels") or {}).get("kueue.x-k8s.io/queue-name")
            name = f"job-{meta['name']}-{meta['uid'][:5]}"
            if not queue_name or self.store.key(WORKLOADS, meta["namespace"], name) in (
                self.store.objects
            ):
                continue
            first = self._first_seen.setdefault(meta["uid"], time.monotonic())
            if time.monotonic() - first < self.reacts_after:
                continue
            surroundings = [
                {**obj, "kind": resource.kind}
                for resource in READ
                if resource.kind in ("LocalQueue", "ClusterQueue", "WorkloadPriorityClass")
                for obj in self.store.of(resource)
            ]
            plain = {**job, "kind": "Job", "apiVersion": "batch/v1"}
            [made] = load([*surroundings, plain]).workloads
            body = encode_object(made)
            body["metadata"] = {
                "name": name,
                "labels": {"kueue.x-k8s.io/job-uid": meta["uid"]},
                "ownerReferences": [
                    {
                        "apiVersion": "batch/v1",
                        "kind": "Job",
                        "name": meta["name"],
                        "uid": meta["uid"],
                        "controller": True,
                    }
                ],
            }
            self.store.create(WORKLOADS, meta["namespace"], body)

    def _workloads(self) -> None:
        there = {f"{o['metadata']['namespace']}/{o['metadata']['name']}": o for o in self._all()}
        for key in [key for key in self.cluster.workloads if key not in there]:
            self.cluster.delete_workload(key)
        for key, obj in there.items():
            model = _model(obj)
            if key not in self.cluster.workloads:
                self.cluster.create_workload(model)
                self._active[key] = model.active
            if self._active[key] != model.active:
                self._active[key] = model.active
                self.cluster.set_active(key, model.active)
            self._from_outside(key, obj, model)
            self._from_job(key, obj)

    def _from_outside(self, key: str, obj: Json, model: Workload) -> None:
        """Take what others wrote into a Workload's status."""
        written = self._written.get(key)
        if written is None or obj.get("status") == written:
            return
        status = model.status
        true = {c.type for c in status.conditions if c.status == "True"}
        if "Evicted" in true and "QuotaReserved" not in true:
            self.cluster.complete_evictions([key])
        if "Finished" in true:
            self.cluster.finish(key)
            # It stays as it was written, with the time at which that was.
            written_by = next(c for c in status.conditions if c.type == "Finished")
            state = self.cluster.workloads[key]
            state.set_conditions({**state.conditions, "Finished": written_by})
        if self.cluster.configuration.wait_for_pods_ready is not None:
            self.cluster.pods_ready(key, "PodsReady" in true)
        for check in status.admission_checks:
            known = self.cluster.workloads[key].admission_checks.get(check.name)
            if known is not None and known.state != check.state:
                self.cluster.set_check(
                    key, check.name, check.state, check.message, check.requeue_after_seconds
                )
        self.cluster.reclaim(key, status.reclaimable_pods)
        self._written[key] = obj["status"]

    def _from_job(self, key: str, obj: Json) -> None:
        owners = obj["metadata"].get("ownerReferences") or ()
        job = self.store.objects.get(
            self.store.key(JOBS, obj["metadata"]["namespace"], owners[0]["name"] if owners else "")
        )
        if job is None:
            if owners:
                self._without_job(key, obj)
            return
        status = job.get("status") or {}
        conditions = status.get("conditions") or ()
        if any(c["type"] == "Complete" and c["status"] == "True" for c in conditions):
            self.cluster.finish(key)
        elif status.get("succeeded"):
            from kueuelab.model import ReclaimablePod

            self.cluster.reclaim(key, [ReclaimablePod("main", int(status["succeeded"]))])
        state = self.cluster.workloads[key]
        evicting = state.is_evicted and state.has_quota_reservation
        if evicting and job["spec"].get("suspend") and not status.get("active"):
            self.cluster.complete_evictions([key])

    def _without_job(self, key: str, obj: Json) -> None:
        """Finish a Workload whose Job is gone; then the garbage collector takes it, if any."""
        state = self.cluster.workloads[key]
        if not state.is_finished:
            finish(
                self.cluster.plane, state, "OwnerNotFound", "The workload's owner no longer exists"
            )
        elif self.store.namespaces_go and "OwnerNotFound" in str(obj.get("status")):
            meta = obj["metadata"]
            self.store.delete(WORKLOADS, meta["namespace"], meta["name"])

    def _all(self) -> list[Json]:
        return self.store.of(WORKLOADS)

    def _write_back(self) -> None:
        for obj in self._all():
            meta = obj["metadata"]
            key = f"{meta['namespace']}/{meta['name']}"
            state = self.cluster.workloads.get(key)
            if state is None:
                continue
            # A server keeps whole seconds.
            read_back(state)
            status = WorkloadStatus(
                conditions=tuple(state.conditions.values()),
                admission=state.admission,
                requeue_state=state.requeue_state,
                reclaimable_pods=state.reclaimable_pods,
                admission_checks=tuple(state.admission_checks.values()),
            )
            encoded = encode_object(replace(_model(obj), status=status)).get("status") or {}
            if self._written.get(key) != encoded:
                self._written[key] = encoded
                self.store.write(WORKLOADS, {**obj, "status": encoded})

    def _resume_and_suspend(self) -> None:
        for obj in self._all():
            meta = obj["metadata"]
            state = self.cluster.workloads.get(f"{meta['namespace']}/{meta['name']}")
            owners = meta.get("ownerReferences") or ()
            if state is None or not owners:
                continue
            key = self.store.key(JOBS, meta["namespace"], owners[0]["name"])
            job = self.store.objects.get(key)
            if job is None or state.is_finished:
                continue
            suspend = not (state.is_admitted and not state.is_evicted)
            if job["spec"].get("suspend", False) != suspend:
                changed = {**job, "spec": {**job["spec"], "suspend": suspend}}
                if suspend and "status" in job:
                    changed["status"] = {k: v for k, v in job["status"].items() if k != "startTime"}
                self.store.write(JOBS, changed)


def _default() -> Any:
    from kueuelab.model import Configuration

    return Configuration()


def _model(obj: Json) -> Workload:
    found = read_object({**obj, "kind": "Workload"})
    assert isinstance(found, Workload)
    return found


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, *args: Any) -> None:
        self._accepted: list[socket.socket] = []
        super().__init__(*args)

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._accepted.append(connection)
        return connection, address

    def cut(self) -> None:
        """End all connections."""
        for connection in self._accepted:
            with suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request: object, client_address: object) -> None:
        """Leave it: clients go when they like."""


class Pretend:
    """A cluster to play on."""

    def __init__(self, folder: Path, name: str = "pretend", *, complete: bool = False) -> None:
        self.store = Store(namespaces_go=complete)
        self.kueue = Kueue(self.store)
        self.context = f"kind-{name}"
        self.asked: list[tuple[str, str]] = []
        self.crash = ""
        self.forbidding = 0
        #: A Job is answered for once Kueue has decided about it: late, it would see two at once.
        self.decides_in_turn = False
        self._stop = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self.port = self._server.server_address[1]
        self.kubeconfig = folder / f"{name}.kubeconfig"
        self.kubeconfig.write_text(yaml.safe_dump(self.config()))
        self._threads = [
            threading.Thread(target=self._server.serve_forever, args=(0.02,)),
            threading.Thread(target=self._control),
        ]
        for thread in self._threads:
            thread.start()

    def config(self) -> Json:
        server = {"server": f"http://127.0.0.1:{self.port}"}
        return {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": self.context,
            "clusters": [{"name": self.context, "cluster": server}],
            "users": [{"name": self.context, "user": {"token": "s3cret-token"}}],
            "contexts": [
                {
                    "name": self.context,
                    "context": {"cluster": self.context, "user": self.context},
                }
            ],
        }

    def _control(self) -> None:
        while not self._stop.wait(0.03):
            try:
                self.kueue.work()
            except Exception:
                with self.store.lock:
                    self.crash = traceback.format_exc()
                    self.store.changed.notify_all()
                return

    def configure(self, text: str) -> None:
        """Give Kueue a Configuration, before anything is there."""
        body = {
            "metadata": {"name": "kueue-manager-config"},
            "data": {"controller_manager_config.yaml": text},
        }
        with self.store.lock:
            self.store.create(RESOURCES["", "configmaps"], "kueue-system", body)
            self.kueue.cluster = Cluster(
                load(text).configuration or _default(), start=time.time_ns()
            )

    def restart(self) -> None:
        """Start Kueue anew, with the Configuration that its ConfigMap has by now."""
        with self.store.lock:
            found = self.store.get(
                RESOURCES["", "configmaps"], "kueue-system", "kueue-manager-config"
            )
            text = found["data"]["controller_manager_config.yaml"]
            self.kueue = Kueue(self.store)
            self.kueue.cluster = Cluster(
                load(text).configuration or _default(), start=time.time_ns()
            )

    def install(self, version: str) -> None:
        """Say that this version of Kueue is installed."""
        containers = [{"name": "manager", "image": f"registry.k8s.io/kueue/kueue:{version}"}]
        body = {
            "metadata": {"name": "kueue-controller-manager"},
            "spec": {"template": {"spec": {"containers": containers}}},
        }
        with self.store.lock:
            self.store.create(RESOURCES["apps", "deployments"], "kueue-system", body)

    def go_down(self) -> None:
        """Cut every connection, and refuse new ones."""
        self._server.shutdown()
        self._server.server_close()
        self._server.cut()

    def come_back(self, forbidding: int = 0) -> None:
        """Answer again; the first so many requests are forbidden, as no rules are loaded yet."""
        self.forbidding = forbidding
        self._server = _Server(("127.0.0.1", self.port), self._handler())
        thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        thread.start()
        self._threads.append(thread)

    def close(self) -> None:
        self._stop.set()
        with self.store.lock:
            self.store.changed.notify_all()
        self._server.shutdown()
        for thread in self._threads:
            thread.join(5)
        self._server.server_close()
        assert not self.crash, self.crash

    # --- answering -----------------------------------------------------------------------

    def answer(self, method: str, path: str, query: dict[str, str], body: Json | None) -> Json:
        self.asked.append((method, path))
        if self.forbidding:
            self.forbidding -= 1
            raise RefusedError(403, "Forbidden", "RBAC: role not found")
        parts = path.strip("/").split("/")
        if path == "/apis/kueue.x-k8s.io":
            return {"kind": "APIGroup", "versions": [{"version": "v1beta2"}]}
        if path == "/apis/kueue.x-k8s.io/v1beta2":
            return {"resources": [{"name": each.plural} for each in KUEUE]}
        if parts[-1] == "pendingworkloads":
            return self._pending(parts)
        group, rest = ("", parts[2:]) if parts[0] == "api" else (parts[1], parts[3:])
        namespace = ""
        if rest[0] == "namespaces" and len(rest) > 2 and rest[2] != "finalize":
            namespace, rest = rest[1], rest[2:]
        resource = RESOURCES.get((group, rest[0]))
        if resource is None:
            raise RefusedError(404, "NotFound", "the server could not find the requested resource")
        name, part = rest[1] if len(rest) > 1 else "", rest[2] if len(rest) > 2 else ""
        with self.store.lock:
            return self._do(method, resource, namespace, name, part, query, body)

    def _do(
        self,
        method: str,
        resource: Resource,
        namespace: str,
        name: str,
        part: str,
        query: dict[str, str],
        body: Json | None,
    ) -> Json:
        store = self.store
        if method == "GET" and not name:
            items = store.of(resource, namespace)
            wanted = query.get("labelSelector")
            if wanted:
                items = [i for i in items if wanted in (i["metadata"].get("labels") or {})]
            meta = {"resourceVersion": str(store.version)}
            kind = f"{resource.kind}List"
            return {
                "kind": kind,
                "apiVersion": resource.api_version,
                "metadata": meta,
                "items": items,
            }
        if method == "GET":
            return store.get(resource, namespace, name)
        assert body is not None
        if method == "POST":
            require_accepted(resource, body)
            made = store.create(resource, namespace, body)
            if resource == JOBS and self.decides_in_turn:
                decided = self.kueue.rounds + 1
                store.changed.wait_for(
                    lambda: self.kueue.rounds >= decided or self.crash or self._stop.is_set()
                )
            return made
        if method == "PUT":
            if not part:
                require_accepted(resource, body, store.get(resource, namespace, name))
            return store.replace(resource, namespace, name, body, part)
        if method == "DELETE":
            uid = (body.get("preconditions") or {}).get("uid", "")
            return store.delete(resource, namespace, name, uid)
        raise RefusedError(405, "MethodNotAllowed", method)

    def _pending(self, parts: list[str]) -> Json:
        with self.store.lock:
            name = parts[-2]
            if name not in self.kueue.cluster.cluster_queues:
                raise RefusedError(404, "NotFound", f"{name} not found")
            queues = self.kueue.cluster.queues
            keys = [*queues.pending_active(name), *queues.inadmissible(name)]
            items = [
                {
                    "metadata": {"namespace": key.partition("/")[0], "name": key.partition("/")[2]},
                    "positionInClusterQueue": place,
                    "positionInLocalQueue": place,
                    "localQueueName": "main",
                    "priority": 0,
                }
                for place, key in enumerate(keys)
            ]
        return {"kind": "PendingWorkloadsSummary", "metadata": {}, "items": items}

    def watch(self, path: str, query: dict[str, str]) -> Iterator[Json | None]:
        """Yield events; ``None`` now and then, to see whether somebody still listens."""
        parts = path.strip("/").split("/")
        group, plural = ("", parts[2]) if parts[0] == "api" else (parts[1], parts[3])
        since = int(query.get("resourceVersion") or 0)
        end = time.monotonic() + float(query.get("timeoutSeconds") or 60)
        place = 0
        while not self._stop.is_set() and time.monotonic() < end:
            with self.store.lock:
                fresh = self.store.log[place:]
                place = len(self.store.log)
                if not fresh:
                    self.store.changed.wait(0.2)
            for version, type_, where, obj in fresh:
                if version > since and where == (group, plural):
                    yield {"type": type_, "object": obj}
            yield None

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        pretend = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            # Head and body are two small packets: the second would wait 40 ms for the client.
            disable_nagle_algorithm = True

            def log_message(self, *args: object) -> None:
                pass

            def _serve(self) -> None:
                url = urlsplit(self.path)
                query = {key: values[0] for key, values in parse_qs(url.query).items()}
                length = int(self.headers.get("content-length") or 0)
                body = json.loads(self.rfile.read(length)) if length else None
                if query.get("watch") == "true":
                    self._stream(url.path, query)
                    return
                try:
                    code, answer = 200, pretend.answer(self.command, url.path, query, body)
                    text = json.dumps(answer).encode()
                except RefusedError as refused:
                    code = refused.code
                    status = {"kind": "Status", "message": str(refused), "reason": refused.reason}
                    text = json.dumps({**status, "code": code}).encode()
                self.send_response(code)
                self.send_header("content-type", "application/json")
                self.send_header("content-length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def _stream(self, path: str, query: dict[str, str]) -> None:
                self.send_response(200)
                self.send_header("content-type", "application/json")
                self.send_header("transfer-encoding", "chunked")
                self.end_headers()
                try:
                    for event in pretend.watch(path, query):
                        if event is None:
                            continue
                        line = json.dumps(event).encode() + b"\n"
                        self.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
                        self.wfile.flush()
                    self.wfile.write(b"0\r\n\r\n")
                except OSError:
                    self.close_connection = True

            do_GET = do_POST = do_PUT = do_DELETE = _serve  # noqa: N815

        return Handler


@contextmanager
def pretending(folder: Path, name: str = "pretend", *, complete: bool = False) -> Iterator[Pretend]:
    """Run one, for as long as a ``with`` block."""
    found = Pretend(folder, name, complete=complete)
    try:
        yield found
    finally:
        found.close()


def wait_until(holds: Callable[[], bool]) -> None:
    """Wait for a state; only a test that fails waits for so long."""
    deadline = time.monotonic() + 300
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.01)
