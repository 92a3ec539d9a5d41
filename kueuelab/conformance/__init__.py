"""Replays recorded decisions of Kueue on the simulator and compares, field by field.

:func:`check_file` checks the cases of a file and :func:`report_lines` says what came of it;
``kueuelab conformance`` does both. ``tests/conformance/README.md`` describes the files.
"""

from kueuelab.conformance.cases import Case, read_cases
from kueuelab.conformance.compare import ABSENT, Difference, Level, compare_step
from kueuelab.conformance.parts import parts_not_modelled
from kueuelab.conformance.report import as_json, diff_lines, report_lines
from kueuelab.conformance.runner import (
    CaseResult,
    Crash,
    FileResult,
    Options,
    check_case,
    check_file,
)

__all__ = [
    "ABSENT",
    "Case",
    "CaseResult",
    "Crash",
    "Difference",
    "FileResult",
    "Level",
    "Options",
    "as_json",
    "check_case",
    "check_file",
    "compare_step",
    "diff_lines",
    "parts_not_modelled",
    "read_cases",
    "report_lines",
]
