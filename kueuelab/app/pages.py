"""The files of a page of its own, as a server or a site gives them to a browser.

They are few: a browser needs several times as long for fifty modules as for one that has them all.
What most visits don't need is in files of its own.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from kueuelab.app.files import front_files, linked_styles
from kueuelab.app.joined import MAIN, page_module
from kueuelab.frontend.joining import without_comments

__all__ = ["index_page", "page_files"]

#: The module that draws runs, and the editor of Build, with the files that have them.
_LATER: Final = MappingProxyType(
    {
        "modules/comparison.js": "drawing.js",
        "app/vendor/codemirror.js": "app/vendor/codemirror.js",
    }
)
#: What is served as it is written.
_AS_WRITTEN: Final = ("app/vendor/codemirror.js", "app/engine_worker.js", "app/logo.svg", "say.js")
_STYLES: Final = re.compile(r'(?:<link rel="stylesheet" href="[^"]+">\n)+')


def index_page(engine: str) -> bytes:
    """Return the page for an engine: ``machine`` or ``page``.

    Examples
    --------
    >>> b'data-engine="page"' in index_page("page")
    True
    """
    text = front_files()["index.html"].read_text("utf-8")
    text = text.replace('data-engine=""', f'data-engine="{engine}"').replace(MAIN, "front.js")
    return _STYLES.sub('<link rel="stylesheet" href="front.css">\n', text).encode()


@cache
def page_files() -> Mapping[str, bytes]:
    """Return what a page asks for by its address, without the slash before it.

    Examples
    --------
    >>> found = page_files()
    >>> {"front.js", "front.css", "drawing.js", "styles/theme.css"} <= set(found)
    True
    """
    sources = front_files()
    found = {name: sources[name].read_bytes() for name in _AS_WRITTEN}
    styles = [name for name in sources if name.startswith("styles/")]
    found |= {name: without_comments(sources[name].read_text("utf-8")).encode() for name in styles}
    found["front.js"] = page_module(MAIN, _LATER).encode()
    found["drawing.js"] = page_module("modules/comparison.js", _LATER).encode()
    found["front.css"] = "".join(map(without_comments, linked_styles())).encode()
    return MappingProxyType(found)
