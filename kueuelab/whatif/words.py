"""The sentences of suggestions, obstacles and loops, by message id."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Final

from kueuelab.messages import Catalog, english

__all__ = ["words"]

_MESSAGES: Final[Mapping[str, str | Mapping[str, str]]] = MappingProxyType(
    {
        # What would admit a workload
        "suggest.quota": "raise the nominal quota of {where} by {items}",
        "suggest.cohortQuota": "raise the nominal quota of {where} by {items}",
        "suggest.borrowingLimit": "let {where} borrow {items} more",
        "suggest.lendingLimit": "let {where} lend {items} more",
        "suggest.cohort": "put ClusterQueue {queue} into cohort {cohort}",
        "suggest.preemption": "set {items} of ClusterQueue {queue}",
        "suggest.strategy": "set {items} of ClusterQueue {queue}",
        "suggest.fungibility": "set {items} of ClusterQueue {queue}",
        "suggest.priority": "raise the priority of {workload} from {before} to {after}",
        "suggest.fewerPods": {
            "one": "ask for {after} pod instead of {before} in pod set {podSet}",
            "other": "ask for {after} pods instead of {before} in pod set {podSet}",
        },
        "suggest.partialAdmission": (
            "allow partial admission: minCount {after} of {before} pods in pod set {podSet}"
        ),
        "suggest.smallerRequest": "ask for only {items} per pod",
        "suggest.finish": {
            "one": "wait until {items} finishes",
            "other": "wait until {items} finish",
        },
        "suggest.queueName": "submit it to LocalQueue {queue}",
        "suggest.stopPolicy": "take the stop policy away from {object}",
        "suggest.activate": "activate {workload}",
        "suggest.localQueue": "create LocalQueue {queue} for ClusterQueue {clusterQueue}",
        "suggest.clusterQueue": "let LocalQueue {queue} point to ClusterQueue {clusterQueue}",
        "suggest.namespaceSelector": (
            "let ClusterQueue {queue} select all namespaces (empty namespaceSelector)"
        ),
        "suggest.flavor": "create the ResourceFlavor {flavor}",
        "suggest.toleration": "let it tolerate the taints of flavor {flavor}",
        "suggest.nodeSelector": "let it leave the node selector away",
        "suggest.check": "let admission check {check} say Ready",
        # What stands in the way
        "obstacle.finished": "It is finished.",
        "obstacle.admitted": "It is admitted already.",
        "obstacle.reserved": "It has quota already; it waits for {checks}.",
        "obstacle.inactive": "It is deactivated (spec.active is false).",
        "obstacle.gated": "Its admission is gated by {gates}.",
        "obstacle.localQueue": "There is no LocalQueue {queue}.",
        "obstacle.localQueueStopped": "LocalQueue {queue} is stopped ({policy}).",
        "obstacle.clusterQueue": (
            "LocalQueue {queue} points to ClusterQueue {clusterQueue}, which doesn't exist."
        ),
        "obstacle.inactiveQueue": "ClusterQueue {queue} is not active: {message}",
        "obstacle.cohortCycle": "The cohorts above ClusterQueue {queue} form a cycle.",
        "obstacle.namespace": (
            "ClusterQueue {queue} doesn't select namespace {namespace} (namespaceSelector)."
        ),
        "obstacle.requests": "Its requests are not valid: {message}",
        "obstacle.uncovered": "ClusterQueue {queue} has no quota for {resources}.",
        "obstacle.flavors": "No flavor for {resources} suits it: {reasons}.",
        "obstacle.taint": "flavor {flavor} has the taint {taint}, which it doesn't tolerate",
        "obstacle.tooLarge": (
            "It asks for {requested} {resource}, and ClusterQueue {queue} could never use more "
            "than {potential} of one flavor, borrowing included."
        ),
        "obstacle.backOff": "It backs off until {time}.",
        "obstacle.podsReady": "The scheduler waits until the pods of those admitted are ready.",
        "obstacle.unknown": "It was deleted.",
        # The report
        "report.title": "What would admit {workload}?",
        "report.nothing": {
            "one": "No change that was tried would admit it ({tried} was simulated).",
            "other": "No change that was tried would admit it ({tried} were simulated).",
        },
        "report.wait": "Nothing has to change.",
        "report.evicts": {
            "one": "evicts {workloads}",
            "other": "evicts {count} workloads: {workloads}",
        },
        "report.evictsNobody": "evicts nobody",
        "report.more": "{more} more",
        "report.tried": {
            "one": "{tried} change was simulated.",
            "other": "{tried} changes were simulated.",
        },
        "report.admitted": "admitted at {time}",
        "report.toTheEnd": "Changes are made at {now}; what comes of them is seen to the end.",
        "report.atOnce": (
            "Changes are made at {now}; only what comes of them at once is seen. until= looks "
            "further."
        ),
        "report.until": (
            "Changes are made at {now}; what comes of them is seen up to {until}. until= looks "
            "further."
        ),
        "report.incomplete": (
            "The search ended early, as the cluster is large: there may be more, and less may do."
        ),
        # Loops
        "loop.title": ("Cycle {last} came back to where cycle {first} was: this goes on for ever."),
        "loop.titleTime": (
            "At {last} everything is as it was at {first}: this comes again every {period}, for "
            "ever."
        ),
        "loop.turn": (
            "Cycle {cycle}: {preemptor} ({preemptorQueue}, priority {preemptorPriority}) evicts "
            "{victim} ({victimQueue}, priority {victimPriority}): {reason}, by {policy}."
        ),
        "loop.back": "Cycle {cycle}: {workload} gets quota again in {queue}.",
        "loop.evicted": "At {time}: {workload} is evicted ({reason}).",
        "loop.rules": "What keeps it turning: {rules}.",
        "loop.break": "To break it: {hints}.",
    }
)


@cache
def words() -> Catalog:
    """Return the sentences; those of the trace are among them.

    Examples
    --------
    >>> words().text("suggest.activate", workload="default/a")
    'activate default/a'
    """
    return Catalog("en", _MESSAGES, english())
