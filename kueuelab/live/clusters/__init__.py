"""Clusters with Kueue: kind clusters, created and deleted; others, connected by MultiKueue."""

from __future__ import annotations

from kueuelab.live.clusters.connecting import connect, connections, disconnect
from kueuelab.live.clusters.layout import Layout
from kueuelab.live.clusters.runner import Command, DryRun, Runner, Subprocess
from kueuelab.live.clusters.wiring import Wiring
from kueuelab.live.clusters.work import down, status, up

__all__ = [
    "Command",
    "DryRun",
    "Layout",
    "Runner",
    "Subprocess",
    "Wiring",
    "connect",
    "connections",
    "disconnect",
    "down",
    "status",
    "up",
]
