"""What a program can ask: one dataclass for each operation.

Its docstring is the description of the operation, and the metadata of a field are its limits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Final, TypeAlias

from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message
from kueuelab.session.wire import camel

__all__ = [
    "MOST_TEXT",
    "Compare",
    "Edit",
    "Levers",
    "Lint",
    "LintManifests",
    "Pending",
    "Request",
    "Try",
    "Why",
    "require_limits",
]

#: So many characters may a text of manifests have.
MOST_TEXT: Final = 4 * 2**20
_MOST_SEEDS: Final = 1000


def _text(default: str = "", *, longest: int = 512) -> Any:
    return field(default=default, metadata={"maxLength": longest})


def _number(default: int, least: int, most: int) -> Any:
    return field(default=default, metadata={"minimum": least, "maximum": most})


@dataclass(frozen=True, slots=True)
class Pending:
    """Which workloads are pending, why, and at which position.

    Attributes
    ----------
    queue
        Only workloads of this ClusterQueue.
    cause
        Only workloads with this cause: its ``id``.
    start
        The number of the first workload, from 0.
    count
        How many workloads.
    """

    queue: str = _text()
    cause: str = _text()
    start: int = _number(0, 0, 10_000_000)
    count: int = _number(100, 0, 500)


@dataclass(frozen=True, slots=True)
class Why:
    """Why a workload is where it is: the reason, the arithmetic of its quota, the explanation.

    Attributes
    ----------
    workload
        Its name or that of its job, with or without the namespace.
    """

    workload: str = field(metadata={"minLength": 1, "maxLength": 512})


@dataclass(frozen=True, slots=True)
class Levers:
    """What would admit a pending workload. Each change is verified by simulating it.

    Attributes
    ----------
    workload
        Its name or that of its job, with or without the namespace.
    costs
        Whether to say what each lever costs others: evictions, longer waiting, quota.
    """

    workload: str = field(metadata={"minLength": 1, "maxLength": 512})
    costs: bool = False


@dataclass(frozen=True, slots=True)
class Lint:
    """What the rules of ``kueuelab lint`` find in the cluster.

    Attributes
    ----------
    start
        The number of the first finding, from 0.
    count
        How many findings.
    """

    start: int = _number(0, 0, 10_000_000)
    count: int = _number(10, 0, 50)


@dataclass(frozen=True, slots=True)
class LintManifests:
    """What the rules of ``kueuelab lint`` find in manifests that are to be applied to the cluster.

    Attributes
    ----------
    manifests
        YAML or JSON.
    start
        The number of the first finding, from 0.
    count
        How many findings.
    """

    manifests: str = field(metadata={"minLength": 1, "maxLength": MOST_TEXT})
    start: int = _number(0, 0, 10_000_000)
    count: int = _number(10, 0, 50)


@dataclass(frozen=True, slots=True)
class Try:
    """What would happen if jobs were submitted now: at once, later, and what else would do.

    Attributes
    ----------
    jobs
        Manifests of any kind that Kueue manages, as YAML or JSON.
    runs
        How long jobs run that say nothing of it: ``2h``, or ``30m..4h`` for nine of ten.
    seeds
        From how many runs it is forecast when jobs start.
    when
        Whether to forecast when pending jobs start.
    changes
        Whether to search changes of a pending job by which it would be admitted.
    """

    jobs: str = field(metadata={"minLength": 1, "maxLength": MOST_TEXT})
    runs: str = _text(longest=64)
    seeds: int = _number(50, 1, _MOST_SEEDS)
    when: bool = True
    changes: bool = True


@dataclass(frozen=True, slots=True)
class Edit:
    """Fields of an object of the cluster get other values.

    Attributes
    ----------
    object
        ``Kind/name`` or ``Kind/namespace/name``.
    values
        Path to value, as in a manifest; ``null`` takes a field away.
    """

    object: str = field(metadata={"minLength": 1, "maxLength": 512})
    values: Mapping[str, Any] = field(metadata={"minProperties": 1, "maxProperties": 1000})


@dataclass(frozen=True, slots=True)
class Compare:
    """What would be different with a change: the cluster is decided with it, and without it.

    Attributes
    ----------
    edits
        Fields of objects that get other values.
    manifests
        Objects that are created, or take the place of those with the same name: YAML or JSON.
    """

    edits: tuple[Edit, ...] = field(default=(), metadata={"maxItems": 100})
    manifests: str = _text(longest=MOST_TEXT)


Request: TypeAlias = Pending | Why | Levers | Lint | LintManifests | Try | Compare


def require_limits(request: Any, place: str = "") -> None:
    """Refuse a request with a value outside of the limits of its field.

    Raises
    ------
    InputError
        With the first field that is.

    Examples
    --------
    >>> require_limits(Lint(0, 51))
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...
    """
    for each in fields(request):
        value, name = getattr(request, each.name), f"{place}{camel(each.name)}"
        for limit, bound in each.metadata.items():
            size = value if limit in ("minimum", "maximum") else len(value)
            if size < bound if limit.startswith("min") else size > bound:
                message = Message(f"service.limit.{limit}", bound=bound)
                raise InputError(Problem(message, field=name))
        if isinstance(value, tuple):
            for number, part in enumerate(value):
                require_limits(part, f"{name}[{number}].")
