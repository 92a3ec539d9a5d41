"""The text of an answer, as progress keeps it: it is enough to check the answer again."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType
from typing import Any

from kueuelab.workshop.confined import ConfinedDispatcher

__all__ = ["script_of"]


def script_of(dispatcher: Callable[..., Any]) -> str:
    """Return a script that defines a function of a notebook as ``dispatch``.

    It has the constants and functions of the notebook that the function uses, and what it
    imports. It is empty where the source is not known. A script that runs in a process of its own
    is its text.

    Examples
    --------
    >>> script_of(len)
    ''
    """
    if isinstance(dispatcher, ConfinedDispatcher):
        return dispatcher.text
    if not isinstance(dispatcher, FunctionType) or dispatcher.__closure__:
        return ""
    parts: dict[str, str] = {}
    try:
        _collect(dispatcher, parts)
    except (OSError, TypeError):
        return ""
    name = dispatcher.__name__
    if name == "<lambda>":
        return ""
    last = [] if name == "dispatch" else [f"dispatch = {name}"]
    head = "from __future__ import annotations"
    return "\n\n".join([head, *parts.values(), *last]) + "\n"


def _collect(function: FunctionType, parts: dict[str, str]) -> None:
    name = function.__name__
    if name in parts:
        return
    parts[name] = ""  # a function may call itself
    source = textwrap.dedent(inspect.getsource(function))
    for each in dict.fromkeys(_names(function.__code__)):
        if each not in function.__globals__ or each in parts:
            continue
        value = function.__globals__[each]
        if isinstance(value, FunctionType) and value.__module__ == function.__module__:
            _collect(value, parts)
        elif inspect.ismodule(value):
            parts[each] = f"import {value.__name__} as {each}"
        elif inspect.isclass(value) or inspect.isroutine(value):
            parts[each] = f"from {value.__module__} import {value.__name__} as {each}"
        elif _is_literal(value):
            parts[each] = f"{each} = {value!r}"
    # After what it uses.
    del parts[name]
    parts[name] = source.rstrip()


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for each in code.co_consts:
        if isinstance(each, CodeType):
            yield from _names(each)


def _is_literal(value: Any) -> bool:
    try:
        return bool(ast.literal_eval(repr(value)) == value)
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError):
        return False
