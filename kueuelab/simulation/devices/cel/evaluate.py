"""What an expression is worth for some variables."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.simulation.devices.cel.errors import CelError
from kueuelab.simulation.devices.cel.functions import FUNCTIONS, METHODS, Optional
from kueuelab.simulation.devices.cel.syntax import (
    Binding,
    Call,
    Comprehension,
    Conditional,
    Index,
    ListOf,
    Literal,
    MapOf,
    Name,
    Node,
    Operation,
    Select,
)

__all__ = ["evaluate", "unknown_names"]

Variables = Mapping[str, Any]

_NO_OVERLOAD: Final = "no such overload"


def _divided(left: Any, right: Any) -> Any:
    if isinstance(left, float):
        return left / right
    if right == 0:
        raise CelError("division by zero")
    return abs(left) // abs(right) * (1 if (left < 0) == (right < 0) else -1)


def _remainder(left: int, right: int) -> int:
    return left - right * int(_divided(left, right))


def _equal(left: Any, right: Any) -> bool:
    return isinstance(left, bool) == isinstance(right, bool) and bool(left == right)


def _contained(left: Any, right: Any) -> bool:
    if isinstance(right, Mapping):
        return left in right
    return any(_equal(left, item) for item in right)


_OPERATORS: Final[Mapping[str, Callable[[Any, Any], Any]]] = MappingProxyType(
    {
        "==": _equal,
        "!=": lambda left, right: not _equal(left, right),
        "<": operator.lt,
        "<=": operator.le,
        ">": operator.gt,
        ">=": operator.ge,
        "in": _contained,
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "/": _divided,
        "%": _remainder,
    }
)


def evaluate(node: Node, variables: Variables) -> Any:
    """Return the value of an expression.

    Raises
    ------
    CelError
        If it has none.

    Examples
    --------
    >>> from kueuelab.simulation.devices.cel.syntax import parse
    >>> evaluate(parse("x > 1 || missing"), {"x": 2})
    True
    >>> evaluate(parse("[1, 2, 3].filter(i, i % 2 == 1).size()"), {})
    2
    >>> evaluate(parse("cel.bind(a, x.?b, a.orValue(7))"), {"x": {}})
    7
    """
    match node:
        case Literal(value):
            return value
        case Name(name):
            if name not in variables:
                raise CelError(f"undeclared reference to '{name}'")
            return variables[name]
        case Select():
            return _selected(node, variables)
        case Index():
            return _indexed(node, variables)
        case Binding(variable, value, body):
            return evaluate(body, {**variables, variable: evaluate(value, variables)})
        case Conditional(test, then, otherwise):
            return evaluate(then if _true(evaluate(test, variables)) else otherwise, variables)
        case ListOf(items):
            return [evaluate(item, variables) for item in items]
        case MapOf(pairs):
            return {evaluate(key, variables): evaluate(value, variables) for key, value in pairs}
        case Comprehension():
            return _comprehended(node, variables)
        case Call():
            return _called(node, variables)
        case Operation():
            return _operated(node, variables)


def _true(value: Any) -> bool:
    if not isinstance(value, bool):
        raise CelError(_NO_OVERLOAD)
    return value


def _selected(node: Select, variables: Variables) -> Any:
    of = evaluate(node.of, variables)
    if node.optional or isinstance(of, Optional):
        return _optional_item(of, node.field)
    if not isinstance(of, Mapping):
        raise CelError(_NO_OVERLOAD)
    if node.test:
        return node.field in of
    return _item(of, node.field)


def _indexed(node: Index, variables: Variables) -> Any:
    of, key = evaluate(node.of, variables), evaluate(node.key, variables)
    if node.optional or isinstance(of, Optional):
        return _optional_item(of, key)
    return _item(of, key)


def _optional_item(of: Any, key: Any) -> Optional:
    """Return an item if there is one; of what is not there, there is none."""
    if isinstance(of, Optional):
        if not of.has_value:
            return of
        of = of.content
    if isinstance(of, Mapping):
        return Optional(True, of[key]) if key in of else Optional(False)
    if isinstance(of, list) and isinstance(key, int):
        return Optional(True, of[key]) if 0 <= key < len(of) else Optional(False)
    raise CelError(_NO_OVERLOAD)


def _item(of: Any, key: Any) -> Any:
    if isinstance(of, Mapping):
        try:
            return of[key]
        except KeyError:
            raise CelError(f"no such key: {key}") from None
    if isinstance(of, list) and isinstance(key, int):
        if not 0 <= key < len(of):
            raise CelError(f"index out of bounds: {key}")
        return of[key]
    raise CelError(_NO_OVERLOAD)


def _called(node: Call, variables: Variables) -> Any:
    known = FUNCTIONS if node.of is None else METHODS
    arguments = [evaluate(each, variables) for each in node.arguments]
    if node.of is not None:
        arguments.insert(0, evaluate(node.of, variables))
    if node.function not in known:
        raise CelError(f"undeclared reference to '{node.function}'")
    try:
        return known[node.function](*arguments)
    except (AttributeError, TypeError, ValueError):
        raise CelError(_NO_OVERLOAD) from None


def _comprehended(node: Comprehension, variables: Variables) -> Any:
    items = list(evaluate(node.of, variables))

    def body(item: Any) -> Any:
        return evaluate(node.body, {**variables, node.variable: item})

    match node.macro:
        case "all":
            return all(_true(body(item)) for item in items)
        case "exists":
            return any(_true(body(item)) for item in items)
        case "exists_one":
            return sum(_true(body(item)) for item in items) == 1
        case "filter":
            return [item for item in items if _true(body(item))]
        case _:
            return [body(item) for item in items]


def _operated(node: Operation, variables: Variables) -> Any:
    if node.right is None:
        value = evaluate(node.left, variables)
        return not _true(value) if node.sign == "!" else -value
    if node.sign in ("&&", "||"):
        return _logical(node.sign == "||", node.left, node.right, variables)
    left, right = evaluate(node.left, variables), evaluate(node.right, variables)
    try:
        return _OPERATORS[node.sign](left, right)
    except (AttributeError, TypeError):
        raise CelError(_NO_OVERLOAD) from None


def _logical(decides: bool, left: Node, right: Node, variables: Variables) -> bool:
    """Return ``||`` or ``&&``: a side that decides does so, whatever is wrong with the other."""
    try:
        if _true(evaluate(left, variables)) is decides:
            return decides
    except CelError:
        if _true(evaluate(right, variables)) is decides:
            return decides
        raise
    return _true(evaluate(right, variables))


def unknown_names(node: Node, known: frozenset[str]) -> list[str]:
    """Return the variables and functions of an expression that are not known, in order."""
    match node:
        case Name(name):
            return [] if name in known else [name]
        case Select(of, _, _, _):
            return unknown_names(of, known)
        case Index(of, key, _):
            return unknown_names(of, known) + unknown_names(key, known)
        case Binding(variable, value, body):
            return unknown_names(value, known) + unknown_names(body, known | {variable})
        case Conditional(test, then, otherwise):
            return [name for part in (test, then, otherwise) for name in unknown_names(part, known)]
        case ListOf(items):
            return [name for item in items for name in unknown_names(item, known)]
        case MapOf(pairs):
            return [name for pair in pairs for part in pair for name in unknown_names(part, known)]
        case Comprehension(_, of, variable, body):
            return unknown_names(of, known) + unknown_names(body, known | {variable})
        case Call(function, of, arguments):
            declared = FUNCTIONS if of is None else METHODS
            parts = arguments if of is None else (of, *arguments)
            names = [name for part in parts for name in unknown_names(part, known)]
            return names if function in declared else [function, *names]
        case Operation(_, left, right):
            names = unknown_names(left, known)
            return names if right is None else names + unknown_names(right, known)
        case _:
            return []
