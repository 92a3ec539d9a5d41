"""What can go wrong, as exceptions that carry data and say what to do next.

What is wrong, and the hint, are messages of the catalogue (`kueuelab.messages.Message`), or what
Kueue or Kubernetes says. ``str()`` gives English, ``render`` any language.

Every exception of this package descends from `KueueLabError` and from the builtin that fits,
so ``except ValueError`` and ``except LookupError`` keep their usual meaning.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from kueuelab.messages import Catalog, Message, english
from kueuelab.printable import escaped

__all__ = [
    "InputError",
    "KueueLabError",
    "Location",
    "NoSentenceError",
    "NotModelledError",
    "Problem",
    "QuantityError",
    "SimulationError",
    "UnknownObjectError",
    "lines_of",
]


#: Up to this many problems of the same kind are listed one by one.
_FEW: Final = 5
#: A longer message only repeats the user's text.
_LONGEST: Final = 2000
_NUMBER: Final = re.compile(r"\[\d+\]")


@dataclass(frozen=True, slots=True, order=True)
class Location:
    """A place in a file.

    Parameters
    ----------
    file : str
        The file as the user named it; ``<string>`` for text that came from no file.
    line : int, optional
        The line, counted from 1; 0 when only the file is known.
    column : int, optional
        The column, counted from 1; 0 when only the line is known.

    Examples
    --------
    >>> str(Location("queues.yaml", 12, 5))
    'queues.yaml:12'
    >>> str(Location("queues.yaml"))
    'queues.yaml'
    """

    file: str
    line: int = 0
    column: int = 0

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: what is wrong, where, and what would be right.

    Parameters
    ----------
    message : str
        What is wrong, as a sentence without its final period.
    object : str, optional
        The object it is about, as ``Kind/name`` or ``Kind/namespace/name``.
    field : str, optional
        The path of the field, such as ``spec.resourceGroups[0].flavors[1].name``.
    location : Location, optional
        Where the object or field was written.
    hint : str, optional
        What to do next.

    Examples
    --------
    >>> print(
    ...     Problem(
    ...         "the flavor 'spot' does not exist",
    ...         object="ClusterQueue/team-a",
    ...         field="spec.resourceGroups[0].flavors[0].name",
    ...         location=Location("queues.yaml", 12),
    ...         hint="Add a ResourceFlavor named 'spot'",
    ...     )
    ... )  # doctest: -NORMALIZE_WHITESPACE
    queues.yaml:12: ClusterQueue/team-a: spec.resourceGroups[0].flavors[0].name: the flavor 'spot' \
does not exist. Add a ResourceFlavor named 'spot'
    """

    message: str
    object: str = ""
    field: str = ""
    location: Location | None = None
    hint: str = ""

    def __str__(self) -> str:
        return self.render(english())

    def render(self, catalog: Catalog) -> str:
        """Return it as one line in a language."""
        where = "" if self.location is None else str(self.location)
        message = catalog.render(self.message)
        if self.hint:
            message = catalog.text("errors.with-hint", message=message.rstrip("."), hint=self.hint)
        parts = (where, catalog.render(self.object), self.field, message)
        # One problem is one line, whatever a parser put into its message.
        text = escaped(" ".join(": ".join(part for part in parts if part).split()))
        return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"


class KueueLabError(Exception):
    """The root of all exceptions of this package.

    Parameters
    ----------
    message : str, optional
        What is wrong.
    object, field : str, optional
        The object and the path of the field it is about.
    location : Location, optional
        Where that was written.
    hint : str, optional
        What to do next.

    Attributes
    ----------
    problem : Problem
        The same, as data.

    Examples
    --------
    >>> error = KueueLabError("the clock stands still", hint="Submit a workload")
    >>> str(error)
    'the clock stands still. Submit a workload'
    >>> error.problem.hint
    'Submit a workload'
    """

    problem: Problem

    def __init__(
        self,
        message: str = "",
        *,
        object: str = "",
        field: str = "",
        location: Location | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(message)
        self.problem = Problem(message, object, field, location, hint)

    def __str__(self) -> str:
        return self.render(english())

    def render(self, catalog: Catalog) -> str:
        """Return what is wrong, and what to do next, in a language."""
        return self.problem.render(catalog)

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows in the place of a traceback."""
        return [str(self)]


class InputError(KueueLabError, ValueError):
    """What the user wrote cannot be used; all mistakes found are reported together.

    Parameters
    ----------
    problems : str, Problem or iterable of Problem
        What is wrong; at least one problem. Text is a problem without a place.
    understood : object, optional
        What could be read in spite of the problems, so that work can go on with it.

    Attributes
    ----------
    problems : tuple of Problem
        Every problem, in the order in which they were found.
    understood : object
        What could be read in spite of them, or None.

    Examples
    --------
    >>> error = InputError(
    ...     [
    ...         Problem("unknown field 'nominalQuotas'", object="ClusterQueue/team-a"),
    ...         Problem("the name is missing", object="LocalQueue/"),
    ...     ]
    ... )
    >>> print(error)
    2 problems:
      ClusterQueue/team-a: unknown field 'nominalQuotas'
      LocalQueue/: the name is missing
    >>> isinstance(error, ValueError)
    True
    """

    problems: tuple[Problem, ...]
    understood: object

    def __init__(
        self, problems: str | Problem | Iterable[Problem], *, understood: object = None
    ) -> None:
        if isinstance(problems, str):
            problems = Problem(problems)
        found = (problems,) if isinstance(problems, Problem) else tuple(problems)
        if not found:
            raise ValueError("an InputError needs at least one problem")
        super().__init__()
        self.args = (found,)
        self.problem = found[0]
        self.problems = found
        self.understood = understood

    def render(self, catalog: Catalog) -> str:
        """Return all that is wrong in a language."""
        lines = lines_of(self.problems, catalog)
        if len(lines) == 1:
            return lines[0]
        head = catalog.text("errors.problems", count=len(self.problems))
        return "\n  ".join([head, *lines])


def lines_of(problems: Iterable[Problem], catalog: Catalog | None = None) -> list[str]:
    """Return problems as lines; what is wrong in the same way many times is one, with a count.

    >>> problems = [Problem("unknown field", location=Location("a.yaml", n)) for n in range(1, 61)]
    >>> lines_of(problems)
    ['a.yaml:1: unknown field (60 times, up to a.yaml:60)']
    """
    catalog = catalog or english()
    groups: dict[tuple[str, str, str, str], list[Problem]] = {}
    for problem in problems:
        file = "" if problem.location is None else problem.location.file
        key = (file, _NUMBER.sub("", problem.field), problem.message, problem.hint)
        groups.setdefault(key, []).append(problem)
    lines: list[str] = []
    for group in groups.values():
        if len(group) > _FEW:
            lines.append(_together(group, catalog))
        else:
            lines += [
                text if count == 1 else catalog.text("errors.repeated", text=text, count=count)
                for text, count in Counter(each.render(catalog) for each in group).items()
            ]
    return lines


def _together(group: list[Problem], catalog: Catalog) -> str:
    first, last = group[0].render(catalog), group[-1]
    place = last.location if str(last.location) != str(group[0].location) else last.field
    values = {"text": first, "count": len(group)}
    if place and last.render(catalog) != first:
        return catalog.text("errors.repeated-until", **values, place=place)
    return catalog.text("errors.repeated", **values)


class UnknownObjectError(KueueLabError, LookupError):
    """There is no object of the name that was asked for.

    Parameters
    ----------
    kind : str
        The kind of object.
    name : str
        The unknown name.
    known : iterable of str, optional
        The names that there are; the closest one is suggested.

    Attributes
    ----------
    kind, name : str
        What was looked for.
    known : tuple of str
        The names that there are.

    Examples
    --------
    >>> print(UnknownObjectError("ClusterQueue", "team-aa", ["team-a", "other"]))
    there is no ClusterQueue named 'team-aa'. Did you mean 'team-a'?
    >>> print(UnknownObjectError("ClusterQueue", "x", ["team-a", "other"]))
    there is no ClusterQueue named 'x'. There are: 'team-a', 'other'
    >>> print(UnknownObjectError("ClusterQueue", "x"))
    there is no ClusterQueue named 'x'
    """

    kind: str
    name: str
    known: tuple[str, ...]

    # A longer list of names does not help.
    _SHOWN: Final = 10

    def __init__(self, kind: str, name: str, known: Iterable[str] = ()) -> None:
        self.kind = kind
        self.name = name
        self.known = tuple(known)
        message = Message("errors.unknown", kind=kind, name=name)
        super().__init__(message, hint=self._suggestion())
        self.args = (kind, name, self.known)

    def _suggestion(self) -> str:
        if not self.known:
            return ""
        from difflib import get_close_matches  # only a mistake needs it

        if close := get_close_matches(self.name, self.known, n=1):
            return Message("errors.unknown.close", name=close[0])
        shown = ", ".join(f"'{name}'" for name in self.known[: self._SHOWN])
        if (more := len(self.known) - self._SHOWN) > 0:
            return Message("errors.unknown.known-more", names=shown, more=more)
        return Message("errors.unknown.known", names=shown)


class SimulationError(KueueLabError, RuntimeError):
    """The simulation cannot go on from where it is.

    Examples
    --------
    >>> print(
    ...     SimulationError(
    ...         "the job finished before it was admitted",
    ...         object="Job/default/job-1",
    ...         hint="Move its 'finish' to a later time",
    ...     )
    ... )
    Job/default/job-1: the job finished before it was admitted. Move its 'finish' to a later time
    """


class NotModelledError(KueueLabError, NotImplementedError):
    """The scenario depends on a part of Kueue that this package does not model.

    Parameters
    ----------
    feature : str
        The part of Kueue, in Kueue's words.
    object, field : str, optional
        What depends on it.
    location : Location, optional
        Where that was written.
    hint : str, optional
        What to do next.

    Attributes
    ----------
    feature : str
        The part of Kueue, in Kueue's words.

    Examples
    --------
    >>> error = NotModelledError("topology-aware placement", object="ResourceFlavor/gpu")
    >>> print(error)
    ResourceFlavor/gpu: topology-aware placement is not modelled
    >>> error.feature
    'topology-aware placement'
    """

    feature: str

    def __init__(
        self,
        feature: str,
        *,
        object: str = "",
        field: str = "",
        location: Location | None = None,
        hint: str = "",
    ) -> None:
        super().__init__(
            Message("errors.not-modelled", feature=feature),
            object=object,
            field=field,
            location=location,
            hint=hint,
        )
        self.args = (feature,)
        self.feature = feature


class QuantityError(KueueLabError, ValueError):
    """A text is no Kubernetes quantity; the message is Kubernetes' own.

    Parameters
    ----------
    message : str
        What Kubernetes would say.
    text : str
        The text that is no quantity.

    Attributes
    ----------
    reason : str
        What Kubernetes would say.
    text : str
        The text that is no quantity.

    Examples
    --------
    >>> print(QuantityError("unable to parse quantity's suffix", "5GB"))
    '5GB': unable to parse quantity's suffix. Write a quantity such as 500m, 2 or 1.5Gi
    """

    reason: str
    text: str

    def __init__(self, message: str, text: str) -> None:
        super().__init__(
            Message("errors.quantity", text=text, reason=message),
            hint=Message("errors.quantity.hint"),
        )
        self.args = (message, text)
        self.reason = message
        self.text = text


class NoSentenceError(KueueLabError, KeyError):
    """A message has no sentence, or a value of it is missing, as in a damaged run.

    Parameters
    ----------
    message : str
        The id.
    """

    def __init__(self, message: str) -> None:
        super().__init__(Message("errors.no-sentence", message=f"{message!s:.80}"))
