"""Start the ``kueuelab`` command, also as ``python -m kueuelab``."""

from __future__ import annotations

import importlib
import sys

# What the command needs beyond the core; both come with the same extra.
_NEEDED = ("typer", "rich")


def main() -> int:
    """Run the command line, or say in one sentence what to install for it.

    Returns
    -------
    int
        The exit code; 2 when the packages of the command line are not installed.
    """
    return _run("cli")


def kubectl() -> int:
    """Run the plugin of kubectl, as :func:`main` runs the command line."""
    return _run("cli.kubectl")


def _run(room: str) -> int:
    try:
        cli = importlib.import_module(f"kueuelab.{room}")
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _NEEDED:
            raise
        from kueuelab.messages import Message

        print(Message("cli.needs", package=missing), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    return int(cli.main() or 0)


if __name__ == "__main__":
    sys.exit(main())
