"""How facts tell of a name, a condition, an admission, a check."""

from __future__ import annotations

import re
from typing import Final

from kueuelab.model import Admission, AdmissionCheckState, Condition

__all__ = ["IN_TEXT", "admission_text", "check_text", "condition_text", "plain_name"]

_HASH: Final = re.compile(r"-[0-9a-f]{5}\Z")
#: How many fields of a condition are in its text: type, status, reason and message.
IN_TEXT: Final = 4


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
    return (
        f"condition {condition.type}={condition.status} reason={condition.reason} "
        f"message={condition.message}"
    )


def check_text(check: AdmissionCheckState) -> str:
    """Return the state of an admission check as facts have it."""
    retries = f" retryCount={check.retry_count}" if check.retry_count else ""
    after = check.requeue_after_seconds
    delay = f" requeueAfterSeconds={after}" if after is not None else ""
    return f"admissionCheckState {check.name}={check.state}{retries}{delay} message={check.message}"
