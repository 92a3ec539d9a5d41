"""Why a check failed or could not be judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Finding"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What happened instead: a sentence of the catalogue, its values, and at which step.

    Attributes
    ----------
    message
        Id of the sentence.
    values
        What is filled in.
    step
        The step of the trace that shows it; ``None`` if nothing was run.
    """

    message: str
    values: Mapping[str, Any] = field(default_factory=dict)
    step: int | None = None
