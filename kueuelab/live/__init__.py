"""Real clusters: what is there, why it is so, and whether the lab would decide the same."""

from __future__ import annotations

from kueuelab.live.errors import LiveError
from kueuelab.live.following import Following, connect

__all__ = ["Following", "LiveError", "connect"]
