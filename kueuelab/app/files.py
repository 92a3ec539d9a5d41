"""The modules and styles of which the front end is made, by the addresses that they use."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

__all__ = ["TYPES", "front_files", "linked_styles"]

#: Content types by the ending of a name.
TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)

#: A style sheet of the page.
_STYLE_LINK: Final = re.compile(r'<link rel="stylesheet" href="([^"]+)">')


@cache
def front_files() -> Mapping[str, Path]:
    """Return the files by their address, without the slash before it.

    Examples
    --------
    >>> found = front_files()
    >>> {"index.html", "app/main.js", "app/vendor/preact.js", "modules/page.js"} <= set(found)
    True
    """
    front = Path(str(resources.files("kueuelab.app"))) / "front"
    found = {"index.html": front / "index.html"}
    for file in sorted(front.rglob("*")):
        if file.is_file() and file.suffix in (".js", ".css", ".svg"):
            found[f"app/{file.relative_to(front).as_posix()}"] = file
    drawing = Path(str(resources.files("kueuelab.frontend")))
    for folder, ending in (("modules", "*.js"), ("styles", "*.css")):
        for file in sorted((drawing / folder).glob(ending)):
            found[f"{folder}/{file.name}"] = file
    found["say.js"] = Path(str(resources.files("kueuelab.messages"))) / "say.js"
    return MappingProxyType(found)


def linked_styles() -> tuple[str, ...]:
    """Return the texts of the style sheets of the page, in their order.

    Examples
    --------
    >>> ":root" in linked_styles()[0]
    True
    """
    files = front_files()
    links = _STYLE_LINK.findall(files["index.html"].read_text("utf-8"))
    return tuple(files[link].read_text("utf-8") for link in links)
