"""Rules about the tree of Cohorts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.lint.rule import Edit, Found, Level, Rule
from kueuelab.lint.rules.advised import advised
from kueuelab.lint.subject import Subject
from kueuelab.whatif.advice import queues
from kueuelab.whatif.references import Reference

__all__ = ["RULES"]


def _cycle(subject: Subject) -> Iterator[Found]:
    """Cohorts that are above themselves."""
    seen: set[str] = set()
    for cohort in subject.cohorts.values():
        if cohort.name in seen:
            continue
        way = [cohort.name]
        while (above := subject.cohorts.get(way[-1])) is not None and above.parent_name:
            if above.parent_name in way:
                way = [*way[way.index(above.parent_name) :], above.parent_name]
                break
            way.append(above.parent_name)
        if len(way) > 1 and way[0] == way[-1] and not seen.intersection(way):
            seen.update(way)
            values = {"cohorts": " -> ".join(way)}
            field = "spec.parentName"
            yield Found(Reference("Cohort", "", way[0]), field, values, edits=(Edit(field),))


def _alone(subject: Subject) -> Iterator[Found]:
    """A ClusterQueue alone in its cohort, among others that have one."""
    if len(subject.queues) < 2:
        return  # the others may be in other files
    for queue in subject.queues.values():
        name = queue.cohort_name
        if not name or subject.setting.has_cycle(queue.name) or subject.setting.neighbours(queue):
            continue
        node = subject.tree.cluster_queues[queue.name]
        if not any(each.quotas for each in node.ancestors()):
            values = {"queue": queue.name, "cohort": name}
            field = "spec.cohortName"
            yield Found(Reference.of(queue), field, values, edits=(Edit(field),))


def _without_queues(subject: Subject) -> Iterator[Found]:
    """A Cohort without a ClusterQueue below it."""
    if not subject.queues:
        return
    for cohort in subject.cohorts.values():
        node = subject.tree.cohorts[cohort.name]
        if not node.is_in_cycle and not any(True for _ in node.cluster_queues()):
            yield Found(Reference.of(cohort), "", {"cohort": cohort.name})


RULES: Final = (
    Rule("KL201", "cohort-cycle", Level.ERROR, _cycle, "KEP-79"),
    Rule(
        "KL202",
        "cohort-misspelled",
        Level.WARNING,
        advised(queues.cohorts_named_alike),
        "concepts/cohort",
    ),
    Rule("KL203", "alone-in-cohort", Level.NOTE, _alone, "concepts/cohort"),
    Rule("KL204", "cohort-without-queues", Level.NOTE, _without_queues, "concepts/cohort"),
)
