"""Judging recorded manifests, and comparing the verdicts."""

from __future__ import annotations

import re
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from itertools import islice
from pathlib import Path
from typing import Any, Final

from kueuelab.conformance.cases import Json, read_texts
from kueuelab.conformance.compare import Difference
from kueuelab.conformance.runner import CaseResult, Crash, FileResult, Options
from kueuelab.conformance.shapes import Level
from kueuelab.conformance.verdicts.recording import RecordedVerdict, parse_verdict
from kueuelab.errors import InputError
from kueuelab.manifests.server import ClusterContents, FieldError, Verdict, judge
from kueuelab.manifests.shapes.tables import KUEUE_KINDS
from kueuelab.messages import Message
from kueuelab.model import RELEASE

__all__ = ["check_verdict_file", "differences_of"]

#: The namespaces of a new cluster with Kueue.
_NAMESPACES: Final = ("default", "kube-system", "kube-public", "kube-node-lease", "kueue-system")
_CAUSE: Final = ("field", "reason", "message")
_WORDS: Final = re.compile(r"[^\s,\[\]]+")
#: Kueue prints where in its memory the count is, instead of the count.
_ADDRESS: Final = re.compile(r"(?<=is not a multiple of )[0-9]+")
_NAMESPACED: Final = ("LocalQueue", "Workload", "Job", "Pod")
_KINDS: Final = ("verdict", "field", "message", "spec")


def check_verdict_file(
    path: str | Path,
    options: Options,
    progress: Callable[[CaseResult], None] = lambda result: None,
) -> FileResult:
    """Check the verdicts of a file.

    Parameters
    ----------
    path : str or Path
        A file of recorded verdicts.
    options : Options
        What is checked; with ``Level.DECISIONS`` messages may differ.
    progress : callable, optional
        Called with each result.

    Returns
    -------
    FileResult
        As for other cases, with a remark on how many verdicts, fields and messages agree.
    """
    outcome = FileResult(str(path))
    agreeing: Counter[str] = Counter()
    total = 0
    try:
        for text in islice(read_texts(path), options.limit):
            recorded = parse_verdict(text)
            if options.only and recorded.name not in options.only:
                continue
            result = _check(recorded, options.level)
            total += 1
            differing = {difference.path[0] for difference in result.differences}
            if result.crash is None and "verdict" not in differing:
                agreeing.update(kind for kind in _KINDS if kind not in differing)
            outcome.results.append(result)
            progress(result)
            if options.fail_fast and result.verdict == "failed":
                break
    except InputError as error:
        outcome.problems += error.problems
    counts = {kind: agreeing[kind] for kind in _KINDS}
    outcome.remarks.append(Message("conformance.report.agree", total=total, **counts))
    return outcome


def _check(recorded: RecordedVerdict, level: Level) -> CaseResult:
    def result(verdict: Any, **more: Any) -> CaseResult:
        steps = (recorded.operation,)
        return CaseResult(recorded.name, recorded.location, verdict, steps, **more)

    try:
        found = tuple(differences_of(recorded))
    except Exception as error:  # whatever it is, the other verdicts are still worth checking
        text = "".join(traceback.format_exception(error))
        return result("failed", crash=Crash(0, type(error).__name__, str(error), text))
    lenient = level is not Level.ALL
    failed = any(not (lenient and difference.path[0] == "message") for difference in found)
    return result("failed" if failed else "passed", differences=found)


def differences_of(recorded: RecordedVerdict) -> Iterator[Difference]:
    """Yield how the verdict here differs from the recorded one."""
    data, verdict = recorded.data, _judged(recorded)
    if (data["verdict"] == "accepted") != verdict.is_accepted or data["code"] != verdict.code:
        yield _difference("verdict", _summary(data), f"{verdict.code} {verdict.message}".strip())
        return
    wanted, got = _causes(data.get("causes") or ()), _causes(verdict.causes)
    fields, own = ([cause[0] for cause in causes] for causes in (wanted, got))
    if fields != own:
        yield _difference("field", fields, own)
    same = wanted == got and (bool(wanted) or _is_same(data["message"], verdict.message))
    if not same or data.get("reason", "") != verdict.reason:
        yield _difference("message", data["message"], verdict.message)
    if list(data.get("warnings") or ()) != list(verdict.warnings):
        yield _difference("warnings", data.get("warnings") or [], list(verdict.warnings))
    if verdict.is_accepted:
        yield from _default_differences(data, verdict)


def _difference(what: str, expected: Any, got: Any) -> Difference:
    return Difference(0, (what,), expected, got)


