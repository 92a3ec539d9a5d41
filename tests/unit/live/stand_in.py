"""API servers that answer from recordings: one by exchange, one from a snapshot's lists."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx2
import pytest
import yaml
from lightkube.config.kubeconfig import KubeConfig

from kueuelab.live.adapter import LightkubeApi

HERE = Path(__file__).parent
DATA = HERE.parents[1] / "data" / "live"
SHARED = HERE.parents[3] / "shared" / "live"


def shared(path: str) -> Path:
    """Return a recording: an excerpt, or one of all; the test is skipped where there is none."""
    if (DATA / path).exists():
        return DATA / path
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"the full recordings are not here: {found}")
    return found


def recordings() -> list[Path]:
    """Return the folders of all recorded runs of scenarios on one cluster that are here."""
    found = {
        stream.parent.name: stream.parent
        for root in (SHARED, DATA)
        for group in ("recorded", "scenarios")
        for stream in sorted((root / group).glob("*/stream.jsonl.gz"))
        if (stream.parent / "scenario.yaml").is_file()
    }
    return [found[name] for name in sorted(found)]


def following_threads() -> set[threading.Thread]:
    """Return the threads that follow clusters, of this test or another one."""
    return {t for t in threading.enumerate() if t.name.startswith(("watch-", "follow"))}


def config(context: str = "kind-lab") -> KubeConfig:
    return KubeConfig.from_dict(
        {
            "current-context": context,
            "clusters": [{"name": "c", "cluster": {"server": "http://api.example:6443"}}],
            "users": [{"name": "u", "user": {"token": "s3cret-token"}}],
            "contexts": [{"name": context, "context": {"cluster": "c", "user": "u"}}],
        }
    )


def api(transport: httpx2.BaseTransport, context: str = "kind-lab", **more: Any) -> LightkubeApi:
    more.setdefault("sleep", lambda seconds: None)
    return LightkubeApi(config=config(context), transport=transport, **more)


class Stream(httpx2.SyncByteStream):
    """Bytes that arrive one after the other, and how they end."""

    def __init__(self, parts: list[bytes], end: Exception | None = None) -> None:
        self.parts, self.end, self.closed = parts, end, False

    def __iter__(self) -> Iterator[bytes]:
        yield from self.parts
        if self.end is not None:
            raise self.end

    def close(self) -> None:
        self.closed = True


def failure(text: str) -> Exception:
    """Return what the recorder's HTTP client raised, from ``Type: message``."""
    kind, _, message = text.partition(": ")
    raised: Exception = getattr(httpx2, kind)(message)
    return raised


class Replay(httpx2.BaseTransport):
    """Answers the requests of a recorded flow in their order; each must be the recorded one."""

    def __init__(self, exchanges: list[dict[str, Any]]) -> None:
        self.left = list(exchanges)
        self.asked: list[httpx2.Request] = []
        self.streams: list[Stream] = []

    @classmethod
    def of(cls, flow: str, *steps: int) -> Replay:
        lines = shared(f"http/{flow}.jsonl").read_text().splitlines()[1:]
        exchanges = {line["step"]: line for line in map(json.loads, lines)}
        return cls([exchanges[step] for step in steps])

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        exchange = self.left.pop(0)
        recorded = exchange["request"]
        assert (request.method, request.url.path) == (recorded["method"], recorded["path"])
        if "error" in exchange:
            raise failure(f"{exchange['error']['type']}: {exchange['error']['message']}")
        answer = exchange["response"]
        headers = {k: v for k, v in answer["headers"].items() if "encoding" not in k}
        headers.pop("content-length", None)
        if "events" in answer:
            parts = [json.dumps(event).encode() + b"\n" for _, event in answer["events"]]
            parts.append(answer.get("partial", "").encode())
            end = answer["end"]
            broken = failure(end) if end not in ("eof", "client-closed") else None
            self.streams.append(Stream(parts, broken))
            return httpx2.Response(answer["status"], headers=headers, stream=self.streams[-1])
        if "json" in answer:
            return httpx2.Response(answer["status"], headers=headers, json=answer["json"])
        return httpx2.Response(answer["status"], headers=headers, text=answer["text"])


