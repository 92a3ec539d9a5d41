"""The fast initializer does what that of ``dataclass`` does, for each class that has it."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable, Iterator
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields, replace
from importlib import import_module
from inspect import signature
from pkgutil import walk_packages
from typing import Any, cast

import pytest

from kueuelab.frozen import EMPTY, FrozenDict, fast_init
from kueuelab.model import ObjectMeta, Workload
from kueuelab.trace.step import Facts, Step
from kueuelab.trace.steps import FlavorChosen

ROOMS = ("model", "trace", "workload", "simulation", "scheduler", "multikueue", "manifests")


def fast_classes() -> Iterator[type]:
    """Yield all classes of the core whose initializer is the fast one."""
    for room in ROOMS:
        package = import_module(f"kueuelab.{room}")
        for module in walk_packages(package.__path__, package.__name__ + "."):
            for found in vars(import_module(module.name)).values():
                if isinstance(found, type) and found.__module__ == module.name:
                    code = getattr(found.__init__, "__code__", None)
                    if code is not None and "_set_class" in code.co_names:
                        yield found


FAST = sorted(fast_classes(), key=lambda cls: cls.__qualname__)


def made_by_dataclass(cls: type) -> type:
    """Return a class with the same fields that has the initializer of ``dataclass``."""
    own = {
        each.name: (each.type, field(default=each.default, default_factory=each.default_factory))
        if each.default_factory is not MISSING
        else (each.type, field(default=each.default))
        for each in fields(cls)
    }
    body = {"__annotations__": {name: kind for name, (kind, _) in own.items()}}
    body |= {name: default for name, (_, default) in own.items()}
    return dataclass(frozen=True, slots=True)(type(cls.__name__, (), body))


def test_the_classes_are_found() -> None:
    assert {Step, ObjectMeta, Workload} <= set(FAST)


@pytest.mark.parametrize("cls", FAST, ids=lambda cls: cls.__name__)
def test_it_has_the_arguments_of_the_other(cls: Any) -> None:
    arguments = [(p.name, p.kind, p.default is p.empty) for p in signature(cls).parameters.values()]
    expected = signature(made_by_dataclass(cls)).parameters.values()
    assert arguments == [(p.name, p.kind, p.default is p.empty) for p in expected]


@pytest.mark.parametrize("cls", FAST, ids=lambda cls: cls.__name__)
def test_an_object_is_frozen_and_of_its_class(cls: Any) -> None:
    needed = [each for each in fields(cls) if each.default is each.default_factory is MISSING]
    values = {each.name: f"<{each.name}>" for each in fields(cls)}
    if hasattr(cls, "__post_init__"):
        values = {each.name: "" for each in needed}
    made = cls(**values)
    assert type(made) is cls
    assert all(getattr(made, name) == value for name, value in values.items())
    for name in values:
        with pytest.raises(FrozenInstanceError):
            setattr(made, name, "other")
        with pytest.raises(FrozenInstanceError):
            delattr(made, name)
    for twin in (copy.copy(made), pickle.loads(pickle.dumps(made)), replace(made)):
        assert [getattr(twin, name) for name in values] == list(values.values())


def test_defaults_are_those_of_the_fields() -> None:
    assert ObjectMeta("a") == ObjectMeta("a", "")
    one, other = (FlavorChosen((), (), "", "Fit", 0, "") for _ in range(2))
    assert one.fungibility == {}
    assert one.fungibility is not other.fungibility


def test_what_comes_after_the_fields_are_set_sees_them() -> None:
    seen = []

    @fast_init
    @dataclass(frozen=True, slots=True)
    class Point:
        x: int

        def __post_init__(self) -> None:
            seen.append((type(self) is Point, self.x))

    Point(3)
    assert seen == [(True, 3)]


def test_a_subclass_may_have_fields_of_its_own() -> None:
    @fast_init
    @dataclass(frozen=True, slots=True)
    class Counted(Facts):
        count: int = 1

    assert Counted.kind == "Counted"
    assert Counted(2).count == 2
    assert Counted() == Counted(1)


def test_wrong_arguments_are_errors() -> None:
    with pytest.raises(TypeError, match="missing 1 required positional argument: 'facts'"):
        Step(0, 0, 0, "", "")  # type: ignore[call-arg]


@dataclass(slots=True)
class Open:
    x: int


@dataclass(frozen=True)
class WithoutSlots:
    x: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ByName:
    x: int


@dataclass(frozen=True, slots=True)
class Computed:
    x: int = field(init=False, default=0)


@pytest.mark.parametrize("cls", [Open, WithoutSlots, ByName, Computed])
def test_other_classes_are_refused(cls: type) -> None:
    with pytest.raises(TypeError, match=f"{cls.__name__} is no frozen dataclass"):
        fast_init(cls)


@pytest.mark.parametrize(
    "change",
    [
        lambda known: known.__setitem__("a", 2),
        lambda known: known.__delitem__("a"),
        lambda known: known.update(a=2),
        lambda known: known.setdefault("b", 2),
        lambda known: known.__ior__({"a": 2}),
        lambda known: known.pop("a"),
        lambda known: known.popitem(),
        lambda known: known.clear(),
    ],
)
def test_a_frozen_dictionary_is_never_changed(change: Callable[[dict[str, int]], None]) -> None:
    known = FrozenDict({"a": 1})
    with pytest.raises(TypeError, match="never changed"):
        change(known)
    assert known == {"a": 1}
    for again in (copy.copy(known), copy.deepcopy(known), pickle.loads(pickle.dumps(known))):
        assert (type(again), again) == (FrozenDict, known)


def test_what_is_empty_stays_empty_in_copies_too() -> None:
    known = cast(dict[str, int], EMPTY)
    with pytest.raises(TypeError, match="never changed"):
        known["a"] = 1
    assert EMPTY == {}
    assert {**EMPTY, "a": 1} == {"a": 1}
    for again in (copy.copy(EMPTY), copy.deepcopy(EMPTY), pickle.loads(pickle.dumps(EMPTY))):
        assert again is EMPTY
