"""The operations of the service by name: what is asked, what is answered, where it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from kueuelab.service import requests
from kueuelab.service.answers import (
    LeversWithCosts,
    ManifestsLinted,
    PendingFound,
    TryFound,
    WhyFound,
)
from kueuelab.session.answers import Comparison, LintPage

__all__ = ["OPERATIONS", "Operation"]


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked.

    Attributes
    ----------
    method, path
        Where it is over HTTP. The fields of a GET are in its query, those of a POST in its body.
    request, answer
        The dataclasses of both.
    """

    method: str
    path: str
    request: type[Any]
    answer: type[Any]


#: The operations, the most useful first.
OPERATIONS: Final[Mapping[str, Operation]] = MappingProxyType(
    {
        "try": Operation("POST", "/v1/try", requests.Try, TryFound),
        "pending": Operation("GET", "/v1/pending", requests.Pending, PendingFound),
        "why": Operation("GET", "/v1/why", requests.Why, WhyFound),
        "levers": Operation("GET", "/v1/levers", requests.Levers, LeversWithCosts),
        "lint": Operation("GET", "/v1/lint", requests.Lint, LintPage),
        "lintManifests": Operation("POST", "/v1/lint", requests.LintManifests, ManifestsLinted),
        "compare": Operation("POST", "/v1/compare", requests.Compare, Comparison),
    }
)
