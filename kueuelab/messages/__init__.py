"""The sentences that people read, by room and language (``docs/messages.md``).

A sentence has an id, ``room.topic.name``. Its templates are in
``languages/<language>/<room>.yaml``.
What Kueue and Kubernetes say is not in here: it is shown as they write it, in any language.
"""

from __future__ import annotations

from kueuelab.messages.catalog import Catalog
from kueuelab.messages.languages import LANGUAGES, english, language_of, messages_in
from kueuelab.messages.message import Message, clauses, listed, separated, verbatim

__all__ = [
    "LANGUAGES",
    "Catalog",
    "Message",
    "clauses",
    "english",
    "language_of",
    "listed",
    "messages_in",
    "separated",
    "verbatim",
]
