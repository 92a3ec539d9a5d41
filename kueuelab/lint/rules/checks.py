"""Rules about admission checks, and about waiting for pods to be ready."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.lint.rule import Edit, Found, Level, Rule
from kueuelab.lint.subject import Subject
from kueuelab.model import AdmissionCheck, ClusterQueue, ProvisioningRequestConfig
from kueuelab.model.times import SECOND, format_duration
from kueuelab.whatif.advice.places import CONFIGURATION
from kueuelab.whatif.references import Reference

__all__ = ["MULTIKUEUE", "PROVISIONING", "RULES", "checks_of"]

MULTIKUEUE: Final = "kueue.x-k8s.io/multikueue"
PROVISIONING: Final = "kueue.x-k8s.io/provisioning-request"
_PARAMETERS: Final = {
    MULTIKUEUE: "MultiKueueConfig",
    PROVISIONING: "ProvisioningRequestConfig",
}
_CHECKS: Final = "spec.admissionChecksStrategy.admissionChecks"
#: Images of some gigabytes take this long to pull; on a new node, none of them is there.
_PULL: Final = 60 * SECOND
_PULL_ON_NEW_NODE: Final = 300 * SECOND


def checks_of(subject: Subject, queue: ClusterQueue, controller: str) -> list[int]:
    """Return the places of a ClusterQueue's checks that are of a controller."""
    names = {
        each.metadata.name
        for each in subject.of_kind(AdmissionCheck)
        if each.controller_name == controller
    }
    return [index for index, each in enumerate(queue.admission_checks) if each.name in names]


def _inactive(subject: Subject) -> Iterator[Found]:
    """A check that its controller has not declared active."""
    used = {rule.name for queue in subject.queues.values() for rule in queue.admission_checks}
    for check in subject.of_kind(AdmissionCheck):
        if check.conditions is None or check.metadata.name not in used:
            continue
        active = next((each for each in check.conditions if each.type == "Active"), None)
        if active is None:
            values = {"check": check.metadata.name, "controller": check.controller_name}
            yield Found(Reference.of(check), "spec.controllerName", values)
        elif active.status != "True":
            values = {"check": check.metadata.name, "message": active.message or active.reason}
            yield Found(Reference.of(check), "", values, "inactive")


def _without_parameters(subject: Subject) -> Iterator[Found]:
    """A check of one of Kueue's controllers without parameters."""
    for check in subject.of_kind(AdmissionCheck):
        kind = _PARAMETERS.get(check.controller_name)
        if kind is not None and (check.parameters is None or not check.parameters.name):
            values = {"check": check.metadata.name, "kind": kind}
            yield Found(Reference.of(check), "spec", values)


def _other_parameters(subject: Subject) -> Iterator[Found]:
    """A check with parameters of another kind than its controller takes."""
    for check in subject.of_kind(AdmissionCheck):
        kind, written = _PARAMETERS.get(check.controller_name), check.parameters
        if kind is None or written is None or not written.name:
            continue
        if (written.kind, written.api_group) != (kind, "kueue.x-k8s.io"):
            values = {"kind": kind, "written": f"{written.kind}.{written.api_group}"}
            edits = (
                Edit("spec.parameters.apiGroup", "kueue.x-k8s.io"),
                Edit("spec.parameters.kind", kind),
            )
            yield Found(Reference.of(check), "spec.parameters", values, edits=edits)


def _several_multikueue(subject: Subject) -> Iterator[Found]:
    """Two MultiKueue checks in one ClusterQueue."""
    for queue in subject.queues.values():
        places = checks_of(subject, queue, MULTIKUEUE)
        if len(places) > 1:
            names = ", ".join(queue.admission_checks[each].name for each in places)
            values = {"queue": queue.name, "checks": names}
            yield Found(Reference.of(queue), f"{_CHECKS}[{places[1]}].name", values)


def _multikueue_on_flavors(subject: Subject) -> Iterator[Found]:
    """A MultiKueue check for some flavors of a ClusterQueue."""
    for queue in subject.queues.values():
        flavors = {each.name for group in queue.resource_groups for each in group.flavors}
        for place in checks_of(subject, queue, MULTIKUEUE):
            rule = queue.admission_checks[place]
            if rule.on_flavors and set(rule.on_flavors) != flavors:
                values = {"check": rule.name, "queue": queue.name}
                field = f"{_CHECKS}[{place}].onFlavors"
                yield Found(Reference.of(queue), field, values, edits=(Edit(field),))


