"""Pages and parts of pages that hold a document and the modules that draw it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from html import escape
from importlib import resources
from typing import Any, Final

from kueuelab.frontend.joining import script, style
from kueuelab.frontend.packing import modules, opener, packed
from kueuelab.frontend.sending import sent
from kueuelab.messages import Catalog, english
from kueuelab.messages.languages import ids_of

__all__ = ["fragment", "one_line", "page", "said"]

#: The views of several clusters.
_OF_CLUSTERS: Final = ("multikueue", "sequence")
#: How ids of sentences begin that only runs with a topology need, or runs of several clusters.
_DOMAIN_WORDS: Final = ("frontend.domains.",)
_CLUSTER_WORDS: Final = ("frontend.clusters.", "frontend.sequence.")
_PRE: Final = re.compile("<pre>.*?</pre>", re.DOTALL)
_FRAGMENT: Final = """\
<div class="kl-embedded" data-board="__BOARD__"><div class="kl-still">__PICTURE__</div>
<script type="text/plain">__MODULES__</script><script type="text/plain">__DOCUMENT__</script>
<script>(() => {
const root = document.currentScript.parentElement;
const place = root.querySelector(".kl-still");
const [modules, run] = root.querySelectorAll("script[type='text/plain']");
__OPENER__const found = modulesOf("__KEY__", () => modules.textContent);
new IntersectionObserver(async (entries, seen) => {
if (!entries.some((each) => each.isIntersecting)) return;
seen.disconnect();
const opened = unpacked(run.textContent);
(await found).showDocument(place, await opened, false, root.dataset.board);
}, { rootMargin: "600px" }).observe(root);
})();</script></div>
"""


def said(*, topologies: bool = True, clusters: bool = True) -> tuple[str, ...]:
    """Return the ids of the sentences that the modules say: ``words`` of a document.

    The parameters are those of :func:`~kueuelab.frontend.joining.script`.
    """
    left_out = (*(() if topologies else _DOMAIN_WORDS), *(() if clusters else _CLUSTER_WORDS))
    return tuple(each for each in ids_of("frontend") if not each.startswith(left_out))


def page(document: Mapping[str, Any], catalog: Catalog | None = None, plotly: str = "") -> str:
    """Return a document as a web page that needs nothing else: it opens from a file, offline too.

    Parameters
    ----------
    document
        A frame document.
    catalog
        The language of what is shown where scripts are not allowed.
    plotly
        The source of plotly, for the charts; without it they show their tables.
    """
    template = resources.files("kueuelab.frontend").joinpath("page.html").read_text("utf-8")
    words = catalog or english()
    needed = _needed(document)
    return _filled(
        template,
        {
            "__STYLE__": style(topologies=needed["topologies"], clusters=needed["clusters"]),
            "__SCRIPT__": script(**needed),
            "__NOSCRIPT__": escape(words.text("frontend.page.no-script")),
            "__RUN__": embedded(sent(document)),
            "__PLOTLY__": _held(plotly) if plotly else "",
        },
    )


def _needed(document: Mapping[str, Any]) -> dict[str, bool]:
    """Return which modules a document needs: see :func:`~kueuelab.frontend.joining.script`."""
    view = document.get("view")
    return {
        "topologies": "topologies" in document or view == "topology",
        "clusters": view in _OF_CLUSTERS,
        "groups": view in (*_OF_CLUSTERS, "comparison") or _may_have_groups(document),
    }


def _may_have_groups(document: Mapping[str, Any]) -> bool:
    """Tell whether a chip may have parts: of a long run, only some steps are in the document."""
    chunks = document.get("chunks", {})
    size = document.get("chunk") or 1
    is_whole = len(chunks) * size >= document.get("steps", 0)
    return not is_whole or '"parts":' in json.dumps(chunks, separators=(",", ":"))


def fragment(document: Mapping[str, Any], picture: str, board: str = "") -> str:
    """Return a part of an HTML page: a still picture that becomes the view where scripts run.

    The modules and the document are packed, since a notebook keeps them for each of its views.

    Parameters
    ----------
    document
        A frame document.
    picture
        Markup that is shown until then, or for good where scripts are not allowed.
    board
        The id that views have in common that move together.
    """
    brought = modules(**_needed(document))
    filled = {
        "__BOARD__": escape(board),
        "__PICTURE__": picture,
        "__MODULES__": brought.text,
        "__DOCUMENT__": packed(sent(document)),
        "__OPENER__": opener(),
        "__KEY__": brought.key,
    }
    return one_line(_filled(_FRAGMENT, filled))


def one_line(markup: str) -> str:
    r"""Return markup without line breaks: JupyterLite puts commas in their place.

    Those in preformatted text become references to the character.

    Examples
    --------
    >>> one_line("<pre>a\nb</pre>\n<p>")
    '<pre>a&#10;b</pre> <p>'
    """
    kept = _PRE.sub(lambda found: found[0].replace("\n", "&#10;"), markup)
    return kept.replace("\n", " ").rstrip()


def embedded(document: Mapping[str, Any]) -> str:
    r"""Return JSON that cannot end the script element that it is in.

    Examples
    --------
    >>> embedded({"name": "</script>"})
    '{"name":"\\u003c/script>"}'
    """
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _held(plotly: str) -> str:
    """Return plotly as text of the page: it is run when the first chart comes into view."""
    source = plotly.replace("</script", "<\\/script").replace("<!--", "<\\!--")
    return f'<script type="text/plain" data-kueuelab-plotly>{source}</script>\n'


def _filled(template: str, parts: Mapping[str, str]) -> str:
    """Fill in parts, each once: what is in one part is never looked at for another."""
    places = sorted((template.index(name), name) for name in parts)
    found, last = [], 0
    for at, name in places:
        found += [template[last:at], parts[name]]
        last = at + len(name)
    return "".join([*found, template[last:]])
