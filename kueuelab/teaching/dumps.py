"""What a real cluster said, in a dump, beside what the lab decides."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import yaml

from kueuelab.messages import english
from kueuelab.teaching.measures import AnyRun

__all__ = ["agreement", "messages_in_dump"]


def messages_in_dump(folder: Path) -> Mapping[str, str]:
    """Return Kueue's message on the quota of each workload in a dump, by its key.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> sorted(messages_in_dump(scenarios.dump("two-teams")))[0].partition("/")[0]
    'team-a'
    """
    found = {}
    for item in yaml.safe_load((folder / "workloads.yaml").read_text("utf-8"))["items"]:
        key = f"{item['metadata']['namespace']}/{item['metadata']['name']}"
        for condition in item.get("status", {}).get("conditions", ()):
            if condition["type"] == "QuotaReserved":
                found[key] = condition["message"]
    return found


def agreement(run: AnyRun, folder: Path) -> None:
    """Print for each workload that a cycle considered whether Kueue's message is the same.

    Parameters
    ----------
    run
        The run of the dump, or of an earlier one.
    folder
        The dump with Kueue's messages: a file ``workloads.yaml`` is in it.

    Examples
    --------
    >>> import kueuelab as kl
    >>> dump = kl.scenarios.dump("two-teams")
    >>> agreement(kl.load(dump).run(), dump)  # doctest: +ELLIPSIS
    team-b/...: the same
    ...
    """
    decided = {}
    for step in run.trace:
        if step.kind == "EntryProcessed" and not step.facts.targets:
            reserved = f"Quota reserved in ClusterQueue {step.cluster_queue}"
            is_in = step.facts.status == "assumed"
            decided[step.workload] = reserved if is_in else step.facts.message
    same = english().text("teaching.agreement.same")
    for key, message in messages_in_dump(folder).items():
        if key in decided:
            print(f"{key}: {same if message == decided[key] else decided[key]}\n    {message}")
