"""At which address pods of a manager reach the API server of a worker.

A kubeconfig has the address at which this machine reaches it. That is compared with what pods of
another cluster can reach before anything is written: a connection that can never come is not
waited for.
"""

from __future__ import annotations

from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from kueuelab.live.clusters.tools import Tools
from kueuelab.live.clusters.wiring import ConnectedCluster, Wiring
from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["is_of_one_machine", "reached_at"]

_KIND: Final = "kind-"


def is_of_one_machine(server: str) -> bool:
    """Tell whether an address means the machine itself, whichever asks for it.

    Examples
    --------
    >>> is_of_one_machine("https://127.0.0.1:37203"), is_of_one_machine("https://[::1]:6443")
    (True, True)
    >>> is_of_one_machine("https://10.0.0.7:6443"), is_of_one_machine("https://localhost.example")
    (False, False)
    """
    host = (urlsplit(server).hostname or "").rstrip(".")
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        address = ip_address(host)
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified


def reached_at(wiring: Wiring, worker: ConnectedCluster, tools: Tools) -> str:
    """Return the address of a worker for the manager: the one that was given, or one that can work.

    Kind clusters of one container engine reach each other by the names of their nodes.

    Raises
    ------
    LiveError
        If only this machine reaches the address of the kubeconfig, or there is none.
    """
    if worker.server:
        return worker.server
    node = _node_of(wiring, worker)
    if node and (tools.is_dry or tools.has_node(worker.context, node)):
        return f"https://{node}:6443"
    server = tools.server(worker.context)
    if tools.is_dry:
        return server
    if not server:
        raise LiveError(Message("live.connect.no-address"), "missing")
    if is_of_one_machine(server):
        message = Message(
            "live.connect.local-address",
            server=server,
            context=worker.context,
            manager=wiring.manager.context,
        )
        hint = Message("live.connect.local-address.hint", alias=worker.alias)
        raise LiveError(message, "config", hint=hint)
    return server


def _node_of(wiring: Wiring, worker: ConnectedCluster) -> str:
    """Return the node by which kind clusters reach a worker, if both look like kind clusters."""
    if not all(each.context.startswith(_KIND) for each in (wiring.manager, worker)):
        return ""
    return f"{worker.context.removeprefix(_KIND)}-control-plane"
