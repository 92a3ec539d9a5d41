"""Frozen dataclasses and named tuples, made as fast as others, and mappings that never change."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, fields
from typing import Any, Final, TypeVar

__all__ = ["EMPTY", "FrozenDict", "fast_init", "new_tuple"]

T = TypeVar("T")
K = TypeVar("K")
V = TypeVar("V")


class FrozenDict(dict[K, V]):
    """A dictionary that stays as it was made; to be asked takes no call of Python's.

    Examples
    --------
    >>> quota = FrozenDict(cpu=4)
    >>> quota["cpu"]
    4
    >>> quota["cpu"] = 5
    Traceback (most recent call last):
    TypeError: this mapping is never changed
    """

    __slots__ = ()

    def _refuse(self, *_: Any, **__: Any) -> Any:
        raise TypeError("this mapping is never changed")

    __setitem__ = __delitem__ = setdefault = update = __ior__ = _refuse
    pop = popitem = clear = _refuse

    def __reduce__(self) -> str | tuple[Any, ...]:
        return type(self), (dict(self),)


class _Empty(FrozenDict[Any, Any]):
    """An empty dictionary; a copy of what has it has the same one."""

    __slots__ = ()

    def __reduce__(self) -> str:
        return "EMPTY"


#: Where most have no entries: one mapping for all of them.
EMPTY: Final[Mapping[Any, Any]] = _Empty()

#: Makes a named tuple without a call of Python's: ``new_tuple(Point, (x, y))``. Use it where tens
#: of thousands are made; all fields are given.
new_tuple: Final = tuple.__new__

#: Stands for an argument that was not given, where its default is made anew each time.
_NOT_GIVEN: Final = object()

#: Changes the class of an object that can't be written to.
_set_class: Final = object.__dict__["__class__"].__set__


def fast_init(cls: type[T]) -> type[T]:
    """Let a frozen dataclass with slots write to its fields directly while it is made.

    The initializer that ``dataclass`` makes for it calls ``object.__setattr__`` for each field,
    which takes two thirds of the time. This one makes the object one of a subclass that is not
    frozen until its fields are set. Use it where tens of thousands of objects are made.

    Parameters
    ----------
    cls
        A dataclass with ``frozen=True`` and ``slots=True``, all of whose fields are arguments
        by position.

    Returns
    -------
    type
        The same class.

    Raises
    ------
    TypeError
        If it is another kind of class.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @fast_init
    ... @dataclass(frozen=True, slots=True)
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> point = Point(1)
    >>> point, type(point) is Point
    (Point(x=1, y=0), True)
    >>> point.x = 2
    Traceback (most recent call last):
    dataclasses.FrozenInstanceError: cannot assign to field 'x'
    """
    own: tuple[Field[Any], ...] = fields(cls)  # type: ignore[arg-type]
    if not _is_suitable(cls, own):
        raise TypeError(f"{cls.__name__} is no frozen dataclass with slots and plain arguments")
    writable = {"__setattr__": object.__setattr__, "__delattr__": object.__delattr__}
    still_open: type = type(cls)(cls.__name__, (cls,), {"__slots__": (), **writable})  # type: ignore[misc]
    known: dict[str, Any] = {
        "_frozen": cls,
        "_open": still_open,
        "_set_class": _set_class,
        "_NOT_GIVEN": _NOT_GIVEN,
    }
    lines = ["def __init__(", ", ".join(["self", *(_argument(each, known) for each in own)]), "):"]
    body = ["_set_class(self, _open)", *(_assignment(each, known) for each in own)]
    body.append("self.__class__ = _frozen")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    exec("".join(lines) + "\n " + "\n ".join(body), known)
    made = known["__init__"]
    made.__qualname__ = f"{cls.__qualname__}.__init__"
    made.__module__ = cls.__module__
    made.__annotations__ = cls.__init__.__annotations__
    setattr(cls, "__init__", made)  # noqa: B010 - a type checker would ask for its signature
    return cls


def _is_suitable(cls: type, own: tuple[Field[Any], ...]) -> bool:
    settings = cls.__dataclass_params__  # type: ignore[attr-defined]
    return (
        settings.frozen
        and "__slots__" in cls.__dict__
        and all(each.init and not each.kw_only and each.name.isidentifier() for each in own)
    )


def _argument(each: Field[Any], known: dict[str, Any]) -> str:
    """Return a field as an argument; its default becomes known."""
    if each.default is not MISSING:
        known[f"_default_{each.name}"] = each.default
        return f"{each.name}=_default_{each.name}"
    return each.name if each.default_factory is MISSING else f"{each.name}=_NOT_GIVEN"


def _assignment(each: Field[Any], known: dict[str, Any]) -> str:
    if each.default_factory is MISSING:
        return f"self.{each.name} = {each.name}"
    known[f"_make_{each.name}"] = each.default_factory
    name = each.name
    return f"self.{name} = _make_{name}() if {name} is _NOT_GIVEN else {name}"
