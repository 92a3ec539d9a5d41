"""Errors of the server and the network, one sentence each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from kueuelab.live.errors import LiveError, Trouble
from kueuelab.messages import Message

__all__ = ["error_of", "failure_of"]

_BY_CODE: Final[Mapping[int, Trouble]] = {
    401: "unauthorized",
    403: "forbidden",
    404: "missing",
    409: "conflict",
    410: "expired",
    429: "throttled",
    503: "unavailable",
    504: "timeout",
}

_RIGHT: Final = re.compile(
    r'User "(?P<user>[^"]*)" cannot (?P<verb>\w+) resource "(?P<resource>[^"]+)"'
    r' in API group "(?P<group>[^"]*)"(?: in the namespace "(?P<namespace>[^"]+)")?'
)

_WEBHOOK: Final = re.compile(r'(?:failed calling webhook "(?P<name>[^"]+)"|conversion webhook)')


def error_of(code: int, headers: Mapping[str, str], text: str, path: str) -> LiveError:
    """Return the error for an answer that is not successful.

    Parameters
    ----------
    code, headers, text
        The answer.
    path
        What was asked for.

    Examples
    --------
    >>> print(error_of(429, {"retry-after": "1"}, "Too many requests", "/version"))
    the API server has no capacity for this client now. Try again after 1 s
    >>> print(error_of(503, {}, "service unavailable", "/apis/x"))
    /apis/x is not available: service unavailable. Check that the server behind it is running
    """
    status = _status(text)
    message = str(status.get("message") or " ".join(text.split())[:200] or f"HTTP {code}")
    reason = status.get("reason")
    if code == 403 and (right := _RIGHT.search(message)) and reason == "Forbidden":
        return _missing_right(right)
    if code == 401:
        hint = Message("live.answer.unauthorized.hint")
        return LiveError(Message("live.answer.unauthorized"), "unauthorized", hint=hint)
    if code == 429:
        after = _seconds(headers.get("retry-after"))
        hint = (
            Message("live.answer.busy.hint", after=f"{after:g}")
            if after is not None
            else Message("live.answer.busy.hint-later")
        )
        sentence = Message("live.answer.busy")
        return LiveError(sentence, "throttled", hint=hint, retry_after=after)
    if code in (409,) and reason == "AlreadyExists":
        return LiveError(message, "exists", hint=Message("live.answer.exists.hint"))
    if code == 409:
        return LiveError(message, "conflict", hint=_conflict_hint(status))
    if code == 500 and (webhook := _WEBHOOK.search(message)):
        sentence = (
            Message("live.answer.no-webhook-named", name=webhook["name"])
            if webhook["name"]
            else Message("live.answer.no-webhook")
        )
        hint = Message("live.answer.no-webhook.hint")
        # A webhook that is called comes before anything is done.
        after = 3.0 if webhook["name"] else None
        return LiveError(sentence, "unavailable", hint=hint, retry_after=after)
    trouble = _BY_CODE.get(code, "refused")
    if trouble == "unavailable":
        sentence = Message("live.answer.unavailable", path=path, message=message)
        return LiveError(sentence, trouble, hint=Message("live.answer.unavailable.hint"))
    if trouble == "timeout":
        return LiveError(Message("live.answer.slow", message=message), trouble)
    return LiveError(message, trouble)


def _status(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and "message" in found else {}


def _seconds(text: str | None) -> float | None:
    try:
        return max(0.0, float(text)) if text else None
    except ValueError:
        return None


def _missing_right(right: re.Match[str]) -> LiveError:
    group = f".{right['group']}" if right["group"] else ""
    user, verb, resource = right["user"], right["verb"], f"{right['resource']}{group}"
    message = Message("live.answer.forbidden", user=user, verb=verb, resource=resource)
    if namespace := right["namespace"]:
        message = Message(
            "live.answer.forbidden-in-namespace",
            user=user,
            verb=verb,
            resource=resource,
            namespace=namespace,
        )
    hint = Message("live.answer.forbidden.hint", verb=verb, resource=resource)
    return LiveError(message, "forbidden", hint=hint)


def _conflict_hint(status: Mapping[str, Any]) -> str:
    causes = (status.get("details") or {}).get("causes") or ()
    fields = [cause["field"] for cause in causes if cause.get("field")]
    if fields:
        return Message("live.answer.owned", fields=", ".join(fields))
    return Message("live.answer.conflict.hint")


def failure_of(error: Exception, context: str, path: str, *, closed: bool) -> LiveError:
    """Return the error for a request that got no answer, or only part of one.

    Parameters
    ----------
    error
        What the HTTP client raised.
    context, path
        What was asked for where.
    closed
        Whether the client closed the connection itself.
    """
    kind, text = type(error).__name__, " ".join(str(error).split())
    if closed:
        return LiveError(Message("live.answer.closed", context=context), "cut")
    if kind in ("ConnectTimeout", "PoolTimeout"):
        hint = Message("live.answer.no-answer.hint")
        return LiveError(Message("live.answer.no-answer", context=context), "timeout", hint=hint)
    if kind in ("ReadTimeout", "WriteTimeout"):
        sentence = Message("live.answer.silent", context=context, path=path)
        return LiveError(sentence, "timeout", hint=Message("live.answer.silent.hint"))
    if "CERTIFICATE_VERIFY_FAILED" in text:
        sentence = Message("live.answer.certificate", context=context)
        hint = Message("live.answer.certificate.hint")
        return LiveError(sentence, "unreachable", hint=hint)
    if kind == "ConnectError":
        refused = "refused" in text.lower()
        sentence = (
            Message("live.answer.connection-refused", context=context)
            if refused
            else Message("live.answer.unreachable", context=context, text=text)
        )
        hint = Message("live.answer.unreachable.hint")
        # A server that restarts refuses connections for a moment; a wrong name stays wrong.
        return LiveError(sentence, "unreachable", hint=hint, retry_after=1.0 if refused else None)
    return LiveError(
        Message("live.answer.connection-lost", context=context, path=path), "cut", retry_after=0.5
    )
