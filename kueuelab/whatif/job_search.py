"""The search for changes of a job alone: what its author can write instead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from kueuelab.whatif import proposals
from kueuelab.whatif.change_sets import Adjustment, ChangeSet
from kueuelab.whatif.changes import Edit
from kueuelab.whatif.coverage import coverage, near_labels
from kueuelab.whatif.other_places import other_places, slice_sizes
from kueuelab.whatif.proposals import adjustment, edit_workload
from kueuelab.whatif.references import Reference
from kueuelab.whatif.search import Search
from kueuelab.whatif.subject import Subject

__all__ = ["JobSearch"]


class JobSearch(Search):
    """A search among the changes that only the workload needs.

    Another LocalQueue or flavor, another place in a topology, a higher priority, fewer pods, less
    for each pod; no quota, policy or other workload is changed.
    """

    def _singles(self) -> Iterator[ChangeSet]:
        subject = self._subject
        yield from self._all_that_help(_own(subject, proposals.remedies(subject)))
        yield from self._all_that_help(_own(subject, coverage(subject)))
        yield from self._all_that_help(near_labels(subject))
        yield from self._all_that_help(_other_flavors(subject))
        yield from self._all_that_help(_own(subject, other_places(subject)))
        yield from self._first_that_helps(slice_sizes(subject))
        yield from self._first_that_helps(slice_sizes(subject, larger=True))
        if subject.node is not None and all(demand.flavors for demand in subject.demands):
            yield from self._higher_priority()
            yield from self._smaller_job()


def _own(subject: Subject, adjustments: Iterable[Adjustment]) -> Iterator[Adjustment]:
    """Yield the adjustments that edit the workload and nothing else."""
    workload = Reference.of_workload(subject.key)
    for each in adjustments:
        changes = each.part(each.most).changes
        if all(isinstance(change, Edit) and change.object == workload for change in changes):
            yield each


def _other_flavors(subject: Subject) -> Iterator[Adjustment]:
    """Yield node selectors, and tolerations, by which another flavor suits."""
    pod_sets = [(each.name, each.template.spec) for each in subject.state.obj.pod_sets]
    for demand in subject.demands:
        for quota in demand.group.flavors:
            flavor = subject.cluster.objects.flavors.get(quota.name)
            if flavor is None or quota.name in demand.flavors or not demand.flavors:
                continue
            values: dict[str, Any] = {}
            for name, spec in pod_sets:
                labels = {k: v for k, v in flavor.node_labels.items() if k in spec.node_selector}
                if labels:
                    path = f"spec.podSets[{name}].template.spec"
                    values[f"{path}.nodeSelector"] = {**spec.node_selector, **labels}
            if values:
                change = edit_workload(subject, values)
                yield adjustment("otherFlavor", change, flavor=quota.name)
