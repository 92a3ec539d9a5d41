"""The sentences of the workshop and of each exercise, as catalogues that fall back on English."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from kueuelab.files.languages import read_messages
from kueuelab.messages import Catalog, english

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
    found, messages = read_messages(text.encode(), file)
    return Catalog(found, messages, fallback)
