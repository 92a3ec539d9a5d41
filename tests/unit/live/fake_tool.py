"""Stands in for kind, kubectl and docker: a folder holds what there is; tests may make it fail."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path


def fail(text: str, code: int = 1) -> None:
    sys.stderr.write(text + "\n")
    raise SystemExit(code)


def main() -> None:
    root = Path(os.environ["FAKE_ROOT"])
    tool, args = sys.argv[1], sys.argv[2:]
    line = " ".join([tool, *args])
    stdin = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read()

    with (root / "log").open("a") as log:
        log.write(json.dumps({"line": line, "stdin": stdin}) + "\n")

    for failing in (root / "fail").read_text().splitlines() if (root / "fail").exists() else ():
        if failing and failing in line:
            fail(f"ERROR: {failing} is broken")

    state_file = root / "state.json"
    state = json.loads(state_file.read_text()) if state_file.exists() else {}

    if tool == "kind" and args[:2] == ["get", "clusters"]:
        print("\n".join(state))
    elif tool == "kind" and args[:2] == ["create", "cluster"]:
        state[args[args.index("--name") + 1]] = {"own": "managed-by: kueuelab" in stdin}
    elif tool == "kind" and args[:2] == ["delete", "cluster"]:
        del state[args[args.index("--name") + 1]]
    elif tool == "kubectl" and "--context" in args:
        name = args[args.index("--context") + 1].removeprefix("kind-")
        if name not in state:
            fail(f"error: context {name} does not exist")
        cluster = state[name]
        if "nodes" in args:
            print("node/a" if cluster["own"] else "")
        elif "apply" in args and args[-1].startswith("https://"):
            cluster["kueue"] = args[-1].split("/")[-2]
        elif "apply" in args:
            cluster["applied"] = cluster.get("applied", "") + stdin + "\n---\n"
        elif "wait" in args:
            cluster.setdefault("ready", []).append(next(a for a in args if "/" in a))
        elif "secret" in args:
            print("c2VjcmV0LXRva2Vu" if "token" in args[-1] else "Q0E=")
        elif "multikueuecluster" in args or "Available" in args[-1]:
            wanted = [
                a for a in args if a.startswith(("deployment/", name.split("-")[0] + "-worker"))
            ]
            ready = any(r.endswith(wanted[0].split("/")[-1]) for r in cluster.get("ready", ()))
            print("True" if ready else "False")
        elif "image" in args[-1]:
            if "kueue" not in cluster:
                fail("Error from server (NotFound): deployments.apps not found")
            print(f"kueue:{cluster['kueue']}")
    state_file.write_text(json.dumps(state))


if __name__ == "__main__":
    main()
