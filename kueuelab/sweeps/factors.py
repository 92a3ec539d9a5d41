"""Factors: what a sweep varies, each with the values that it takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, fields, is_dataclass, replace
from math import exp, log
from typing import Any, Final, TypeAlias

from kueuelab.errors import InputError, Problem
from kueuelab.manifests import ScenarioSpec, encode_configuration, load_configuration
from kueuelab.manifests.reading.paths import parse_path
from kueuelab.messages import Message
from kueuelab.whatif.lab import Lab
from kueuelab.whatif.references import split

__all__ = ["Factor", "Levels", "Range", "factors_of", "varied", "varied_model"]

_CONFIGURATION: Final = "configuration"
_WORKLOADS: Final = "workloads"
_ALL: Final = "*"
#: The seed of what Kueue leaves to chance.
CHANCE: Final = "scenario:chance"


@dataclass(frozen=True, slots=True)
class Range:
    """All values between two, for designs that draw samples.

    Parameters
    ----------
    low, high
        The bounds, which belong to it. If both are integers, so are the values.
    logarithmic
        Whether each order of magnitude is drawn as often.

    Examples
    --------
    >>> Range(1, 64).at(0.5), Range(0.0, 1.0).at(0.25), Range(1, 100, logarithmic=True).at(0.5)
    (33, 0.25, 10)
    """

    low: float
    high: float
    logarithmic: bool = False

    def at(self, part: float) -> float:
        """Return the value that so large a part (from 0 up to 1) of the range is below."""
        whole = isinstance(self.low, int) and isinstance(self.high, int)
        if self.logarithmic:
            value = exp(log(self.low) + part * (log(self.high) - log(self.low)))
            return min(round(value), int(self.high)) if whole else value
        if whole:
            return min(self.low + int(part * (self.high - self.low + 1)), self.high)
        return self.low + part * (self.high - self.low)


Levels: TypeAlias = Sequence[Any] | Range


@dataclass(frozen=True, slots=True)
class Factor:
    """One thing that is varied.

    Attributes
    ----------
    name
        ``object:path``: an object as for :meth:`~kueuelab.whatif.lab.Lab.fork`
        (``cluster-queue/team-a``, or ``cluster-queue/*`` for all of a kind) and a field of it;
        ``configuration:path`` for Kueue's Configuration; ``workloads:field`` for the model that
        the workloads are made from; ``scenario:chance`` for the seed of what Kueue leaves to
        chance.
    levels
        Its values: a list, or a :class:`Range`.
    """

    name: str
    levels: Levels

    @property
    def target(self) -> str:
        """What it is a field of: an object, ``configuration`` or ``workloads``."""
        return self.name.partition(":")[0]

    @property
    def path(self) -> str:
        """The field."""
        return self.name.partition(":")[2]

    def at(self, part: float) -> Any:
        """Return the value that so large a part (from 0 up to 1) of the values is below."""
        if isinstance(self.levels, Range):
            return self.levels.at(part)
        return self.levels[min(int(part * len(self.levels)), len(self.levels) - 1)]

    @property
    def of_workloads(self) -> bool:
        """Whether it is a field of the model that the workloads are made from."""
        return self.target == _WORKLOADS


def factors_of(vary: Mapping[str, Any] | None) -> tuple[Factor, ...]:
    """Return the factors that a mapping names.

    Raises
    ------
    InputError
        If a name has no path, or a factor has no values.

    Examples
    --------
    >>> factors_of({"cluster-queue/a:spec.cohortName": ["x", "y"]})[0].path
    'spec.cohortName'
    >>> factors_of({"cluster-queue/a": ["x"]})
    Traceback (most recent call last):
    kueuelab.errors.InputError: 'cluster-queue/a' names no field. Write object:field, such as ...
    """
    found = []
    for name, levels in (vary or {}).items():
        target, _, path = name.partition(":")
        if not target or not path:
            hint = Message("sweeps.factor.no-field.hint")
            raise InputError(Problem(Message("sweeps.factor.no-field", name=repr(name)), hint=hint))
        if not isinstance(levels, Range):
            if isinstance(levels, str) or not isinstance(levels, Sequence):
                levels = [levels]
            if not levels:
                raise InputError(Problem(Message("sweeps.factor.no-values", name=name)))
            levels = tuple(levels)
        found.append(Factor(name, levels))
    return tuple(found)


def varied(spec: ScenarioSpec, values: Mapping[str, Any]) -> ScenarioSpec:
    """Return a scenario with other values, by the names of factors.

    Raises
    ------
    InputError
        If there is no such object or field, or a value doesn't go there.
    """
    for name, value in values.items():
        target, _, path = name.partition(":")
        if target == _WORKLOADS:
            continue
        if target == _CONFIGURATION:
            spec = _with_configuration(spec, path, value)
            continue
        if name == CHANCE:
            spec = replace(spec, chance=_seed(value))
            continue
        for each in _meant(spec, target):
            spec = Lab(spec).fork().edit(each, {path: value}).lab.spec
    return spec


def varied_model(model: Any, values: Mapping[str, Any]) -> Any:
    """Return the model of the workloads with other values, by the names of factors.

    Raises
    ------
    InputError
        If the workloads come from no model, or it has no such field.
    """
    own = {
        name.partition(":")[2]: value
        for name, value in values.items()
        if name.partition(":")[0] == _WORKLOADS
    }
    if not own:
        return model
    if not is_dataclass(model) or isinstance(model, type):
        raise InputError(Problem(Message("sweeps.factor.no-model")))
    known = [field.name for field in fields(model) if field.init]
    for name in own:
        if name not in known:
            message = Message("sweeps.factor.no-such-field", name=name)
            hint = Message("sweeps.factor.no-such-field.hint", names=", ".join(known))
            raise InputError(Problem(message, hint=hint))
    return replace(model, **own)


def _seed(value: Any) -> int:
    """Return a seed of chance.

    Raises
    ------
    InputError
        If it is no whole number.
    """
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(Problem(Message("sweeps.factor.no-seed", name=CHANCE, value=repr(value))))
    return value


def _meant(spec: ScenarioSpec, target: str) -> list[str]:
    """Return the objects that a name means: one, or all of a kind."""
    kind, _, name = target.rpartition("/")
    if name != _ALL:
        return [target]
    wanted = split(f"{kind}/x")[0]
    known = [each.metadata.key for each in spec.manifests.objects.get(wanted, ())]
    return [f"{wanted}/{key}" for key in known]


def _with_configuration(spec: ScenarioSpec, path: str, value: Any) -> ScenarioSpec:
    """Return a scenario with another value in Kueue's Configuration; ``None`` takes it away."""
    written: Any = deepcopy(encode_configuration(spec.configuration))
    *way, last = parse_path(path)
    at = written
    for segment in way:
        at = at.setdefault(segment, {})
    if value is None:
        at.pop(last, None)
    else:
        at[last] = value
    return replace(spec, configuration=load_configuration(written))
