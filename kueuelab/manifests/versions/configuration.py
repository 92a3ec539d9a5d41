"""Kueue's Configuration, v1beta1 to v1beta2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from kueuelab.messages import Message

__all__ = ["convert_configuration"]

#: In v1beta2 they have to be written down.
_STRATEGIES: Final = ("LessThanOrEqualToFinalShare", "LessThanInitialShare")


def convert_configuration(old: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """Return a v1beta1 Configuration as v1beta2, and what changed.

    Examples
    --------
    >>> convert_configuration({"fairSharing": {"enable": False}})
    ({}, ['fairSharing.enable false: fairSharing was dropped'])
    """
    new = dict(old)
    changes: list[str] = []
    for name in ("fairSharing", "waitForPodsReady"):
        section = dict(new.pop(name, None) or {})
        if section.pop("enable", False):
            if name == "waitForPodsReady" and section.get("blockAdmission") is None:
                section["blockAdmission"] = True
                changes.append(Message("manifests.configuration.v1beta1.block-admission"))
            if name == "fairSharing" and not section.get("preemptionStrategies"):
                section["preemptionStrategies"] = list(_STRATEGIES)
                changes.append(
                    Message("manifests.configuration.v1beta1.preemption-strategies", name=name)
                )
            new[name] = section
        elif name in old:
            changes.append(Message("manifests.configuration.v1beta1.not-enabled", name=name))
    if new.pop("queueVisibility", None):
        changes.append(Message("manifests.configuration.v1beta1.queue-visibility"))
    integrations = dict(new.get("integrations") or {})
    if integrations.pop("podOptions", None):
        new["integrations"] = integrations
        changes.append(Message("manifests.configuration.v1beta1.pod-options"))
    return new, changes
