"""The sentences of each exercise, as catalogues that fall back on those of the workshop."""

from __future__ import annotations

from pathlib import Path

from kueuelab.files.languages import read_messages
from kueuelab.messages import Catalog, messages_in

__all__ = ["exercise_texts"]


def exercise_texts(folder: Path, language: str = "en") -> Catalog:
    """Return the sentences of an exercise; English ones where a language lacks them."""
    file = folder / "texts" / f"{language}.yaml"
    if language != "en" and not file.exists():
        file = folder / "texts" / "en.yaml"
    _, messages = read_messages(file.read_bytes(), str(file))
    return Catalog(language, messages, messages_in(language))
