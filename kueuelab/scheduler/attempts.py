"""The verdict on each flavor tried, over all resource groups, and the hardest obstacle."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kueuelab.model import ResourceGroup
from kueuelab.scheduler.assignment import (
    FlavorAttempt,
    Mode,
    PodSetResult,
    most_severe,
    severity,
)

__all__ = ["hardest_obstacle", "merge_attempts"]


def merge_attempts(
    into: dict[str, FlavorAttempt],
    attempts: Iterable[FlavorAttempt],
    covering: ResourceGroup,
    resource: str,
    observability: bool,
) -> None:
    """Add what a scan for ``resource`` found to what earlier scans found for the same flavors."""
    if not into:
        for attempt in attempts:
            into[attempt.flavor] = attempt
        return
    present = set()
    for attempt in attempts:
        present.add(attempt.flavor)
        old = into.get(attempt.flavor)
        into[attempt.flavor] = attempt if old is None else old.merged(attempt)
    if not present:
        return
    for quotas in covering.flavors:
        name = quotas.name
        if name in into and name not in present:
            old = into[name]
            reason = f"flavor {name} does not provide resource {resource}"
            into[name] = FlavorAttempt(
                name,
                Mode.NoFit,
                old.borrow,
                old.possibility,
                tuple(sorted({*old.reasons, reason})),
                "NoMatchingFlavor" if observability else "",
            )


def hardest_obstacle(pod_sets: Iterable[PodSetResult], groups: Sequence[ResourceGroup]) -> str:
    """Return the mildest obstacle of each resource group, the hardest of these over all groups."""
    overall = ""
    for pod_set in pod_sets:
        if pod_set.mode is not Mode.NoFit:
            continue
        if not pod_set.attempts:
            overall = most_severe(overall, "NoMatchingFlavor")
            continue
        mildest: dict[int, str] = {}
        for attempt in pod_set.attempts:
            if attempt.mode is not Mode.NoFit:
                continue
            for index, group in enumerate(groups):
                if all(quotas.name != attempt.flavor for quotas in group.flavors):
                    continue
                known = mildest.get(index)
                if known is None or severity(attempt.no_fit_reason) < severity(known):
                    mildest[index] = attempt.no_fit_reason
        for reason in mildest.values():
            overall = most_severe(overall, reason)
    return overall
