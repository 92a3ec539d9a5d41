"""Stands in for kind, kubectl and docker: a file holds what there is; tests may make it fail.

A cluster is `{own, kueue, ready, objects, token, server, serves}`; kubectl keeps objects in it.
`serves` are kinds of jobs by version, besides those of Kubernetes itself. A Configuration that
nobody wrote is that of the release, shortened.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, NoReturn

KINDS = {
    "admissionchecks.kueue.x-k8s.io": "AdmissionCheck",
    "multikueueconfigs.kueue.x-k8s.io": "MultiKueueConfig",
    "multikueueclusters.kueue.x-k8s.io": "MultiKueueCluster",
    "secrets": "Secret",
    "serviceaccounts": "ServiceAccount",
    "clusterroles": "ClusterRole",
    "clusterrolebindings": "ClusterRoleBinding",
}


BUILTIN = {"v1": ["Pod"], "batch/v1": ["Job"], "apps/v1": ["Deployment", "StatefulSet"]}
RELEASED = """\
# as it is released
integrations:
  frameworks: [batch/job, kubeflow.org/mpijob, jobset.x-k8s.io/jobset, pod, statefulset]
"""


def fail(text: str, code: int = 1) -> NoReturn:
    sys.stderr.write(text + "\n")
    raise SystemExit(code)


def key(obj: dict[str, Any]) -> str:
    return "/".join((obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"]))


def main() -> None:
    root = Path(os.environ["FAKE_ROOT"])
    tool, args = sys.argv[1], sys.argv[2:]
    line = " ".join([tool, *args])
    stdin = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()
    provider = os.environ.get("KIND_EXPERIMENTAL_PROVIDER", "")
    with (root / "log").open("a") as log:
        log.write(json.dumps({"line": line, "stdin": stdin, "provider": provider}) + "\n")

    for failing in (root / "fail").read_text().splitlines() if (root / "fail").exists() else ():
        if failing and failing in line:
            fail(f"ERROR: {failing} is broken")

    state_file = root / "state.json"
    state: dict[str, Any] = json.loads(state_file.read_text()) if state_file.exists() else {}
    if tool == "kind":
        kind(state, args, stdin)
    elif tool == "kubectl" and "--context" in args:
        context = args[args.index("--context") + 1]
        if context.removeprefix("kind-") not in state:
            fail(f'error: context "{context}" does not exist')
        kubectl(state[context.removeprefix("kind-")], args, stdin)
    state_file.write_text(json.dumps(state))


def kind(state: dict[str, Any], args: list[str], stdin: str) -> None:
    if args[:2] == ["get", "clusters"]:
        print("\n".join(state))
    elif args[:2] == ["create", "cluster"]:
        state[args[args.index("--name") + 1]] = {"own": "managed-by: kueuelab" in stdin}
    elif args[:2] == ["delete", "cluster"]:
        del state[args[args.index("--name") + 1]]


def loaded(text: str) -> list[dict[str, Any]]:
    import yaml  # it takes its time, and few commands need it

    return list(yaml.load_all(text, yaml.CSafeLoader))


def kubectl(cluster: dict[str, Any], args: list[str], stdin: str) -> None:
    objects = cluster.setdefault("objects", {})
    if cluster.get("down") and "config" not in args:
        fail("The connection to the server was refused - did you specify the right host or port?")
    if "node" in args:
        if args[args.index("node") + 1] not in cluster.get("nodes", ()):
            fail("Error from server (NotFound): nodes not found")
    elif "nodes" in args:
        print("node/a" if cluster.get("own") else "")
    elif "get" in args and "--raw" in args:
        version = args[-1].removeprefix("/apis/").removeprefix("/api/")
        kinds = {**BUILTIN, **cluster.get("serves", {})}.get(version, [])
        if not (kinds or (version.startswith("kueue") and "kueue" in cluster)):
            fail("Error from server (NotFound): the server could not find the requested resource")
        print(json.dumps({"resources": [{"kind": kind} for kind in kinds]}))
    elif "namespace" in args:
        if cluster.get("no_namespace"):
            fail("Error from server (NotFound): namespaces not found")
    elif "view" in args:
        field = args[-1].rpartition(".")[2].rstrip("}")
        print(cluster.get("server", "https://10.0.0.1:6443") if field == "server" else "Q0E=")
    elif "token" in args:
        print("requested-token")
    elif "apply" in args and args[-1].startswith("https://"):
        cluster["kueue"] = args[-1].split("/")[-2]
    elif "apply" in args:
        for obj in loaded(stdin):
            objects[key(obj)] = obj
    elif "delete" in args:
        delete(objects, args)
    elif "-f" in args:  # get
        for obj in loaded(stdin):
            if found := objects.get(key(obj)):
                labels = found["metadata"].get("labels", {})
                owner = labels.get("app.kubernetes.io/managed-by", "<none>")
                wiring = labels.get("kueuelab/wiring", "<none>")
                print(found["kind"], found["metadata"]["name"], owner, wiring)
    elif "wait" in args:
        what = next(a for a in args if "/" in a)
        if cluster.get("unreachable") or cluster.get("unmatched"):
            fail("error: timed out waiting for the condition on " + what)
        cluster.setdefault("ready", []).append(what.split("/")[-1])
    elif "secret" in args:
        if not cluster.get("tokenless"):
            print("c2VjcmV0LXRva2Vu" if "token" in args[-1] else "Q0E=")
    elif "multikueuecluster" in args:
        name = args[args.index("multikueuecluster") + 1]
        if f"MultiKueueCluster//{name}" not in objects:
            fail(f"Error from server (NotFound): {name} not found")
        if name in cluster.get("ready", ()):
            print("True Connected")
        elif cluster.get("unreachable"):
            print("False dial tcp: lookup nowhere: no such host")
        elif cluster.get("unmatched"):
            print('False no matches for kind "MPIJob" in version "kubeflow.org/v2beta1"')
    elif "Available" in args[-1]:
        print("True" if "kueue-controller-manager" in cluster.get("ready", ()) else "False")
    elif "image" in args[-1]:
        if "kueue" not in cluster:
            fail("Error from server (NotFound): deployments.apps not found")
        print(f"kueue:{cluster['kueue']}")
    elif "configmap/kueue-manager-config" in args:
        released = {"data": {"x": cluster.get("configuration", RELEASED)}}
        found = objects.get("ConfigMap/kueue-system/kueue-manager-config", released)
        print("".join(found["data"].values()), end="")


def delete(objects: dict[str, Any], args: list[str]) -> None:
    wanted = dict(part.split("=") for part in args[args.index("-l") + 1].split(","))
    namespace = args[args.index("-n") + 1] if "-n" in args else ""
    gone = 0
    for kind_name in args[args.index("delete") + 1].split(","):
        for name, obj in list(objects.items()):
            labels = obj["metadata"].get("labels", {})
            same = obj["metadata"].get("namespace", "") == namespace
            if obj["kind"] == KINDS[kind_name] and same and wanted.items() <= labels.items():
                del objects[name]
                gone += 1
                print(f'{kind_name} "{obj["metadata"]["name"]}" deleted')
    if not gone:
        sys.stderr.write("No resources found\n")


if __name__ == "__main__":
    main()
