"""kind clusters with Kueue: one, or a manager with workers; made, looked at, and removed."""

from __future__ import annotations

from kueuelab.live.clusters.layout import Layout
from kueuelab.live.clusters.runner import Command, DryRun, Runner, Subprocess
from kueuelab.live.clusters.work import down, status, up

__all__ = ["Command", "DryRun", "Layout", "Runner", "Subprocess", "down", "status", "up"]
