"""What the fragments of cells hold, opened for the tests that look at it."""

from __future__ import annotations

import gzip
import json
import re
from base64 import b64decode
from typing import Any


def unpacked(text: str) -> Any:
    """Return what a packed text holds."""
    return json.loads(gzip.decompress(b64decode(text)))


def parts(html: str) -> tuple[Any, Any]:
    """Return the modules and the document of a fragment."""
    modules, document = re.findall(r'<script type="text/plain">([\w+/=]+)</script>', html)
    return unpacked(modules), unpacked(document)


def document_in(html: str) -> Any:
    """Return the document of a fragment."""
    return parts(html)[1]
