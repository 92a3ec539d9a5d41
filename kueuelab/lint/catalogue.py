"""All rules, and a rule by its id or name."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from kueuelab.errors import UnknownObjectError
from kueuelab.lint.rule import Rule
from kueuelab.lint.rules import (
    checks,
    cohorts,
    configuration,
    fair_sharing,
    jobs,
    multikueue,
    names,
    namespaces,
    nodes,
    preemption,
    quota,
    simulated,
    versions,
    workloads,
)
from kueuelab.messages import Message

__all__ = ["CATALOGUE", "rule_named"]

#: Every rule, in the order of the ids.
CATALOGUE: Final[tuple[Rule, ...]] = (
    *quota.RULES,
    *cohorts.RULES,
    *preemption.RULES,
    *fair_sharing.RULES,
    *names.RULES,
    *namespaces.RULES,
    *workloads.RULES,
    *jobs.RULES,
    *nodes.RULES,
    *checks.RULES,
    *multikueue.RULES,
    *configuration.RULES,
    *versions.RULES,
    *simulated.RULES,
)

_BY_NAME: Final[Mapping[str, Rule]] = MappingProxyType(
    {name: rule for rule in CATALOGUE for name in (rule.id, rule.name)}
)


def rule_named(name: str) -> Rule:
    """Return the rule of an id or a name.

    Raises
    ------
    UnknownObjectError
        If there is none.

    Examples
    --------
    >>> rule_named("KL101").name
    'cohort-quota-adds-up'
    """
    rule = _BY_NAME.get(name)
    if rule is None:
        raise UnknownObjectError(Message("lint.rule"), name, _BY_NAME)
    return rule
