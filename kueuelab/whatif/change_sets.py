"""Adjustments (settings that can change by an amount), and sets of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from kueuelab.messages import Message, listed
from kueuelab.whatif.changes import Change, Edit

__all__ = ["Adjustment", "ChangeSet", "Part", "Proposal", "change_set_of", "proposal_of"]


@dataclass(frozen=True, slots=True)
class Part:
    """The effect of one adjustment at one amount.

    Attributes
    ----------
    kind
        Of the suggestion: ``quota``, ``preemption``, ...
    values
        What its sentence says. Parts of the same kind and values share one sentence, with all
        their items.
    item
        What this part adds to the sentence, if that lists things.
    changes, queues, size
        As in a suggestion.
    """

    kind: str
    changes: tuple[Change, ...]
    values: Mapping[str, Any] = field(default_factory=dict)
    item: str = ""
    queues: tuple[str, ...] = ()
    size: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Adjustment:
    """A setting that can be changed by an amount; 0 leaves it unchanged.

    Attributes
    ----------
    part
        Its effect at an amount.
    most
        The largest amount.
    step
        The result changes only at multiples of it.
    """

    part: Callable[[int], Part]
    most: int = 1
    step: int = 1


#: Adjustments with their amounts, none of them 0.
ChangeSet: TypeAlias = Mapping[Adjustment, int]


@dataclass(frozen=True, slots=True)
class Proposal:
    """A set of changes with its text. ``size`` as in a suggestion."""

    kind: str
    text: str
    changes: tuple[Change, ...]
    queues: tuple[str, ...] = ()
    size: float = 1.0


def change_set_of(*adjustments: Adjustment) -> dict[Adjustment, int]:
    """Return the set of these adjustments at their largest amounts."""
    return {adjustment: adjustment.most for adjustment in adjustments}


def proposal_of(plan: ChangeSet) -> Proposal:
    """Return what a set changes, with sentences and edits of the same object merged."""
    parts = [adjustment.part(amount) for adjustment, amount in plan.items()]
    groups: dict[tuple[str, str], list[Part]] = {}
    for part in parts:
        groups.setdefault((part.kind, repr(part.values)), []).append(part)
    return Proposal(
        "+".join(dict.fromkeys(part.kind for part in parts)),
        listed([_sentence(group) for group in groups.values()]),
        _merged(change for part in parts for change in part.changes),
        tuple(sorted({name for part in parts for name in part.queues})),
        sum(part.size for part in parts),
    )


def _sentence(parts: list[Part]) -> str:
    items = list(dict.fromkeys(part.item for part in parts if part.item))
    shown = listed(items) if items else ""
    values = {"count": len(items), "items": shown, **parts[0].values}
    return Message(f"whatif.suggest.{parts[0].kind}", **values)


def _merged(changes: Iterable[Change]) -> tuple[Change, ...]:
    """Return changes with all edits of an object in the place of the first."""
    found: list[Change] = []
    places: dict[object, int] = {}
    for change in changes:
        if isinstance(change, Edit) and change.object in places:
            place = places[change.object]
            known = found[place]
            assert isinstance(known, Edit)
            found[place] = Edit(change.object, {**known.values, **change.values})
            continue
        if isinstance(change, Edit):
            places[change.object] = len(found)
        found.append(change)
    return tuple(found)
