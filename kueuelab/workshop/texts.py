"""The sentences of the workshop and of each exercise, as catalogues that fall back on English."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import yaml

from kueuelab.errors import InputError, Location, Problem
from kueuelab.trace.catalog import Catalog, english

__all__ = ["exercise_texts", "workshop_texts"]


@cache
def workshop_texts(language: str = "en") -> Catalog:
    """Return the sentences of the workshop itself.

    Examples
    --------
    >>> workshop_texts().text("state.solved")
    'solved'
    """
    folder = resources.files("kueuelab.workshop").joinpath("languages")
    file = folder.joinpath(f"{language}.yaml")
    fallback = english() if language == "en" else workshop_texts()
    return _catalog(file.read_text("utf-8"), str(file), fallback)


def exercise_texts(folder: Path, language: str = "en") -> Catalog:
    """Return the sentences of an exercise; English ones where a language lacks them."""
    file = folder / "texts" / f"{language}.yaml"
    fallback = workshop_texts() if language == "en" else exercise_texts(folder)
    return _catalog(file.read_text("utf-8"), str(file), fallback)


def _catalog(text: str, file: str, fallback: Catalog) -> Catalog:
    try:
        found: Any = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(
            Problem(f"not YAML: {str(error).splitlines()[0]}", location=Location(file))
        ) from error
    messages = found.get("messages") if isinstance(found, Mapping) else None
    if not isinstance(messages, Mapping):
        raise InputError(Problem("there are no messages", location=Location(file)))
    return Catalog(str(found.get("language", "")), messages, fallback)
