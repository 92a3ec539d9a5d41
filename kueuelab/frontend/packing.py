"""Modules and documents as a notebook keeps them: packed, and what opens them in the browser."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from gzip import compress
from hashlib import sha256
from typing import Any, Final

from kueuelab.frontend.joining import module_text, script, style

__all__ = [
    "Packed",
    "link_module",
    "modules",
    "opener",
    "packed",
    "packed_script",
    "widget_module",
]

#: The module of a widget. What its state holds is saved with a notebook, once for each widget: it
#: is small, and the modules are in the state of one widget that the others name.
_WIDGET: Final = """\
const brought = (model) => modulesOf(model.get("modules_key"), async () => {
  const id = model.get("modules").replace("IPY_MODEL_", "");
  return (await model.widget_manager.get_model(id)).get("packed");
});
export default {
  async render(cell) {
    return (await brought(cell.model)).kueuelabWidget.render(cell);
  },
};
"""
#: The module of a widget that has no view: the kernel of the views that are part of the page.
_LINK: Final = "export default { initialize: ({ model }) => linked(model) };\n"


@dataclass(frozen=True, slots=True)
class Packed:
    """The modules as a notebook keeps them.

    Attributes
    ----------
    key
        Equal for equal modules: a page opens them once.
    text
        The packed text.
    """

    key: str
    text: str


def packed(data: Mapping[str, Any]) -> str:
    """Return JSON as gzip in base64, the same each time.

    Examples
    --------
    >>> packed({}) == packed({}), packed({}).isascii()
    (True, True)
    """
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    return b64encode(compress(text.encode(), mtime=0)).decode("ascii")


@cache
def modules(*, topologies: bool = True, clusters: bool = True, groups: bool = True) -> Packed:
    """Return the modules with their style; see :func:`~kueuelab.frontend.joining.script`."""
    styled = style(topologies=topologies, clusters=clusters)
    shown = script(topologies=topologies, clusters=clusters, groups=groups)
    return packed_script(f"{shown}export {{ kueuelabWidget, showDocument }};\n", styled)


def packed_script(text: str, styled: str = "") -> Packed:
    """Return a module as a notebook keeps it, and a style of the page."""
    key = sha256((text + styled).encode()).hexdigest()[:16]
    return Packed(key, packed({"script": text, "style": styled}))


@cache
def opener() -> str:
    """Return the functions that open what is packed: ``unpacked`` and ``modulesOf``."""
    return module_text("unpacking")


@cache
def widget_module() -> str:
    """Return the module of a Jupyter widget that shows a document, as anywidget takes it."""
    return opener() + _WIDGET


@cache
def link_module() -> str:
    """Return the module of a Jupyter widget that is the kernel of views in the page."""
    return "".join(map(module_text, ("board", "asking", "kernel"))) + _LINK