Answer = Callable[[httpx2.Request], httpx2.Response]


class Serving(httpx2.BaseTransport):
    """Serves the lists of a snapshot's folder, in pages; single paths may be told to fail."""

    def __init__(self, folder: Path, versions: tuple[str, ...] = ("v1beta2", "v1beta1")) -> None:
        self.folder, self.versions = folder, versions
        self.instead: dict[str, Answer] = {}
        self.asked: list[httpx2.Request] = []

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        self.asked.append(request)
        path = request.url.path
        if path in self.instead:
            return self.instead[path](request)
        parts = path.strip("/").split("/")
        if path == "/apis/kueue.x-k8s.io":
            versions = [{"version": version} for version in self.versions]
            return httpx2.Response(200, json={"kind": "APIGroup", "versions": versions})
        if parts[:2] == ["apis", "kueue.x-k8s.io"] and len(parts) == 3:
            return httpx2.Response(200, json={"resources": self._resources(parts[2])})
        if parts[0] == "api" and parts[2] in ("namespaces",) and len(parts) == 3:
            return self._page(request, {"kind": "NamespaceList", "apiVersion": "v1", "items": []})
        if parts[-1] == "pendingworkloads":
            return self._pending(parts)
        version = parts[2] if parts[1] == "kueue.x-k8s.io" else ""
        plural = parts[-1] if len(parts) < 5 else parts[5] if len(parts) > 5 else parts[4]
        plural = "events.core-v1" if plural == "events" else plural
        file = self.folder / f"{plural}{'.v1beta1' if version == 'v1beta1' else ''}.yaml"
        if not file.exists():
            status = {"kind": "Status", "message": f"{path} not found", "reason": "NotFound"}
            return httpx2.Response(404, json={**status, "code": 404})
        return self._page(request, yaml.load(file.read_text(), yaml.CSafeLoader))

    def _pending(self, parts: list[str]) -> httpx2.Response:
        file = self.folder / f"visibility.{parts[2]}.clusterqueue.{parts[4]}.json"
        if not file.exists():
            status = {"kind": "Status", "message": "not found", "reason": "NotFound"}
            return httpx2.Response(404, json={**status, "code": 404})
        return httpx2.Response(200, text=file.read_text())

    def _resources(self, version: str) -> list[dict[str, str]]:
        suffix = ".v1beta1.yaml" if version == "v1beta1" else ".yaml"
        names = sorted(path.name.removesuffix(suffix) for path in self.folder.glob(f"*{suffix}"))
        return [{"name": name} for name in names if "." not in name]

    def _page(self, request: httpx2.Request, whole: dict[str, Any]) -> httpx2.Response:
        """Return a page of a list; of an empty one, its kind is that of any list."""
        items = whole["items"]
        if "fieldSelector" in request.url.params:
            wanted = dict(
                part.split("=", 1) for part in request.url.params["fieldSelector"].split(",")
            )
            name = wanted.get("involvedObject.name")
            items = [item for item in items if item["involvedObject"]["name"] == name]
        kind = items[0]["kind"] + "List" if items else "List"
        version = items[0]["apiVersion"] if items else "v1"
        start = int(request.url.params.get("continue", 0))
        end = start + min(int(request.url.params.get("limit", len(items) or 1)), 3)
        meta: dict[str, str] = {"resourceVersion": "7"}
        if end < len(items):
            meta["continue"] = str(end)
        page = [{k: v for k, v in i.items() if k != "kind"} for i in items[start:end]]
        headers = {"date": "Fri, 20 Nov 2026 21:30:00 GMT"}
        body = {"kind": kind, "apiVersion": version, "metadata": meta, "items": page}
        return httpx2.Response(200, headers=headers, json=body)