def _summary(data: Json) -> str:
    return f"{data['code']} {data['message']}".strip()


def _causes(causes: Any) -> list[tuple[str, ...]]:
    """Return causes in an order of their own: the server's varies."""
    return sorted(
        (cause.field, cause.reason, cause.message)
        if isinstance(cause, FieldError)
        else tuple(str(cause.get(name, "")) for name in _CAUSE)
        for cause in causes
    )


def _is_same(wanted: str, got: str) -> bool:
    """Tell whether messages agree, but for the order of what comes from sets."""
    wanted, got = (_ADDRESS.sub("N", text) for text in (wanted, got))
    return wanted == got or sorted(_WORDS.findall(wanted)) == sorted(_WORDS.findall(got))


def _default_differences(data: Json, verdict: Verdict) -> Iterator[Difference]:
    if "defaultedSpec" in data:
        spec = _spec_of(data["kind"], verdict.object)
        if spec != data["defaultedSpec"]:
            yield _difference("spec", data["defaultedSpec"], spec)
    wanted = data.get("defaultedMetadata") or {}
    metadata = verdict.object["metadata"]
    got = {name: metadata.get(name) for name in wanted}
    if got != wanted:
        yield _difference("metadata", wanted, got)


def _spec_of(kind: str, obj: Mapping[str, Any]) -> Any:
    if kind == "WorkloadPriorityClass":
        return {name: obj[name] for name in ("value", "description") if name in obj}
    spec = obj.get("spec")
    if kind == "Job" and isinstance(spec, dict):
        # The server generates the selector: it was left out.
        return {name: part for name, part in spec.items() if name != "selector"}
    return spec


def _judged(recorded: RecordedVerdict) -> Verdict:
    cluster = _cluster(recorded.others)
    existing = recorded.data.get("existing")
    if existing is None:
        kind, meant = recorded.manifest.get("kind"), str(recorded.data["kind"])
        if kind and kind != meant:
            # It was sent to where objects of another kind are.
            return Verdict(400, "BadRequest", f"{kind} is no {meant}")
        sent_to = (RELEASE.api_version, meant) if meant in KUEUE_KINDS else None
        return judge(recorded.manifest, cluster=cluster, sent_to=sent_to)
    stored = _stored(existing, cluster)
    subresource = recorded.data.get("subresource", "")
    return judge(recorded.manifest, existing=stored, subresource=subresource, cluster=cluster)


def _cluster(others: list[Json]) -> ClusterContents:
    namespaces = [_name(other) for other in others if other.get("kind") == "Namespace"]
    queues = [
        (other.get("metadata") or {}).get("namespace", "default")
        for other in others
        if other.get("kind") == "LocalQueue" and _name(other) == "default"
    ]
    return ClusterContents(
        namespaces=frozenset((*_NAMESPACES, *namespaces)),
        default_queues=frozenset(queues),
        priority_classes=frozenset(
            _name(other) for other in others if other.get("kind") == "PriorityClass"
        ),
        service_accounts=frozenset(("default",)),
        objects=frozenset(map(_key, others)),
    )


def _key(obj: Json) -> tuple[str, str, str]:
    kind = str(obj.get("kind"))
    metadata = obj.get("metadata") or {}
    namespace = metadata.get("namespace", "default") if kind in _NAMESPACED else ""
    return kind, str(namespace), _name(obj)


def _name(obj: Json) -> str:
    return str((obj.get("metadata") or {}).get("name", ""))


def _stored(existing: Json, cluster: ClusterContents) -> Json:
    """Return an object as it was in the cluster when the update came."""
    status = deepcopy(existing.get("status"))
    created = judge({k: v for k, v in existing.items() if k != "status"}, cluster=cluster)
    if not created.is_accepted:
        raise ValueError(f"the existing object would not exist: {created.message}")
    if status is None:
        return dict(created.object)
    if existing["kind"] == "Workload":
        _admit(status)
    return {**created.object, "status": status}


def _admit(status: Json) -> None:
    """Do what Kueue did in the meantime: it admits what has quota and waits for no check."""
    conditions = status.get("conditions") or []
    types = {each["type"]: each["status"] for each in conditions}
    waiting = status.get("admissionChecks")
    if types.get("QuotaReserved") == "True" and "Admitted" not in types and not waiting:
        if "admission" not in status:
            return
        reserved = next(each for each in conditions if each["type"] == "QuotaReserved")
        admitted = {**reserved, "type": "Admitted", "reason": "Admitted"}
        status["conditions"] = [*conditions, admitted]
