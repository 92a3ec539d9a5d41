"""The page on the rules, made from the catalogue and the examples of the tests.

``python -m tests.unit.lint.page`` writes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from kueuelab.lint import CATALOGUE, Rule

ROOT = Path(__file__).parents[3]
PAGE = ROOT / "docs" / "lint-rules.md"
EXAMPLES: dict[str, dict[str, Any]] = {
    name: example
    for file in sorted((Path(__file__).parent / "examples").glob("*.yaml"))
    for name, example in yaml.safe_load(file.read_text("utf-8")).items()
}
MARK = "# found here"
_PAGES = "https://kueue.sigs.k8s.io/docs/"
_ISSUES = "https://github.com/kubernetes-sigs/kueue/issues/"


def near(rule: Rule) -> str:
    """Return what is nearly the same as an example, and right."""
    example = EXAMPLES[rule.name]
    if isinstance(example["near"], str):
        return example["near"]
    found: str = example["found"]
    for before, after in example["near"].items():
        assert before in found, before
        found = found.replace(before, after)
    return found


def text() -> str:
    """Return the page."""
    return "\n".join(_lines())


def _lines() -> Iterator[str]:
    yield "# The rules of kueuelab lint"
    yield ""
    yield (
        f"There are {len(CATALOGUE)} rules. [lint](lint.md) says how to run them, turn them off "
        "and fix what they find."
    )
    yield "This page is made from the catalogue: `python -m tests.unit.lint.page` writes it."
    yield ""
    yield "| id | rule | level | fixed by `--fix` |"
    yield "|---|---|---|---|"
    for rule in CATALOGUE:
        link = f"[{rule.name}](#{rule.id.lower()}-{rule.name})"
        yield f"| {rule.id} | {link} | {rule.level} | {'yes' if rule.is_safe else ''} |"
    for rule in CATALOGUE:
        yield from _section(rule)
    yield ""


def _section(rule: Rule) -> Iterator[str]:
    yield ""
    yield f"## {rule.id} {rule.name}"
    yield ""
    yield f"**{str(rule.level).capitalize()}.** {rule.why}"
    yield ""
    yield f"**What to do:** {rule.fix}"
    yield ""
    yield f"Source: {_source(rule.source)}."
    yield ""
    yield "```yaml"
    yield EXAMPLES[rule.name]["found"].rstrip()
    yield "```"


def _source(source: str) -> str:
    parts = []
    for part in source.split(", "):
        if match := re.fullmatch(r"kueue#(\d+)", part):
            parts.append(f"[{part}]({_ISSUES}{match[1]})")
        elif re.fullmatch(r"(concepts|tasks|reference)/[\w/.#-]+", part):
            page, _, anchor = part.partition("#")
            parts.append(f"[{part}]({_PAGES}{page}/{'#' + anchor if anchor else ''})")
        else:
            parts.append(part)
    return ", ".join(parts)


if __name__ == "__main__":
    PAGE.write_text(text(), "utf-8")
