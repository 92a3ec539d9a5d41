"""The nominal quotas of ClusterQueues and Cohorts, by owner, flavor and resource."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from kueuelab.model import ClusterQueue, Cohort, ModelObject

__all__ = ["QuotaName", "quotas_of"]


class QuotaName(NamedTuple):
    """Which quota: kind and name of its owner, flavor, resource."""

    kind: str
    owner: str
    flavor: str
    resource: str


def quotas_of(objects: Iterable[ModelObject]) -> Mapping[QuotaName, int]:
    """Return the nominal quotas of objects, in Kueue's integer unit.

    Examples
    --------
    >>> from kueuelab.manifests import load
    >>> queue = '''
    ... apiVersion: kueue.x-k8s.io/v1beta2
    ... kind: ClusterQueue
    ... metadata: {name: a}
    ... spec:
    ...   resourceGroups:
    ...   - coveredResources: [cpu]
    ...     flavors: [{name: spot, resources: [{name: cpu, nominalQuota: 2}]}]
    ... '''
    >>> list(quotas_of(load(queue)).items())
    [(QuotaName(kind='ClusterQueue', owner='a', flavor='spot', resource='cpu'), 2000)]
    """
    return {
        QuotaName(type(obj).__name__, obj.metadata.name, flavor.name, resource.name): (
            resource.nominal
        )
        for obj in objects
        if isinstance(obj, ClusterQueue | Cohort)
        for group in obj.resource_groups
        for flavor in group.flavors
        for resource in flavor.resources
    }
