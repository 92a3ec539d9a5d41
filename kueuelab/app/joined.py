"""The front end as one module: for a cell of a notebook, which asks for no file, and for a page.

Every module becomes a function. In a notebook they are called anew for each cell, so that cells
share no state, and what they take for their page is a parameter of the whole (``front/cell.js``).
"""

from __future__ import annotations

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Final, TypeAlias

from kueuelab.app.files import front_files, linked_styles
from kueuelab.frontend.joining import style, without_comments
from kueuelab.frontend.packing import Packed, packed_script

__all__ = ["MAIN", "cell_modules", "cell_script", "cell_style", "joined_modules", "page_module"]

#: The module that starts the app.
MAIN: Final = "app/main.js"
_CELL: Final = "app/cell.js"
#: What the cell gives in the place of a module.
_GIVEN: Final = "app/notebook.js"
#: These are small already, and may have lines in which each space counts.
_VENDOR: Final = "/vendor/"
#: Where the modules seem to come from: they have an address, and nothing is asked for.
_ORIGIN: Final = "cell:///"

_IMPORT: Final = re.compile(r'import\s*\{([^}]*)\}\s*from\s*"([^"]+)";?')
_LATER: Final = r'\bimport\((?:new URL\()?"([^"]+)"(?:, import\.meta\.url\)\.href)?\)'
_LATER_OR_HERE: Final = re.compile(rf"{_LATER}|import\.meta\.url")
#: Comments within a line: types name modules as imports do.
_TYPES: Final = re.compile(r"/\*\*.*?\*/", re.DOTALL)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:const|class|function) (\w+))", re.MULTILINE)
_EXPORTED: Final = re.compile(r'\bexport\s*\{([^}]*)\}(?:\s*from\s*"([^"]+)")?;?')

#: What is called otherwise in a cell: its root is no document, and its size not that of the window.
_IN_CELL: Final = (
    (re.compile(r"\bhtml,\s*body\b|:root\b|^body\b", re.MULTILINE), ".kueuelab-app"),
    (re.compile(r"@media \(prefers-color-scheme: dark\)"), ":host([data-dark])"),
    (re.compile(r"@media (?=\((?:min|max)-(?:width|height))"), "@container "),
    (re.compile(r"(?<=\d)d?vh\b"), "cqh"),
    (re.compile(r"(?<=\d)vw\b"), "cqw"),
)
#: The cell itself: nothing of the notebook's style comes in, and what is fixed stays inside.
_CELL_STYLE: Final = """\
:host { all: initial; display: block; padding: 2px 0; }
.kueuelab-app { height: min(820px, 88vh); min-height: 320px; container-type: size; contain: layout;
  overflow: hidden; resize: vertical; border: 1px solid var(--line); border-radius: var(--r); }
"""

_SCRIPT: Final = """\
{say}const style = {style};
const app = ({{ document, location, history, addEventListener, removeEventListener, model }}) => {{
const modules = {{ "{given}": {{ model }} }};
{modules}}};
{cell}export const kueuelabWidget = {{ render: (cell) => shownIn(cell, app, style) }};
"""


@cache
def cell_modules() -> Packed:
    """Return what a notebook keeps of the app, once for all cells.

    Examples
    --------
    >>> len(cell_modules().text) < 600_000
    True
    """
    return packed_script(cell_script())


def cell_script() -> str:
    """Return the module: it exports what shows the app in a cell.

    Examples
    --------
    >>> "import {" in cell_script()
    False
    """
    files = front_files()
    cell = _EXPORT.sub("", files[_CELL].read_text("utf-8"))
    return _SCRIPT.format(
        say=without_comments(files["say.js"].read_text("utf-8")),
        style=json.dumps(cell_style(), ensure_ascii=False),
        given=_GIVEN,
        modules="".join(
            _as_function(name, text, lambda name: f'"{_ORIGIN}{name}"', _there)
            for name, text in joined_modules(without=_GIVEN).items()
        ),
        cell=without_comments(cell),
    )


def cell_style() -> str:
    """Return the styles of the app as a cell has them, and those of the drawing modules.

    Examples
    --------
    >>> ":root" in cell_style()
    False
    """
    found = []
    for text in linked_styles():
        for pattern, there in _IN_CELL:
            text = pattern.sub(there, text)
        found.append(without_comments(text))
    return "".join([*found, style(), _CELL_STYLE])


