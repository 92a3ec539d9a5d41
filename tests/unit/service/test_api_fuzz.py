"""Schemathesis asks the service what its document allows, and what it does not.

``make api`` runs it for ten minutes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import kueuelab as kl

#: How long it goes on; without it, a few requests of each kind are sent.
SECONDS = os.environ.get("KUEUELAB_API_SECONDS", "")
TOKEN = "a-token-for-the-tests"
CHECKS = (
    "not_a_server_error,status_code_conformance,content_type_conformance,"
    "response_headers_conformance,response_schema_conformance,negative_data_rejection,"
    "missing_required_header,unsupported_method,allow_header_conformance,ignored_auth"
)
JOB = """
apiVersion: batch/v1
kind: Job
metadata: {name: %s, namespace: team-b, labels: {kueue.x-k8s.io/queue-name: %s}}
spec:
  parallelism: %d
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: train, resources: {requests: {cpu: %s}}}]
"""
JOBS = [
    JOB % ("train", "main", 1, "1"),
    JOB % ("train", "main", 8, "4"),
    JOB % ("train", "main", 1, "many"),
    JOB % ("train", "nothing", 1, "1"),
    "---\n".join([JOB % ("a", "main", 1, "1"), JOB % ("b", "main", 1, "16")]),
    "a: &a [*a]",
    "[" * 500,
    "/etc/hosts",
]
#: Values that lead further than those that the document alone allows.
VALUES: dict[str, list[Any]] = {
    "workload": ["team-b/job-b-cpu-2-71f14", "job-b-gpu-1-5202f", "job-a-gpu-1-5bad9", "nothing"],
    "queue": ["cq-a", "cq-b"],
    "jobs": JOBS,
    "manifests": [
        *JOBS,
        kl.scenarios.text("cohort-1-borrowing"),
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: a}}",
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ClusterQueue, metadata: {name: cq-b}}",
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Cohort, metadata: {name: a},"
        " spec: {parentName: a}}",
    ],
    "runs": ["2h", "30m..4h", "0s", "-1h", "9999999h", "1e400s"],
    "object": ["ClusterQueue/cq-b", "Workload/team-b/job-b-cpu-2-71f14", "Cohort/team", "/", "a/b"],
    "values": [
        {"spec.priority": 2000},
        {"spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota": 20},
        {"spec.resourceGroups[0].flavors[generic].resources[cpu].nominalQuota": "many"},
        {"spec.resourceGroups[99999999999].flavors": None},
        {"spec": None},
        {"metadata.name": "other"},
        {"spec.cohortName": "other", "spec.namespaceSelector": {"matchLabels": {"a": "b"}}},
    ],
}


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """Yield the address of a service."""
    token = folder / "token"
    token.write_text(TOKEN, "utf-8")
    command = [sys.executable, "-m", "kueuelab", "serve", "two-teams", "--port", "0", "--json"]
    with (
        (folder / "log").open("w") as log,
        subprocess.Popen(
            [*command, "--token-file", str(token)], stdout=subprocess.PIPE, stderr=log, text=True
        ) as process,
    ):
        assert process.stdout is not None
        said = "".join(iter(process.stdout.readline, "}\n")) + "}"
        try:
            yield json.loads(said)["url"].rstrip("/")
        finally:
            process.terminate()
            process.wait(30)


def with_values(node: Any) -> None:
    """Let fields have values that lead further."""
    if isinstance(node, list):
        for each in node:
            with_values(each)
    if isinstance(node, dict):
        for name, schema in node.get("properties", {}).items():
            if name in VALUES and node.get("additionalProperties") is False:
                node["properties"][name] = {"anyOf": [{"enum": VALUES[name]}, schema]}
        if node.get("in") == "query" and node["name"] in VALUES:
            node["schema"] = {"anyOf": [{"enum": VALUES[node["name"]]}, node["schema"]]}
        for name, part in node.items():
            if name != "responses":
                with_values(part)


def test_no_request_makes_the_service_fail(tmp_path: Path) -> None:
    with served(tmp_path) as address:
        header = f"Authorization: Bearer {TOKEN}"
        request = urllib.request.Request(
            f"{address}/openapi.json", headers={"Authorization": f"Bearer {TOKEN}"}
        )
        with urllib.request.urlopen(request) as answer:
            document = json.load(answer)
        schemas = document["components"]["schemas"]
        for name in ("Try", "LintManifests", "Compare", "Edit"):
            with_values(schemas[name])
        with_values(document["paths"])
        file = tmp_path / "openapi.json"
        file.write_text(json.dumps(document), "utf-8")
        command = [
            *(sys.executable, "-m", "schemathesis.cli", "run", str(file), "--url", address),
            *("-H", header, "--checks", CHECKS, "--seed", "46", "--continue-on-failure"),
            *("--suppress-health-check", "all", "--warnings", "off", "--request-timeout", "60"),
            *(("--max-time", SECONDS) if SECONDS else ("--max-examples", "15")),
            *("--phases", "fuzzing" if SECONDS else "coverage,fuzzing"),
        ]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    print(done.stdout)
    log = (tmp_path / "log").read_text("utf-8")
    assert "Traceback" not in log, log[-5000:]
    assert done.returncode == 0, done.stdout[-8000:] + done.stderr[-2000:]
