"""Frames: what is shown at each step of a run, as plain JSON (``docs/frames.md``)."""
