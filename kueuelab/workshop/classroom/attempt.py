"""One check of one exercise by one learner: all that is ever sent to a class."""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final, Self

from kueuelab.errors import InputError
from kueuelab.files import Format
from kueuelab.messages import Message
from kueuelab.workshop.rechecking import LONGEST_ANSWER

__all__ = ["CLASS_FORMAT", "LONGEST_NAME", "Attempt", "checked_name", "new_id"]

#: What learner and server say to each other, and what the learner's files hold.
CLASS_FORMAT: Final = Format("kueuelab-class", 1)

LONGEST_NAME: Final = 40

_ID: Final = re.compile(r"[0-9a-f]{32}")
_LONGEST_EXERCISE: Final = 80
_MOST_CHECKS: Final = 10_000


def new_id() -> str:
    """Return an id that no other attempt and no other learner has."""
    return secrets.token_hex(16)


def checked_name(name: str) -> str:
    """Return a name as it can be shown.

    Raises
    ------
    InputError
        If it is empty, too long, or has characters that cannot be printed.

    Examples
    --------
    >>> checked_name("  Ada   L. ")
    'Ada L.'
    """
    joined = " ".join(name.split())
    if not joined or len(joined) > LONGEST_NAME or not joined.isprintable():
        raise InputError(Message("workshop.class.name", most=LONGEST_NAME))
    return joined


@dataclass(frozen=True, slots=True)
class Attempt:
    """One check of one exercise.

    Attributes
    ----------
    id
        Tells it from all others, so that it counts once however often it is sent.
    learner
        A random number in place of an identity: two learners may choose the same name.
    name
        The name that the learner chose.
    exercise
        The exercise.
    passed, of
        How many checks passed on the learner's machine, and how many there are.
    answer
        The answer, so that the instructor's side can check it again.
    """

    id: str
    learner: str
    name: str
    exercise: str
    passed: int
    of: int
    answer: str

    def as_data(self) -> dict[str, Any]:
        """Return it as plain JSON values."""
        return asdict(self)

    @classmethod
    def from_data(cls, data: Any) -> Self:
        """Return an attempt that came from elsewhere.

        Raises
        ------
        InputError
            If it is not one.

        Examples
        --------
        >>> Attempt.from_data({"id": "1"})
        Traceback (most recent call last):
        kueuelab.errors.InputError: this is not an attempt: ...
        """
        fields = cls.__slots__
        if not isinstance(data, Mapping) or set(data) != set(fields):
            raise _refused(", ".join(fields))
        wrong = [
            name
            for name in fields
            if type(data[name]) is not (int if name in ("passed", "of") else str)
        ]
        if wrong:
            raise _refused(wrong[0])
        for name in ("id", "learner"):
            if not _ID.fullmatch(data[name]):
                raise _refused(name)
        if not 0 <= data["passed"] <= data["of"] <= _MOST_CHECKS:
            raise _refused("passed")
        if not 0 < len(data["exercise"]) <= _LONGEST_EXERCISE:
            raise _refused("exercise")
        if len(data["answer"]) > LONGEST_ANSWER:
            raise InputError(Message("workshop.recheck.long", size=LONGEST_ANSWER // 1024))
        try:
            data["answer"].encode()
        except UnicodeEncodeError as error:  # half of a surrogate pair is no text
            raise _refused("answer") from error
        return cls(**{**data, "name": checked_name(data["name"])})


def _refused(field: str) -> InputError:
    return InputError(Message("workshop.class.no-attempt", field=field))
