"""The counts of following for Prometheus, over HTTP."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from types import TracebackType
from typing import Any, Final

from kueuelab.errors import KueueLabError
from kueuelab.live.follow_status import FollowStatus
from kueuelab.messages import Message

__all__ = ["MetricsServer", "address_of", "exposition"]

_CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"
#: How long a client may take to send its request, in seconds.
_PATIENCE: Final = 10.0
_PATH: Final = "/metrics"


def exposition(status: FollowStatus) -> str:
    """Return the counts in Prometheus' text format.

    Examples
    --------
    >>> from kueuelab.live.decisions import Counts
    >>> status = FollowStatus("kind-lab", Counts(20, 1), 0, 0, 3, 0.25, 7, (), ())
    >>> print(exposition(status).splitlines()[2])
    kueuelab_decisions_judged_total{context="kind-lab"} 20
    """
    return "".join(f"{line}\n" for line in _lines(status))


def _lines(status: FollowStatus) -> Iterator[str]:
    label = status.context.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")
    for name, type_, text, value in (
        (
            "decisions_judged_total",
            "counter",
            "Decisions of Kueue that were repeated in the lab.",
            status.counts.judged,
        ),
        (
            "decisions_differing_total",
            "counter",
            "Decisions about which the lab differs.",
            status.differing,
        ),
        (
            "decisions_uncertain_total",
            "counter",
            "Decisions that agree with one of the possible memories of Kueue.",
            status.counts.uncertain,
        ),
        (
            "decisions_not_judged_total",
            "counter",
            "Decisions that were not repeated because following was too far behind.",
            status.not_judged,
        ),
        (
            "seconds_behind",
            "gauge",
            "For how long the oldest change that is not compared has waited.",
            f"{status.seconds_behind:.3f}",
        ),
        ("changes_behind", "gauge", "Changes that are not compared yet.", status.behind),
        ("workloads", "gauge", "Workloads in the cluster.", status.workloads),
    ):
        yield f"# HELP kueuelab_{name} {text}"
        yield f"# TYPE kueuelab_{name} {type_}"
        yield f'kueuelab_{name}{{context="{label}"}} {value}'


def address_of(text: str) -> tuple[str, int]:
    """Return host and port of an address.

    Parameters
    ----------
    text
        ``127.0.0.1:9100``; port 0 is any that is free.

    Raises
    ------
    KueueLabError
        If it is none.

    Examples
    --------
    >>> address_of("127.0.0.1:9100")
    ('127.0.0.1', 9100)
    """
    host, _, port = text.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise KueueLabError(
            Message("live.follow.address", address=text),
            hint=Message("live.follow.address.hint"),
        )
    return host.strip("[]"), int(port)


class MetricsServer:
    """Serves the counts at ``/metrics``, until :meth:`close` or the end of a ``with`` block.

    Parameters
    ----------
    host, port
        Where to listen; port 0 is any that is free.
    status
        Returns what there is to serve.

    Raises
    ------
    KueueLabError
        If the port is taken.
    """

    def __init__(self, host: str, port: int, status: Callable[[], FollowStatus]) -> None:
        try:
            self._server = _Server((host, port), _handler(status))
        except OSError as error:
            raise KueueLabError(
                Message(
                    "live.follow.port", host=host, port=port, error=error.strerror or str(error)
                ),
                hint=Message("live.follow.port.hint"),
            ) from error
        self._thread = Thread(target=self._server.serve_forever, name="metrics", daemon=True)
        self._thread.start()

    @property
    def url(self) -> str:
        """Where the counts are."""
        host, port = self._server.server_address[:2]
        return f"http://{host!s}:{port}{_PATH}"

    def close(self) -> None:
        """End it. It can be called twice."""
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def __enter__(self) -> MetricsServer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    allow_reuse_address = True


def _handler(status: Callable[[], FollowStatus]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        server_version = "kueuelab"
        sys_version = ""
        timeout = _PATIENCE

        def do_GET(self) -> None:
            """Answer with the counts."""
            if self.path.partition("?")[0] != _PATH:
                self._answer(404, "")
                return
            try:
                text = exposition(status())
            except KueueLabError as error:
                self._answer(503, f"{error}\n")
                return
            self._answer(200, text)

        def _answer(self, code: int, text: str) -> None:
            body = text.encode()
            self.send_response(code)
            self.send_header("Content-Type", _CONTENT_TYPE)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Say nothing: the terminal shows the table."""

    return Handler
