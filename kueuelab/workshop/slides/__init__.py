"""Slides of the notebooks, for the instructor: one file each, which any browser opens offline."""

from __future__ import annotations

from kueuelab.workshop.slides.making import make_slides

__all__ = ["make_slides"]
