"""What a request to a server has to show: the token, the name of the host, and the origin.

The app and the service for programs check requests in the same way, which is written here once.
"""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Collection
from typing import Any, Final

from tornado import httputil, web

__all__ = ["Access", "Checked", "log_in"]

_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


class Access:
    """The token of a server, and the names that requests may call its host.

    Parameters
    ----------
    port
        The port, which is a part of the names of the host.
    token
        What a request has to show; a random one if omitted.
    hosts
        The names of the host; those of this machine if omitted. If it is empty, any name will do.

    Examples
    --------
    >>> access = Access(8919, "t")
    >>> access.knows("t"), access.knows(None), access.allows_host("evil.example:8919")
    (True, False, False)
    """

    def __init__(self, port: int, token: str = "", hosts: Collection[str] | None = None) -> None:
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}") if hosts is None else hosts
        self.cookie = f"kueuelab-{port}"
        self.token = token or secrets.token_urlsafe(24)

    def knows(self, given: str | None) -> bool:
        """Tell whether a token is the one of this server."""
        return hmac.compare_digest((given or "").encode(), self.token.encode())

    def allows_host(self, host: str) -> bool:
        """Tell whether a request may call the host so.

        A name of another host that leads here is how a page of a stranger would ask.
        """
        return not self.hosts or host in self.hosts

    @staticmethod
    def is_own_origin(request: httputil.HTTPServerRequest) -> bool:
        """Tell whether a request comes from a page of this server."""
        return request.headers.get("Origin", "") == f"http://{request.host}"


class Checked(web.RequestHandler):
    """What all answers have in common: headers, and the check of the host."""

    access: Access
    #: The policy of its pages.
    policy: str

    def set_default_headers(self) -> None:
        """Set what keeps other pages out."""
        self.set_header("Content-Security-Policy", self.policy)
        for name, value in _HEADERS.items():
            self.set_header(name, value)
        self.clear_header("Server")

    def prepare(self) -> None:
        """Refuse another name of the host."""
        if not self.access.allows_host(self.request.host):
            raise web.HTTPError(403)

    def write_error(self, status_code: int, **_more: Any) -> None:
        """Answer with the code alone."""
        self.finish(str(status_code))


def log_in(handler: Checked) -> bool:
    """Give the cookie for an address with the token, which leaves the history; tell whether it did.

    Raises
    ------
    tornado.web.HTTPError
        If the token is another one.
    """
    given = handler.get_query_argument("token", "")
    if not given:
        return False
    if not handler.access.knows(given):
        raise web.HTTPError(403)
    handler.set_cookie(handler.access.cookie, given, httponly=True, samesite="Strict")
    handler.redirect("/")
    return True
