"""Names in messages of Kueue, where they are known to stand; other messages are replaced."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Final

__all__ = ["Messages"]

#: What stands for a message that is not known.
_REPLACED: Final = "(redacted)"
_PREVIOUSLY: Final = "Previously: "

_NAME: Final = r"[a-z0-9](?:[-a-z0-9.]*[a-z0-9])?"

#: Where names stand in Kueue's sentences, and of what: one group, or several, each.
_PLACES: Final[tuple[tuple[re.Pattern[str], tuple[str, ...]], ...]] = tuple(
    (re.compile(pattern), kinds)
    for pattern, kinds in (
        (rf"(?:in|by|to) [Cc]lusterQueue ({_NAME})(?=[ ,;.]|$)", ("ClusterQueue",)),
        (
            rf"ClusterQueue ({_NAME}) (?=is inactive|doesn't exist|not found|is stopped)",
            ("ClusterQueue",),
        ),
        (rf"LocalQueue ({_NAME}) (?=is inactive|doesn't exist|is stopped)", ("LocalQueue",)),
        (rf"pod set ({_NAME}):", ("PodSet",)),
        (rf"in flavor ({_NAME})(?=[ ,;.]|$)", ("ResourceFlavor",)),
        (rf"flavor ({_NAME}) (?=doesn't match|not found|is not)", ("ResourceFlavor",)),
        (rf"AdmissionCheck\(s\): ({_NAME}(?:,{_NAME})*)", ("AdmissionCheck",)),
        (rf"ResourceFlavor\(s\): ({_NAME}(?:,{_NAME})*)", ("ResourceFlavor",)),
        (rf"[Tt]opology(?:\(s\):)? ({_NAME}(?:,{_NAME})*)(?=[ ,;.]|$)", ("Topology",)),
        (rf"[Ww]orkload '?({_NAME})/({_NAME})", ("Namespace", "Workload")),
        (rf"timeout ({_NAME})/({_NAME})", ("Namespace", "Workload")),
        (rf'on "({_NAME})"', ("MultiKueueCluster",)),
        (rf"clusters: \[({_NAME}(?: {_NAME})*)\]", ("MultiKueueCluster",)),
    )
)
_PATH: Final = re.compile(rf"path: ((?:/{_NAME})+)")
_TAINT: Final = re.compile(r"untolerated taint \{(\S+) (\S*) (\w+) <nil>\}")

#: The words of Kueue's sentences; a message with any other word is not known.
_SENTENCES: Final = """
All pods reached readiness and the workload is running. Not all pods are ready or succeeded.
At least one pod has failed, waiting for recovery. Exceeded the PodsReady timeout.
The workload is admitted on. The workload has no reservation. Quota reserved in ClusterQueue.
The workload is deactivated due to exceeding the maximum execution time number of re-queuing
retries. The workload is reactivated. The ClusterQueue LocalQueue is stopped restarted after being
stopped. Preempted to accommodate a workload UID JobUID due to prioritization in the ClusterQueue
reclamation within the cohort Fair Sharing while borrowing; preemptor path preemptee path UNKNOWN.
couldn't assign flavors to pod set: insufficient unused quota for in flavor, more needed.
Pending the preemption of workload(s). insufficient quota, previously considered podsets requests
current podset request maximum capacity. flavor doesn't match node affinity. untolerated taint nil
NoSchedule NoExecute PreferNoSchedule. flavor not found. is inactive. doesn't exist.
Workload no longer fits after processing another workload. Workload has overlapping preemption
targets with another workload, but will fit after these preemptions complete. Workload requires
preemption, but it's gated. workload namespace doesn't match ClusterQueue selector.
Job finished successfully. Reached expected number of succeeded pods. Pods failed. Job failed.
Can admit new workloads. Can't admit new workloads: references inactive missing AdmissionCheck(s)
ResourceFlavor(s) Topology. Can submit new workloads to localQueue. Can't submit new workloads to
clusterQueue. The admission check is active. Connected. Missing Inactive clusters. The workload was
finished. The workload got reservation on. At least one admission check is false Rejected Retry.
waiting for all admitted workloads to be in PodsReady condition. Failed to admit workload could not
be added to the cache. The workload has failed admission checks. resource unavailable in
ClusterQueue. resources didn't satisfy LimitRange constraints. Waiting for quota.
borrowing limit exceeded. topology allows to fit only out of pod(s). no topology domains at level.
resources validation failed: spec.podSets .template.spec.containers .initContainers .overhead
Invalid value: requests must not exceed its limits. Some Failed pods need replacement.
"""
_WORD: Final = re.compile(r"[^\s,;:()\[\]{}<>+\"'=]+(?:'[a-z]+)?")
_KNOWN: Final = frozenset(word.strip(".") for word in _WORD.findall(_SENTENCES))
_NO_WORD: Final = re.compile(
    r"\W*|-?\d+(?:\.\d+)?(?:m|s|h|[kMGTPE]i?|ms)?|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)


class Messages:
    """Redacts messages.

    Parameters
    ----------
    name
        Gives another name: of what it is the name, and the name.
    key
        Gives another key of a label or taint.
    value
        Gives another value: its key, and the value.
    """

    def __init__(
        self,
        name: Callable[[str, str], str],
        key: Callable[[str], str],
        value: Callable[[str, str], str],
    ) -> None:
        self._name, self._key, self._value = name, key, value
        self._resources: set[str] = set()

    def learn(self, value: Any) -> None:
        """Learn the names of resources, which stay, from an object."""
        if isinstance(value, Mapping):
            for key, inner in value.items():
                if key in ("requests", "limits", "allocatable", "overhead", "coveredResources"):
                    self._resources.update(map(str, inner or ()))
                self.learn(inner)
        elif isinstance(value, list):
            for inner in value:
                self.learn(inner)

    def redacted(self, message: str) -> str:
        """Return a message with other names; one that is not Kueue's is replaced."""
        if not message:
            return message
        before, previously, rest = message.rpartition(_PREVIOUSLY)
        new: list[str] = []

        def kept(text: str) -> str:
            new.append(text)
            return f"\x00{len(new)}\x00"

        # Every name is replaced first, so that the rest can be compared with the known words.
        left = _PATH.sub(lambda found: kept(f"path: {self._path(found[1])}"), rest)
        left = _TAINT.sub(lambda found: kept(self._taint(*found.groups())), left)
        for pattern, kinds in _PLACES:
            left = pattern.sub(partial(self._taken_out, kinds, kept), left)
        words = (word.strip(".") for word in _WORD.findall(_MARK.sub(" ", left)))
        if before or not all(self._is_known(word) for word in words):
            return _REPLACED
        return previously + _MARK.sub(lambda found: new[int(found[1]) - 1], left)

    def _is_known(self, word: str) -> bool:
        return word in _KNOWN or word in self._resources or _NO_WORD.fullmatch(word) is not None

    def _taken_out(
        self, kinds: tuple[str, ...], kept: Callable[[str], str], found: re.Match[str]
    ) -> str:
        """Keep what was found with other names; a group may have several of one kind."""
        text, start = found[0], found.start()
        for group in range(len(kinds), 0, -1):
            names = re.split(r"([, ])", found[group])
            names[::2] = [self._name(kinds[group - 1], name) for name in names[::2]]
            first, last = (place - start for place in found.span(group))
            text = text[:first] + "".join(names) + text[last:]
        return kept(text)

    def _path(self, path: str) -> str:
        *cohorts, queue = path.strip("/").split("/")
        above = "".join(f"/{self._name('Cohort', each)}" for each in cohorts)
        return f"{above}/{self._name('ClusterQueue', queue)}"

    def _taint(self, key: str, value: str, effect: str) -> str:
        return f"untolerated taint {{{self._key(key)} {self._value(key, value)} {effect} <nil>}}"


#: Where a name was replaced.
_MARK: Final = re.compile("\x00(\\d+)\x00")
