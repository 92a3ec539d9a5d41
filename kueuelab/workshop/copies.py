"""``python -m kueuelab.workshop.copies``: make the learners' notebooks from their sources."""

from __future__ import annotations

from kueuelab.files import write_text
from kueuelab.workshop.library import specs
from kueuelab.workshop.solution import learner_copy

__all__ = ["write_copies"]


def write_copies() -> list[str]:
    """Write all learners' notebooks anew; return the names of those that changed."""
    changed = []
    for spec in specs():
        made = learner_copy(spec.source.read_text("utf-8"))
        if not spec.notebook.exists() or spec.notebook.read_text("utf-8") != made:
            write_text(spec.notebook, made)
            changed.append(spec.name)
    return changed


if __name__ == "__main__":
    print(*write_copies(), sep="\n")