def page_module(root: str, elsewhere: Mapping[str, str]) -> str:
    """Return a module and those that it imports as one, for a page of its own.

    It exports what the root exports, and ``modules`` with all of them by their addresses.

    Parameters
    ----------
    root
        The module that nothing else imports.
    elsewhere
        The files of modules that are imported later, by their addresses.

    Examples
    --------
    >>> "import {" in page_module("app/words.js", {})
    False
    """

    def address(name: str) -> str:
        return f'new URL("{name}", import.meta.url).href'

    def later(name: str) -> str:
        return f"import({address(elsewhere[name])})"

    joined = joined_modules(root, lazily=False)
    functions = [_as_function(name, text, address, later) for name, text in joined.items()]
    names = ", ".join(_EXPORT.findall(joined[root]))
    exported = f"export const {{ {names} }} = modules[{json.dumps(root)}];\n" if names else ""
    return f"export const modules = {{}};\n{''.join(functions)}{exported}"


def joined_modules(
    root: str = MAIN, without: str = "", *, lazily: bool = True
) -> Mapping[str, str]:
    """Return the modules that a module is made of, each after those that it imports.

    Parameters
    ----------
    root
        The address of the module.
    without
        The address of one that is left out.
    lazily
        Whether those are among them that are imported later.

    Examples
    --------
    >>> [*joined_modules()][-1]
    'app/main.js'
    """
    files = front_files()
    found: dict[str, str] = {}

    def visit(name: str) -> None:
        if name in found or name == without:
            return
        text = files[name].read_text("utf-8")
        if _VENDOR not in name:
            text = _TYPES.sub("", without_comments(text))
        for imported in _imported(name, text, lazily=lazily):
            visit(imported)
        found[name] = text

    visit(root)
    return found


def _imported(name: str, text: str, *, lazily: bool) -> Iterator[str]:
    named = [place for _, place in (*_IMPORT.findall(text), *_EXPORTED.findall(text)) if place]
    for place in (*named, *(re.findall(_LATER, text) if lazily else ())):
        yield _address(name, place)


def _address(name: str, place: str) -> str:
    """Return the address of a module that another one names.

    >>> _address("app/steps.js", "../modules/page.js")
    'modules/page.js'
    """
    return posixpath.normpath(posixpath.join(posixpath.dirname(name), place))


#: Returns an expression for an address: of a module, or of what is imported later.
_Expression: TypeAlias = Callable[[str], str]


def _as_function(name: str, text: str, here: _Expression, later: _Expression) -> str:
    """Return a module as a part of the whole: what it exports is kept by its address."""

    def expression(found: re.Match[str]) -> str:
        return later(_address(name, found[1])) if found[1] else here(name)

    exports = {each: each for each in _EXPORT.findall(text)}
    for listed, place in _EXPORTED.findall(text):
        source = f"{_held(name, place)}." if place else ""
        exports |= {outside: source + inside for inside, outside in _names(listed)}
    body = _EXPORTED.sub("", _EXPORT.sub("", text))
    body = _IMPORT.sub(lambda each: _destructured(name, each[1], each[2]), body)
    body = _LATER_OR_HERE.sub(expression, body)
    given = ", ".join(f"{outside}: {inside}" for outside, inside in exports.items())
    return f'modules["{name}"] = (() => {{\n{body}\nreturn {{ {given} }};\n}})();\n'


def _there(name: str) -> str:
    """Return what is imported later and is here already."""
    return f'Promise.resolve(modules["{name}"])'


def _destructured(name: str, listed: str, place: str) -> str:
    parts = ", ".join(f"{outside}: {inside}" for outside, inside in _names(listed))
    return f"const {{ {parts} }} = {_held(name, place)};"


def _held(name: str, place: str) -> str:
    """Return where a module is that another one names."""
    return f'modules["{_address(name, place)}"]'


def _names(listed: str) -> list[tuple[str, str]]:
    """Return the pairs of names of a list.

    >>> _names("a as b, c,")
    [('a', 'b'), ('c', 'c')]
    """
    parts = [part.split(" as ") for part in listed.split(",") if part.strip()]
    return [(part[0].strip(), part[-1].strip()) for part in parts]
