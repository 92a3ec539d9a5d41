"""``python tests/guide_pages.py``: write the pages of docs/workshop that the exercises give.

Wrong answers and their feedback are those of ``tests/exercises/answers``, which the tests check;
solutions are those of the source notebooks.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from kueuelab import workshop
from kueuelab.files import write_text
from kueuelab.workshop.solution import solution_of
from kueuelab.workshop.spec import ExerciseSpec

ROOT: Final = Path(__file__).parents[1]
GUIDE: Final = ROOT / "docs" / "workshop"
ANSWERS: Final = ROOT / "tests" / "exercises" / "answers"

_STUCK: Final = """\
# Where learners get stuck

`python tests/guide_pages.py` writes this page from the wrong answers that the tests check.
Each has what the learner changed, why it is wrong, what fails, and what the learner reads.
What is right: see the [answer keys](answer-keys.md).
"""
_KEYS: Final = """\
# Answer keys

`python tests/guide_pages.py` writes this page from the solutions of the exercises.
Several answers are right; the check decides.
What goes wrong: see [where learners get stuck](where-learners-get-stuck.md).
"""
#: What the tests call an answer that no case is played with.
_UNUSABLE: Final = {
    "refused": "The answer is rejected, as the API server would.",
    "problems": "The answer cannot be used.",
}


def pages() -> dict[Path, str]:
    """Return the pages and what they say."""
    course = workshop.specs()
    stuck = [_STUCK, *(part for spec in course for part in _wrong_answers(spec))]
    keys = [_KEYS, *(part for spec in course for part in _key(spec))]
    return {
        GUIDE / "where-learners-get-stuck.md": "\n".join(stuck),
        GUIDE / "answer-keys.md": "\n".join(keys),
    }


def _answers(spec: ExerciseSpec) -> Mapping[str, Any]:
    text = (ANSWERS / f"{spec.name}.yaml").read_text("utf-8")
    found: Mapping[str, Any] = yaml.safe_load(text)
    return found


def _wrong_answers(spec: ExerciseSpec) -> Iterator[str]:
    for number, wrong in enumerate(_answers(spec)["wrong"], 1):
        if number == 1:
            yield f"## {spec.title} (`{spec.name}`)\n"
        yield f"### `{spec.name}`: wrong answer {number}\n"
        yield _as_block(wrong["answer"])
        yield f"Why it is wrong: {_line(wrong['why'])}\n"
        yield "What fails:\n"
        yield "\n".join(f"- {_failed(spec, each)}" for each in wrong["fails"]) + "\n"
        yield "What the learner reads:\n"
        yield _block("text", "\n".join(wrong["says"]))


def _failed(spec: ExerciseSpec, failed: str) -> str:
    if failed in _UNUSABLE:
        return _UNUSABLE[failed]
    case, _, check = failed.partition("/")
    sentence = _line(spec.texts.text(f"check.{check}"))
    return f"{sentence} ({_line(spec.texts.text(f'case.{case}'))})" if case else sentence


def _key(spec: ExerciseSpec) -> Iterator[str]:
    yield f"## {spec.title} (`{spec.name}`)\n"
    yield _block("python", solution_of(spec.source))
    for right in _answers(spec)["right"]:
        yield "Also right:\n"
        yield _as_block(right)
    yield spec.texts.text("why").strip() + "\n"


def _as_block(answer: Any) -> str:
    """Return an answer as it is read: a script, or the changed fields."""
    if isinstance(answer, str):
        return _block("python", answer.rstrip("\n"))
    text: str = yaml.safe_dump(answer, sort_keys=False, allow_unicode=True, width=100)
    return _block("yaml", text.rstrip("\n"))


def _block(language: str, text: str) -> str:
    return f"```{language}\n{text}\n```\n"


def _line(text: str) -> str:
    return " ".join(text.split())


if __name__ == "__main__":
    for page, text in pages().items():
        write_text(page, text)
