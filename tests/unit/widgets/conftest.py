"""Recorded runs for the widgets: those of the views."""

from __future__ import annotations

from ..views.conftest import busy, curated, late, trace, within

__all__ = ["busy", "curated", "late", "trace", "within"]
