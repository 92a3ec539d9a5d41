"""What the server of notebooks writes into the terminal: no address of its own."""

from __future__ import annotations

import logging
from typing import Final

__all__ = ["OneAddress"]

#: The beginning of what Jupyter Server says at its start: an address that opens another page.
_BANNER: Final = "To access the server"


class OneAddress(logging.Filter):
    """Keeps the server's own address back: the command prints the one of the page to open.

    Examples
    --------
    >>> banner = "To access the server, open this file in a browser: ..."
    >>> record = logging.LogRecord("", logging.CRITICAL, "", 0, banner, (), None)
    >>> OneAddress().filter(record)
    False
    """

    def filter(self, record: logging.LogRecord) -> bool:
        """Tell whether a record is written."""
        return not record.getMessage().strip().startswith(_BANNER)
