"""Decide what Kueue would decide, see why, and change your mind."""

__version__ = "0.1.0"

KUEUE_VERSION = "v0.19.2"
"""The Kueue release whose decisions this package reproduces."""
