"""The ``kueuelab`` command.

Each command is a module of its own, and imports what it needs when it runs, so that help
and completion answer at once.
"""

from kueuelab.cli.app import app, main

__all__ = ["app", "main"]
