"""From what the server or the network says to one sentence each."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, Final

from kueuelab.live.errors import LiveError, Trouble

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
    """Return the error for an answer that is no success.

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
    /apis/x is not available: service unavailable. Check that what serves it is running
    """
    status = _status(text)
    message = str(status.get("message") or " ".join(text.split())[:200] or f"HTTP {code}")
    reason = status.get("reason")
    if code == 403 and (right := _RIGHT.search(message)) and reason == "Forbidden":
        return _missing_right(right)
    if code == 401:
        hint = "Log in again, or check the credentials of the context"
        return LiveError("the API server does not accept the login", "unauthorized", hint=hint)
    if code == 429:
        after = _seconds(headers.get("retry-after"))
        hint = f"Try again after {after:g} s" if after is not None else "Try again later"
        sentence = "the API server has no capacity for this client now"
        return LiveError(sentence, "throttled", hint=hint, retry_after=after)
    if code in (409,) and reason == "AlreadyExists":
        return LiveError(message, "exists", hint="Delete it first, or choose another name")
    if code == 409:
        return LiveError(message, "conflict", hint=_conflict_hint(status))
    if code == 500 and (webhook := _WEBHOOK.search(message)):
        name = f" ({webhook['name']})" if webhook["name"] else ""
        sentence = f"Kueue's webhook{name} does not answer"
        hint = "Check that Kueue is running: kubectl -n kueue-system get pods"
        # A webhook that is called comes before anything is done.
        after = 3.0 if webhook["name"] else None
        return LiveError(sentence, "unavailable", hint=hint, retry_after=after)
    trouble = _BY_CODE.get(code, "refused")
    if trouble == "unavailable":
        sentence = f"{path} is not available: {message}"
        return LiveError(sentence, trouble, hint="Check that what serves it is running")
    if trouble == "timeout":
        return LiveError(f"the API server took too long: {message}", trouble)
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
    where = f" in namespace {right['namespace']}" if right["namespace"] else ""
    wanted = f"{right['verb']} {right['resource']}{group}{where}"
    return LiveError(
        f"{right['user']} may not {wanted}",
        "forbidden",
        hint=f'Grant the verb "{right["verb"]}" on "{right["resource"]}{group}"'
        " (`kueuelab live snapshot --rbac` prints a role)",
    )


def _conflict_hint(status: Mapping[str, Any]) -> str:
    causes = (status.get("details") or {}).get("causes") or ()
    fields = [cause["field"] for cause in causes if cause.get("field")]
    if fields:
        return "Another manager owns " + ", ".join(fields)
    return "It was changed in the meantime; read it again"


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
        return LiveError(f"the connection to '{context}' was closed", "cut")
    if kind in ("ConnectTimeout", "PoolTimeout"):
        hint = "Check the address, and that the cluster is running"
        return LiveError(f"the API server of '{context}' does not answer", "timeout", hint=hint)
    if kind in ("ReadTimeout", "WriteTimeout"):
        sentence = f"the API server of '{context}' went silent at {path}"
        return LiveError(sentence, "timeout", hint="Try again; the server may be overloaded")
    if "CERTIFICATE_VERIFY_FAILED" in text:
        sentence = f"the certificate of '{context}' is not signed by the authority that is trusted"
        hint = "Check certificate-authority in the kubeconfig"
        return LiveError(sentence, "unreachable", hint=hint)
    if kind == "ConnectError":
        refused = "refused" in text.lower()
        sentence = (
            f"the API server of '{context}' refuses the connection"
            if refused
            else f"the API server of '{context}' cannot be reached: {text}"
        )
        hint = "Check that the cluster is running and the address in the kubeconfig is right"
        # A server that restarts refuses for a moment; a name that is wrong stays wrong.
        return LiveError(sentence, "unreachable", hint=hint, retry_after=1.0 if refused else None)
    return LiveError(f"the connection to '{context}' broke at {path}", "cut", retry_after=0.5)
