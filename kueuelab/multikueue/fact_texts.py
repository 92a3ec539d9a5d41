"""How facts tell of a name, a condition, an admission, a check."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from kueuelab.model import Admission, AdmissionCheckState, Condition

__all__ = [
    "admission_text",
    "check_text",
    "condition_text",
    "follow_conditions",
    "plain_name",
    "read_the_same",
]

_HASH: Final = re.compile(r"-[0-9a-f]{5}\Z")
#: How many fields of a condition are in its text: type, status, reason and message.
_IN_TEXT: Final = 4


def plain_name(name: str) -> str:
    """Return a Workload's name without the hash.

    Examples
    --------
    >>> plain_name("job-a-1b2c3")
    'job-a'
    """
    return _HASH.sub("", name) if name[-6:-5] == "-" else name


def admission_text(admission: Admission) -> str:
    """Return an admission as facts have it."""
    pod_sets = [
        f"{a.name}:{{{','.join([f'{r}:{f}' for r, f in sorted(a.flavors.items())])}}}x{a.count}"
        for a in admission.pod_set_assignments
    ]
    return f"clusterQueue={admission.cluster_queue} {' '.join(pod_sets)}"


def condition_text(condition: Condition) -> str:
    """Return a condition as facts have it."""
    type_, status, reason, message = condition[:_IN_TEXT]
    return f"condition {type_}={status} reason={reason} message={message}"


def read_the_same(known: Condition | None, condition: Condition) -> bool:
    """Tell whether two conditions have one text: since when, and for which generation, is no fact.

    Examples
    --------
    >>> known = Condition("Evicted", "True", "Preempted", "By a", 5)
    >>> read_the_same(known, known._replace(last_transition_time=6)), read_the_same(None, known)
    (True, False)
    """
    return known is not None and known[:_IN_TEXT] == condition[:_IN_TEXT]


def follow_conditions(
    known: Mapping[str, Condition],
    conditions: Mapping[str, Condition],
    changed: list[str],
    removed: list[str],
) -> None:
    """Add the texts of the conditions that were set or changed, and of those that were removed."""
    for type_, condition in conditions.items():
        before = known.get(type_)
        if before is not condition and not read_the_same(before, condition):
            changed.append(condition_text(condition))
    for type_ in known:
        if type_ not in conditions:
            removed.append(f"condition {type_} removed")


def check_text(check: AdmissionCheckState) -> str:
    """Return the state of an admission check as facts have it."""
    retries = f" retryCount={check.retry_count}" if check.retry_count else ""
    after = check.requeue_after_seconds
    delay = f" requeueAfterSeconds={after}" if after is not None else ""
    return f"admissionCheckState {check.name}={check.state}{retries}{delay} message={check.message}"