def _multikueue_with_provisioning(subject: Subject) -> Iterator[Found]:
    """MultiKueue and ProvisioningRequests in one ClusterQueue."""
    for queue in subject.queues.values():
        places = checks_of(subject, queue, PROVISIONING)
        if places and checks_of(subject, queue, MULTIKUEUE):
            yield Found(Reference.of(queue), f"{_CHECKS}[{places[0]}].name", {"queue": queue.name})


def _not_provisioned(subject: Subject) -> Iterator[Found]:
    """Managed resources of which no ClusterQueue with the check has quota."""
    configs = {each.metadata.name: each for each in subject.of_kind(ProvisioningRequestConfig)}
    for check in subject.of_kind(AdmissionCheck):
        config = configs.get(check.parameters.name) if check.parameters is not None else None
        if check.controller_name != PROVISIONING or config is None:
            continue
        covered = {
            name
            for queue in subject.queues.values()
            if any(rule.name == check.metadata.name for rule in queue.admission_checks)
            for group in queue.resource_groups
            for name in group.covered_resources
        }
        for index, name in enumerate(config.managed_resources):
            if covered and name not in covered:
                values = {"resource": name, "check": check.metadata.name}
                yield Found(Reference.of(config), f"spec.managedResources[{index}]", values)


def _no_retries(subject: Subject) -> Iterator[Found]:
    """ProvisioningRequests that are never tried again."""
    for config in subject.of_kind(ProvisioningRequestConfig):
        if config.retry_backoff_limit_count == 0:
            field = "spec.retryStrategy.backoffLimitCount"
            edits = (Edit(field, 3),)
            yield Found(Reference.of(config), field, {"config": config.metadata.name}, edits=edits)


def _short_timeout(subject: Subject) -> Iterator[Found]:
    """A timeout for ready pods that is shorter than pulling an image may take."""
    waiting = subject.configuration.wait_for_pods_ready
    if waiting is None or not subject.has_configuration:
        return
    provisioned = any(checks_of(subject, each, PROVISIONING) for each in subject.queues.values())
    least = _PULL_ON_NEW_NODE if provisioned else _PULL
    if waiting.timeout < least:
        values = {"timeout": format_duration(waiting.timeout), "least": format_duration(least)}
        form = "provisioned" if provisioned else ""
        field = "waitForPodsReady.timeout"
        edits = (Edit(field, format_duration(least)),)
        yield Found(CONFIGURATION, field, values, form, edits)


def _blocked_for_ever(subject: Subject) -> Iterator[Found]:
    """Admission that waits for pods of a job which is tried again for ever."""
    waiting = subject.configuration.wait_for_pods_ready
    if waiting is None or not waiting.block_admission:
        return
    if waiting.requeuing_strategy.backoff_limit_count is None:
        edits = (Edit("waitForPodsReady.requeuingStrategy.backoffLimitCount", 10),)
        yield Found(CONFIGURATION, "waitForPodsReady.blockAdmission", edits=edits)


RULES: Final = (
    Rule(
        "KL801",
        "inactive-check",
        Level.ERROR,
        _inactive,
        "concepts/cluster_queue#admissionchecks",
    ),
    Rule(
        "KL802",
        "check-without-parameters",
        Level.ERROR,
        _without_parameters,
        "concepts/admission_check/provisioning_request, concepts/admission_check/multikueue",
    ),
    Rule(
        "KL803",
        "check-with-other-parameters",
        Level.ERROR,
        _other_parameters,
        "concepts/admission_check/provisioning_request, concepts/admission_check/multikueue",
    ),
    Rule(
        "KL804",
        "several-multikueue-checks",
        Level.ERROR,
        _several_multikueue,
        "concepts/multikueue",
    ),
    Rule(
        "KL805",
        "multikueue-check-on-flavors",
        Level.ERROR,
        _multikueue_on_flavors,
        "concepts/multikueue",
    ),
    Rule(
        "KL806",
        "multikueue-with-provisioning",
        Level.ERROR,
        _multikueue_with_provisioning,
        "concepts/multikueue",
    ),
    Rule(
        "KL807",
        "managed-resource-not-covered",
        Level.WARNING,
        _not_provisioned,
        "concepts/admission_check/provisioning_request",
    ),
    Rule(
        "KL808",
        "provisioning-without-retries",
        Level.NOTE,
        _no_retries,
        "concepts/admission_check/provisioning_request",
    ),
    Rule(
        "KL811",
        "short-pods-ready-timeout",
        Level.WARNING,
        _short_timeout,
        "tasks/manage/setup_wait_for_pods_ready",
    ),
    Rule(
        "KL812",
        "blocked-by-retries",
        Level.WARNING,
        _blocked_for_ever,
        "tasks/manage/setup_wait_for_pods_ready",
    ),
)
