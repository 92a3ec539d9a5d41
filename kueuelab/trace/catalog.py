"""The sentences that views show, by message id.

English comes with the package (``languages/en.yaml``); another language is a file of the
same form, YAML or JSON, and falls back on English for what it lacks. Kueue's own messages
are not in here: they are shown as Kueue writes them, in any language.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import InputError, KueueLabError, Location, Problem
from kueuelab.files import read_bytes

__all__ = ["Catalog", "NoSentenceError", "english", "load_catalog"]

_PLACE: Final = re.compile(r"\{(\w+)\}")

#: Chooses the plural category for a number, among those of Unicode's CLDR.
Plural = Callable[[int], str]


def _one_or_other(count: int) -> str:
    return "one" if count == 1 else "other"


class NoSentenceError(KueueLabError, KeyError):
    """A message has no sentence, or a value of it is missing, as in a damaged run."""

    def __init__(self, message: str) -> None:
        super().__init__(f"there is no sentence for {message!s:.80}")


class Catalog:
    """Sentences in one language.

    Parameters
    ----------
    language
        Its code: ``en``.
    messages
        Id to template, or to one template per plural category of ``{count}``.
    fallback
        Where to look for ids that are missing here.
    plural
        Chooses the plural category.

    Examples
    --------
    >>> german = Catalog("de", {"step.Admitted": "{workload} ist zugelassen."}, english())
    >>> german.text("step.Admitted", workload="default/a")
    'default/a ist zugelassen.'
    >>> german.text("workloads.count", count=2)
    '2 workloads'
    """

    __slots__ = ("_fallback", "_messages", "_plural", "language")

    def __init__(
        self,
        language: str,
        messages: Mapping[str, str | Mapping[str, str]],
        fallback: Catalog | None = None,
        plural: Plural = _one_or_other,
    ) -> None:
        self.language = language
        self._messages = dict(messages)
        self._fallback = fallback
        self._plural = plural

    def __repr__(self) -> str:
        return f"<Catalog {self.language}: {len(self._messages)} messages>"

    def __contains__(self, message: object) -> bool:
        return message in self._messages or (
            self._fallback is not None and message in self._fallback
        )

    @property
    def ids(self) -> tuple[str, ...]:
        """The ids in this language, sorted."""
        return tuple(sorted(self._messages))

    def template(self, message: str, count: int = 1) -> str:
        """Return a template.

        Raises
        ------
        NoSentenceError
            If no language has it.
        """
        found = self._messages.get(message)
        if found is None:
            if self._fallback is None:
                raise NoSentenceError(message)
            return self._fallback.template(message, count)
        if isinstance(found, str):
            return found
        return found.get(self._plural(count), found["other"])

    def text(self, message: str, /, **values: Any) -> str:
        """Return a sentence with its values filled in."""
        count = values.get("count", 1)
        template = self.template(message, count if isinstance(count, int) else 1)
        try:
            return _PLACE.sub(lambda match: str(values[match[1]]), template)
        except KeyError as error:
            raise NoSentenceError(f"{message} without {error}") from error

    def join(self, parts: Sequence[str]) -> str:
        """Return a list of words as a sentence has it.

        Examples
        --------
        >>> english().join(["a", "b", "c"]), english().join([])
        ('a, b and c', 'none')
        """
        if not parts:
            return self.text("list.none")
        text = parts[0]
        for part in parts[1:-1]:
            text = self.text("list.more", first=text, last=part)
        return text if len(parts) == 1 else self.text("list.two", first=text, last=parts[-1])


@cache
def english() -> Catalog:
    """Return the English sentences."""
    text = resources.files("kueuelab.trace").joinpath("languages/en.yaml").read_text("utf-8")
    return _parse(text, "en.yaml", None)


def load_catalog(path: str | Path, plural: Plural = _one_or_other) -> Catalog:
    """Read the sentences of another language.

    Parameters
    ----------
    path
        A YAML or JSON file with ``language`` and ``messages``.
    plural
        Chooses the plural category for a number, where the language's differ from English.

    Raises
    ------
    InputError
        If an id is unknown, or a sentence has a place that the English one hasn't.
    """
    return _parse(read_bytes(path).decode("utf-8"), str(path), english(), plural)


def _parse(
    text: str, file: str, fallback: Catalog | None, plural: Plural = _one_or_other
) -> Catalog:
    import yaml  # only who reads a language needs it

    try:
        found = yaml.load(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except yaml.YAMLError as error:
        raise InputError(Problem(f"not YAML: {error}", location=Location(file))) from error
    messages = found.get("messages") if isinstance(found, Mapping) else None
    if not isinstance(messages, Mapping):
        problem = Problem("there are no messages", location=Location(file))
        raise InputError(problem)
    if fallback is not None and (problems := _problems(messages, fallback, file)):
        raise InputError(problems)
    return Catalog(str(found.get("language", "")), messages, fallback, plural)


def _problems(messages: Mapping[str, Any], known: Catalog, file: str) -> list[Problem]:
    problems = []
    for message, forms in messages.items():
        if message not in known:
            problems.append(Problem(f"there is no message {message!r}", location=Location(file)))
            continue
        allowed = set(_PLACE.findall(known.template(message, 2))) | {"count"}
        for form in forms.values() if isinstance(forms, Mapping) else (forms,):
            extra = sorted(set(_PLACE.findall(str(form))) - allowed)
            if extra:
                text = f"message {message!r} has no value for {{{extra[0]}}}"
                problems.append(Problem(text, location=Location(file)))
    return problems
