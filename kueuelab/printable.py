"""Text that a terminal can be given: what would steer it or hide text is written as an escape.

Names and titles come from files that strangers wrote. A control character in one moves the
cursor or changes the window, and a bidirectional one shows text in another order than it has.
"""

from __future__ import annotations

import re
from typing import Final

__all__ = ["UNPRINTABLE", "escaped"]

#: Control characters but for tab and line feed, line and paragraph separators, all that changes
#: the direction of text, the byte order mark, and halves of characters.
UNPRINTABLE: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def escaped(text: str) -> str:
    r"""Return a text with an escape in the place of each character that can't be shown.

    The escapes are those of JSON, so that JSON stays what it is.

    Examples
    --------
    >>> print(escaped("team-\x1b[31ma\u202e"))
    team-\u001b[31ma\u202e
    >>> escaped("two lines:\n\tα, 列, 🙂")
    'two lines:\n\tα, 列, 🙂'
    """
    return UNPRINTABLE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)
