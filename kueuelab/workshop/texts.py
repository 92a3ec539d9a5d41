"""The sentences of each exercise, as catalogues that fall back on those of the workshop."""

from __future__ import annotations

from pathlib import Path

from kueuelab.files.languages import read_messages
from kueuelab.messages import Catalog, language_of
from kueuelab.messages.pseudo import PSEUDO, pseudo_forms

__all__ = ["exercise_texts"]


def exercise_texts(folder: Path, language: str | Catalog = "en") -> Catalog:
    """Return the sentences of an exercise; English ones where a language lacks them."""
    words = language_of(language)
    file = folder / "texts" / f"{words.language}.yaml"
    if not file.exists():
        file = folder / "texts" / "en.yaml"
    _, messages = read_messages(file.read_bytes(), str(file))
    if words.language == PSEUDO:
        messages = pseudo_forms(messages)
    return Catalog(words.language, messages, words)
