"""Stands in for kind, kubectl and docker: a folder holds what there is; tests may make it fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

ROOT = Path(os.environ["FAKE_ROOT"])
TOOL, ARGS = sys.argv[1], sys.argv[2:]
LINE = " ".join([TOOL, *ARGS])
STDIN = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()

with (ROOT / "log").open("a") as log:
    log.write(json.dumps({"line": LINE, "stdin": STDIN}) + "\n")


def fail(text: str, code: int = 1) -> None:
    sys.stderr.write(text + "\n")
    raise SystemExit(code)


for failing in (ROOT / "fail").read_text().splitlines() if (ROOT / "fail").exists() else ():
    if failing and failing in LINE:
        fail(f"ERROR: {failing} is broken")

state_file = ROOT / "state.json"
state = json.loads(state_file.read_text()) if state_file.exists() else {}

if TOOL == "kind" and ARGS[:2] == ["get", "clusters"]:
    print("\n".join(state))
elif TOOL == "kind" and ARGS[:2] == ["create", "cluster"]:
    state[ARGS[ARGS.index("--name") + 1]] = {"own": "managed-by: kueuelab" in STDIN}
elif TOOL == "kind" and ARGS[:2] == ["delete", "cluster"]:
    del state[ARGS[ARGS.index("--name") + 1]]
elif TOOL == "kubectl" and "--context" in ARGS:
    name = ARGS[ARGS.index("--context") + 1].removeprefix("kind-")
    if name not in state:
        fail(f"error: context {name} does not exist")
    cluster = state[name]
    if "nodes" in ARGS:
        print("node/a" if cluster["own"] else "")
    elif "apply" in ARGS and ARGS[-1].startswith("https://"):
        cluster["kueue"] = ARGS[-1].split("/")[-2]
    elif "apply" in ARGS:
        cluster["applied"] = cluster.get("applied", "") + STDIN + "\n---\n"
    elif "wait" in ARGS:
        cluster.setdefault("ready", []).append(next(a for a in ARGS if "/" in a))
    elif "secret" in ARGS:
        print("c2VjcmV0LXRva2Vu" if "token" in ARGS[-1] else "Q0E=")
    elif "multikueuecluster" in ARGS or "Available" in ARGS[-1]:
        wanted = [a for a in ARGS if a.startswith(("deployment/", name.split("-")[0] + "-worker"))]
        ready = any(r.endswith(wanted[0].split("/")[-1]) for r in cluster.get("ready", ()))
        print("True" if ready else "False")
    elif "image" in ARGS[-1]:
        if "kueue" not in cluster:
            fail("Error from server (NotFound): deployments.apps not found")
        print(f"kueue:{cluster['kueue']}")
state_file.write_text(json.dumps(state))
