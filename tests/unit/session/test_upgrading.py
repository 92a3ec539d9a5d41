"""Another release of Kueue for what is open: what differs, and why."""

from __future__ import annotations

import pytest

from kueuelab.errors import KueueLabError
from kueuelab.model import RELEASES
from kueuelab.session.handler import Handler


def test_the_first_decision_that_differs_and_its_cause() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "version-2-undeclared-resource"})
    found = handler.answer({"do": "upgrade", "before": "v0.18.6", "after": "v0.19.2"})
    assert found["releases"] == list(RELEASES)
    assert found["first"][0] == "The first decision that differs is number 1."
    assert found["causes"] == ["QuotaCheckStrategy"]
    assert found["required"] == []
    assert found["sentence"].startswith("Something")


def test_a_text_that_was_sent_is_read_again_for_each_release() -> None:
    handler = Handler()
    text = "{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}"
    handler.answer({"do": "open", "name": "in.yaml", "text": text})
    found = handler.answer({"do": "upgrade"})
    assert (found["before"], found["after"]) == ("v0.18.6", "v0.19.2")
    assert found["sentence"].startswith("Nothing")
    with pytest.raises(KueueLabError, match=r"v9\.9"):
        handler.answer({"do": "upgrade", "after": "v9.9"})
