"""Sentences about the search for domains in a topology."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, Final

from kueuelab.trace.sentences import Sentence
from kueuelab.trace.step import Step
from kueuelab.trace.wording import MessageParts

__all__ = ["SENTENCES"]


def _domains_searched(step: Step, facts: Any, words: MessageParts) -> str:
    values = {
        "podSets": words.listed(facts.pod_sets),
        "pods": words("pods.count", count=facts.count + facts.leaders),
        "topology": facts.topology,
        "flavor": facts.flavor,
        "level": facts.level,
    }
    suffix = ".empty" if facts.empty else ""
    if facts.reason:
        rooms = list(_rooms(facts, words))
        if not rooms:
            return words(f"step.DomainsSearched.never{suffix}", **values)
        text = words.several(rooms)
        return words(f"step.DomainsSearched.none{suffix}", rooms=text, **values)
    return words(
        f"step.DomainsSearched.placed{suffix}",
        places=words.several(list(_places(facts, words))),
        profile=words(f"step.DomainsSearched.profile.{facts.profile}"),
        **values,
    )


def _rooms(facts: Any, words: MessageParts) -> Iterator[str]:
    """Yield for each domain of the level that was asked for how many fit."""
    in_slices = facts.slice_size > 1
    fits = facts.slices if in_slices else facts.pods
    needed = facts.count // facts.slice_size if in_slices else facts.count
    form = "slices" if in_slices else "pods"
    for level, domain, fit in zip(facts.levels, facts.domains, fits, strict=True):
        if level == facts.level:
            values = {"domain": _last(domain), "fit": fit, "needed": needed}
            yield words(f"step.DomainsSearched.room.{form}", **values)


def _places(facts: Any, words: MessageParts) -> Iterator[str]:
    """Yield for each domain of the lowest level how many pods it gets."""
    lowest = facts.levels[-1] if facts.levels else ""
    for level, domain, given in zip(facts.levels, facts.domains, facts.given, strict=True):
        if level == lowest and given:
            yield words("step.DomainsSearched.place", count=given, domain=_last(domain))


def _last(domain: str) -> str:
    """Return the value of a domain's own level."""
    return domain.rpartition(",")[2]


#: Kind of step to sentence.
SENTENCES: Final[Mapping[str, Sentence]] = MappingProxyType({"DomainsSearched": _domains_searched})
