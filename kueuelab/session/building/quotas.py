"""The quota of a ClusterQueue or Cohort: a flavor and a resource to what is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from kueuelab.session.building.draft import Draft
from kueuelab.session.building.yaml_nodes import Place
from kueuelab.whatif.references import Reference

__all__ = ["Quota", "quotas_of", "with_quota", "without_quota"]


@dataclass(frozen=True, slots=True)
class Quota:
    """What a queue or cohort has of a resource in a flavor.

    Attributes
    ----------
    flavor, resource
        Of what.
    place
        Where it is written.
    values
        Its fields as they are written.
    """

    flavor: str
    resource: str
    place: Place
    values: dict[str, Any]

    def shown(self, field: str) -> str:
        """Return a field as text, ``""`` if it is not written."""
        value = self.values.get(field)
        return "" if value is None else str(value)


def quotas_of(draft: Draft, reference: str | Reference) -> tuple[Quota, ...]:
    """Return the quotas of an object, in the order of its resource groups.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a")
    >>> (quota,) = quotas_of(draft, "ClusterQueue/a")
    >>> quota.flavor, quota.resource, quota.shown("nominalQuota")
    ('default-flavor', 'cpu', '10')
    """
    each = draft[reference]
    found = []
    for group, flavors in enumerate(_items(each.field("spec.resourceGroups"))):
        for index, flavor in enumerate(_items(flavors.get("flavors"))):
            for number, resource in enumerate(_items(flavor.get("resources"))):
                path = ("spec", "resourceGroups", group, "flavors", index, "resources", number)
                name, of = str(flavor.get("name")), str(resource.get("name"))
                found.append(Quota(name, of, each.place / path, dict(resource)))
    return tuple(found)


def with_quota(draft: Draft, reference: str | Reference, flavor: str, resource: str) -> Draft:
    """Return a draft in which an object has quota of a resource in a flavor: 0, to be set.

    A resource belongs to one group only, and all flavors of a group cover its resources: with a
    new resource each flavor of the group gets it, with a new flavor all resources.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a").added("ResourceFlavor", "spot")
    >>> draft = with_quota(draft, "ClusterQueue/a", "spot", "memory")
    >>> [(each.flavor, each.resource) for each in quotas_of(draft, "ClusterQueue/a")]
    [('default-flavor', 'cpu'), ('default-flavor', 'memory'), ('spot', 'cpu'), ('spot', 'memory')]
    >>> draft.problems
    ()
    """
    each = draft[reference]
    groups = _items(each.field("spec.resourceGroups"))
    place = each.place / ("spec", "resourceGroups")
    found = [
        number
        for number, group in enumerate(groups)
        if resource in (group.get("coveredResources") or ())
        or any(flavor == it.get("name") for it in _items(group.get("flavors")))
    ]
    number = found[0] if found else (0 if groups else None)
    if number is None:
        quota = {"name": resource, "nominalQuota": 0}
        flavors = [{"name": flavor, "resources": [quota]}]
        return draft.with_item(place, {"coveredResources": [resource], "flavors": flavors})
    group = groups[number]
    covered = list(group.get("coveredResources") or ())
    if resource not in covered:
        covered.append(resource)
        draft = draft.with_item(place / (number, "coveredResources"), resource)
        for index, _ in enumerate(_items(group.get("flavors"))):
            resources = place / (number, "flavors", index, "resources")
            draft = draft.with_item(resources, {"name": resource, "nominalQuota": 0})
    if not any(flavor == it.get("name") for it in _items(group.get("flavors"))):
        quotas = [{"name": name, "nominalQuota": 0} for name in covered]
        draft = draft.with_item(place / (number, "flavors"), {"name": flavor, "resources": quotas})
    return draft


def without_quota(draft: Draft, reference: str | Reference, flavor: str) -> Draft:
    """Return a draft in which an object no longer has a flavor.

    Examples
    --------
    >>> draft = Draft.new().added("ClusterQueue", "a")
    >>> quotas_of(without_quota(draft, "ClusterQueue/a", "default-flavor"), "ClusterQueue/a")
    ()
    """
    for quota in quotas_of(draft, reference):
        if quota.flavor == flavor:
            document, path = quota.place
            siblings = draft.value_at(Place(document, path[:-3]))
            # A group without flavors is no group.
            outer = path[:-4] if len(siblings) == 1 else path[:-2]
            return draft.with_value(Place(document, outer), None)
    return draft


def _items(value: Any) -> list[dict[str, Any]]:
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []
