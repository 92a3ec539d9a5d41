"""What experienced operators see at once in manifests, scenarios and dumps: `lint`, with rules."""

from kueuelab.lint.catalogue import CATALOGUE, rule_named
from kueuelab.lint.linting import Result, lint, lint_spec
from kueuelab.lint.rule import Finding, Level, Rule
from kueuelab.lint.settings import Settings, read_settings

__all__ = [
    "CATALOGUE",
    "Finding",
    "Level",
    "Result",
    "Rule",
    "Settings",
    "lint",
    "lint_spec",
    "read_settings",
    "rule_named",
]
