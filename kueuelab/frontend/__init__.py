"""The modules that draw frames in a browser: in a notebook, on a saved page, on any site.

They are ES modules and style sheets without dependencies. A page from a file cannot import modules,
and a widget is one module: so they are joined into one script here, the same for each place.

Examples
--------
>>> "class Store" in script(), "import {" in script()
(True, False)
"""

from __future__ import annotations

from kueuelab.frontend.joining import MODULES, script, style
from kueuelab.frontend.packing import link_module, modules, packed, widget_module
from kueuelab.frontend.pages import fragment, page, said
from kueuelab.frontend.sending import sent

__all__ = [
    "MODULES",
    "fragment",
    "link_module",
    "modules",
    "packed",
    "page",
    "said",
    "script",
    "sent",
    "style",
    "widget_module",
]
