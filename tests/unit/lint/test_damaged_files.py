"""Whatever a file holds, lint gives findings and problems, and every report of them."""

from __future__ import annotations

import json

from kueuelab.lint import lint
from kueuelab.lint.fixing import fixed_files
from kueuelab.lint.reading import Source
from kueuelab.lint.reports import as_json, as_sarif, text_lines
from kueuelab.messages import english
from kueuelab.testing.mutations import Mutator

from .page import EXAMPLES


def test_damaged_examples() -> None:
    texts = [example["found"] for example in EXAMPLES.values()]
    for content in Mutator(texts, 46).some(150):
        result = lint([Source(content, "a.yaml")])
        assert all(problem.message for problem in result.problems)
        words = english()
        assert list(text_lines(result, words))
        json.dumps([as_json(result), as_sarif(result, words, "1.0")])
        assert fixed_files(result) == []  # there is no such file
