"""Recorded runs for the widgets."""

from __future__ import annotations

from example_runs import busy, curated, late, trace, within

__all__ = ["busy", "curated", "late", "trace", "within"]
