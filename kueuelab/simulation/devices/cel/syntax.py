"""Expressions as trees: tokens, and a parser that follows the grammar of CEL."""

from __future__ import annotations

import re
from ast import literal_eval
from dataclasses import dataclass
from typing import Any, Final

from kueuelab.simulation.devices.cel.errors import CelError

__all__ = [
    "Binding",
    "Call",
    "Comprehension",
    "Conditional",
    "Index",
    "ListOf",
    "Literal",
    "MapOf",
    "Name",
    "Node",
    "Operation",
    "Select",
    "parse",
]

_TOKEN: Final = re.compile(
    r"""\s*(?://[^\n]*\n?\s*)*(?:
    (?P<number>(?:0[xX][0-9a-fA-F]+|\d+\.\d+(?:[eE][+-]?\d+)?|\d+(?:[eE][+-]?\d+)?)[uU]?)
    |(?P<text>[rRbB]{0,2}(?:\"\"\"(?:\\.|[^\\])*?\"\"\"|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))
    |(?P<name>[A-Za-z_][A-Za-z0-9_]*)
    |(?P<sign>&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()\[\]{}])
    |(?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_WORDS: Final = {"true": True, "false": False, "null": None}
#: Binary operators, those that bind less first.
_LEVELS: Final = (("||",), ("&&",), ("<", "<=", ">", ">=", "==", "!=", "in"), ("+", "-"))
_FACTORS: Final = ("*", "/", "%")
_MACROS: Final = ("all", "exists", "exists_one", "filter", "map")
_DEEPEST: Final = 60


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is written down."""

    value: Any


@dataclass(frozen=True, slots=True)
class Name:
    """A variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Select:
    """A field of a value; with ``test``, whether there is one (``has``); ``optional``: ``.?``."""

    of: Node
    field: str
    test: bool = False
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Index:
    """An item of a list or mapping."""

    of: Node
    key: Node
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A function, or a method ``of`` a value."""

    function: str
    of: Node | None
    arguments: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Comprehension:
    """A macro such as ``list.exists(x, x > 1)``."""

    macro: str
    of: Node
    variable: str
    body: Node


@dataclass(frozen=True, slots=True)
class Binding:
    """``cel.bind(variable, value, body)``: a value with a name inside of another expression."""

    variable: str
    value: Node
    body: Node


@dataclass(frozen=True, slots=True)
class Operation:
    """An operator with one or two values."""

    sign: str
    left: Node
    right: Node | None = None


@dataclass(frozen=True, slots=True)
class Conditional:
    """``test ? then : otherwise``."""

    test: Node
    then: Node
    otherwise: Node


@dataclass(frozen=True, slots=True)
class ListOf:
    """A list that is written down."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MapOf:
    """A mapping that is written down."""

    items: tuple[tuple[Node, Node], ...]


Node = (
    Literal
    | Name
    | Select
    | Index
    | Call
    | Comprehension
    | Binding
    | Operation
    | Conditional
    | ListOf
    | MapOf
)


def parse(text: str) -> Node:
    """Return the tree of an expression.

    Raises
    ------
    CelError
        If it is none.

    Examples
    --------
    >>> parse("device.driver")
    Select(of=Name(name='device'), field='driver', test=False, optional=False)
    >>> parse("1 +")
    Traceback (most recent call last):
    kueuelab.simulation.devices.cel.errors.CelError: Syntax error: unexpected end of the expression
    """
    return _Parser(text).whole()


class _Parser:
    def __init__(self, text: str) -> None:
        self._tokens = _tokens(text)
        self._at = 0
        self._depth = 0

    def whole(self) -> Node:
        node = self._expression()
        if self._kind != "end":
            raise self._unexpected()
        return node

    @property
    def _kind(self) -> str:
        return self._tokens[self._at][0]

    @property
    def _text(self) -> str:
        kind, text = self._tokens[self._at]
        return text if kind in ("sign", "name") else ""

    def _next(self) -> str:
        text = self._tokens[self._at][1]
        self._at += 1
        return text

    def _take(self, *signs: str) -> str:
        return self._next() if self._text and self._text in signs else ""

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._unexpected()

    def _unexpected(self) -> CelError:
        if self._kind == "end":
            return CelError("Syntax error: unexpected end of the expression")
        return CelError(f"Syntax error: unexpected {self._tokens[self._at][1]}")

    def _expression(self) -> Node:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise CelError("Syntax error: the expression is nested too deeply")
        test = self._binary(0)
        if self._take("?"):
            then = self._binary(0)
            self._expect(":")
            test = Conditional(test, then, self._expression())
        self._depth -= 1
        return test

    def _binary(self, level: int) -> Node:
        if level == len(_LEVELS):
            return self._factors()
        node = self._binary(level + 1)
        while sign := self._take(*_LEVELS[level]):
            node = Operation(sign, node, self._binary(level + 1))
        return node

    def _factors(self) -> Node:
        node = self._unary()
        while sign := self._take(*_FACTORS):
            node = Operation(sign, node, self._unary())
        return node

    def _unary(self) -> Node:
        signs = []
        while sign := self._take("!", "-"):
            signs.append(sign)
        node = self._member()
        for sign in reversed(signs):
            node = Operation(sign, node)
        return node

    def _member(self) -> Node:
        node = self._primary()
        while True:
            if self._take("["):
                optional = bool(self._take("?"))
                node = Index(node, self._expression(), optional)
                self._expect("]")
            elif self._take("."):
                optional = bool(self._take("?"))
                if self._kind != "name":
                    raise self._unexpected()
                name = self._next()
                if not optional and self._take("("):
                    node = self._method(node, name)
                else:
                    node = Select(node, name, optional=optional)
            else:
                return node

    def _method(self, of: Node, name: str) -> Node:
        arguments = self._arguments(")")
        if of == Name("cel") and name == "bind" and len(arguments) == 3:
            variable, value, body = arguments
            if not isinstance(variable, Name):
                raise CelError("cel.bind() variable names must be simple identifiers")
            return Binding(variable.name, value, body)
        if name in _MACROS and len(arguments) == 2 and isinstance(arguments[0], Name):
            return Comprehension(name, of, arguments[0].name, arguments[1])
        return Call(name, of, arguments)

    def _arguments(self, end: str) -> tuple[Node, ...]:
        found: list[Node] = []
        while not self._take(end):
            if found:
                self._expect(",")
                if self._take(end):
                    break
            found.append(self._expression())
        return tuple(found)

    def _primary(self) -> Node:
        kind = self._kind
        if kind == "number":
            return Literal(_number(self._next()))
        if kind == "text":
            return Literal(_text(self._next()))
        if kind == "name":
            return self._named(self._next())
        if self._take("("):
            node = self._expression()
            self._expect(")")
            return node
        if self._take("["):
            return ListOf(self._arguments("]"))
        if self._take("{"):
            return self._mapping()
        raise self._unexpected()

    def _named(self, name: str) -> Node:
        if name in _WORDS:
            return Literal(_WORDS[name])
        if not self._take("("):
            return Name(name)
        arguments = self._arguments(")")
        if name != "has":
            return Call(name, None, arguments)
        if len(arguments) != 1 or not isinstance(arguments[0], Select):
            raise CelError("invalid argument to has() macro")
        return Select(arguments[0].of, arguments[0].field, test=True)

    def _mapping(self) -> Node:
        items: list[tuple[Node, Node]] = []
        while not self._take("}"):
            if items:
                self._expect(",")
            key = self._expression()
            self._expect(":")
            items.append((key, self._expression()))
        return MapOf(tuple(items))


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    at = 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            raise CelError(f"Syntax error: token recognition error at: '{text[at:].strip()[:1]}'")
        kind = match.lastgroup or "end"
        found.append((kind, match[kind]))
        if kind == "end":
            return found
        at = match.end()


def _number(text: str) -> int | float:
    text = text.rstrip("uU")
    if text.lower().startswith("0x"):
        return int(text, 16)
    return int(text) if text.isdigit() else float(text)


def _text(text: str) -> str | bytes:
    try:
        value: str | bytes = literal_eval(text)
    except (SyntaxError, ValueError):
        raise CelError(f"Syntax error: invalid string literal {text}") from None
    return value
