"""Joins the ES modules into one script, and the style sheets into one."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources
from typing import Final

from kueuelab.messages.catalog import say_script

__all__ = ["MODULES", "STYLES", "module_text", "script", "style", "without_comments", "wrapped"]

#: The modules, each after those that it imports.
MODULES: Final = (
    "patch",
    "unpacking",
    "store",
    "moves",
    "board",
    "stepping",
    "player",
    "amount",
    "dom",
    "icons",
    "layout",
    "enlarging",
    "chip_groups",
    "chip_parts",
    "chips",
    "drawing",
    "picture_keys",
    "slides",
    "picture",
    "picture_table",
    "export",
    "picture_tools",
    "tooltip",
    "panel_sentence",
    "panel_decision",
    "workload_explanation",
    "panel_details",
    "tabs",
    "durations",
    "panel_lanes",
    "panel_jobs",
    "panel_sequence",
    "panel_queues",
    "panel_timeline",
    "panel_comparison",
    "line_drawing",
    "chart",
    "domain_tree",
    "domain_layout",
    "domain_drawing",
    "domain_table",
    "domain_keys",
    "domain_flights",
    "domain_judging",
    "domain_levers",
    "domain_reasons",
    "panel_domains",
    "more_panels",
    "controls",
    "breakpoints",
    "keys",
    "address",
    "views",
    "comparison",
    "asking",
    "kernel",
    "widget",
    "page",
)
STYLES: Final = ("theme", "frame", "picture", "panels", "clusters", "over_time", "domains")
#: What only runs with a topology need, and what only runs of several clusters need.
_TOPOLOGY_MODULES: Final = frozenset(
    name for name in MODULES if name.startswith(("domain_", "panel_domains"))
)
_TOPOLOGY_STYLE: Final = "domains"
_CLUSTER_STYLE: Final = "clusters"
_CLUSTER_MODULES: Final = frozenset({"panel_lanes", "panel_jobs", "panel_sequence"})
#: What only runs with slices or variants of a workload need.
_GROUP_MODULES: Final = frozenset({"chip_parts"})

_IMPORT: Final = re.compile(r"^import\s[^;]*?;\n", re.MULTILINE)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:const|class|function) (\w+))", re.MULTILINE)
#: Comments on lines of their own: the reader of the source needs them, the browser does not.
_COMMENT: Final = re.compile(r"^[ \t]*(?://.*|/\*(?:[^*]|\*(?!/))*\*/)[ \t]*\n", re.MULTILINE)
#: The type of an expression, in front of it.
_CAST: Final = re.compile(r"/\*\* @type \{[^\n]*?\} \*/ ?")
_INDENT: Final = re.compile(r"^[ \t]+|\n(?=\n)", re.MULTILINE)

#: Spaces around what ends a name or a value in a style sheet; not before a colon of a selector.
_AROUND: Final = re.compile(r"\s*([{};,])\s*|(?<=:)\s+")


def wrapped(text: str) -> str:
    r"""Return a module as a part of a script.

    Its exports become constants; its other names stay inside.

    Examples
    --------
    >>> print(wrapped('import { b } from "./b.js";\n// one\nexport const a = b + 1;\n'))
    const { a } = (() => {
    const a = b + 1;
    return { a };
    })();
    <BLANKLINE>
    """
    names = ", ".join(_EXPORT.findall(text))
    body = without_comments(_EXPORT.sub("", _IMPORT.sub("", text)))
    return f"const {{ {names} }} = (() => {{\n{body}return {{ {names} }};\n}})();\n"


def module_text(name: str) -> str:
    """Return a module for a script of a few modules: its exports are names of the script."""
    return without_comments(_EXPORT.sub("", _IMPORT.sub("", _read("modules", f"{name}.js"))))


def without_comments(text: str) -> str:
    """Return a script or style sheet without comments on lines of their own and without indents."""
    return _INDENT.sub("", _CAST.sub("", _COMMENT.sub("", text))).lstrip("\n")


@cache
def script(*, topologies: bool = True, clusters: bool = True, groups: bool = True) -> str:
    """Return the modules as one script; it defines and runs nothing else.

    Parameters
    ----------
    topologies
        Whether it has the modules that only runs with a topology need.
    clusters
        Whether it has those that only runs of several clusters need.
    groups
        Whether it has those that only runs with slices or variants of a workload need.
    """
    left_out = frozenset() if topologies else _TOPOLOGY_MODULES
    left_out |= frozenset() if clusters else _CLUSTER_MODULES
    left_out |= frozenset() if groups else _GROUP_MODULES
    names = (name for name in MODULES if name not in left_out)
    modules = (wrapped(_read("modules", f"{name}.js")) for name in names)
    return without_comments(say_script()) + "".join(modules)


@cache
def style(*, topologies: bool = True, clusters: bool = True) -> str:
    """Return the style sheets as one; the parameters are those of :func:`script`."""
    left_out = {
        *(() if topologies else (_TOPOLOGY_STYLE,)),
        *(() if clusters else (_CLUSTER_STYLE,)),
    }
    names = (name for name in STYLES if name not in left_out)
    return "".join(_one_line_each(_read("styles", f"{name}.css")) for name in names)


def _one_line_each(text: str) -> str:
    """Return a style sheet without comments, and without the spaces that only its readers need."""
    return _AROUND.sub(r"\1", without_comments(text).replace("\n", " ")).strip() + "\n"


def _read(*parts: str) -> str:
    return resources.files("kueuelab.frontend").joinpath(*parts).read_text("utf-8")
