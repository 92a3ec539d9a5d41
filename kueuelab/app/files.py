"""The files of the front end by the address at which a page asks for them.

The local server serves these, and no other file.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from types import MappingProxyType
from typing import Final

__all__ = ["TYPES", "front_files", "index_page"]

#: Content types by the ending of a name.
TYPES: Final[Mapping[str, str]] = MappingProxyType(
    {
        ".html": "text/html; charset=utf-8",
        ".js": "text/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
    }
)


#: Where the links to the modules go: a browser asks for all of them at once, and not one after
#: the other as each names the next one.
_MODULES: Final = "<!-- modules -->"
_LINK: Final = '<link rel="modulepreload" href="{file}">'
#: A worker of its own, a cell of a notebook, and the page that builds load these.
_LATER: Final = ("app/engine_worker.js", "app/cell.js", "app/vendor/codemirror.js")


def index_page(engine: str) -> bytes:
    """Return the page for an engine: ``machine`` or ``page``.

    Examples
    --------
    >>> b'data-engine="page"' in index_page("page")
    True
    """
    files = front_files()
    names = [name for name in files if name.startswith("app/") and name.endswith(".js")]
    modules = [name for name in names if name not in _LATER]
    links = "\n".join(_LINK.format(file=name) for name in modules)
    text = files["index.html"].read_text("utf-8")
    text = text.replace('data-engine=""', f'data-engine="{engine}"').replace(_MODULES, links)
    return text.encode()


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
