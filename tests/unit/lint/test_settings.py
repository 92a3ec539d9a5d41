"""The configuration file, and comments, turn rules off and change their levels."""

from __future__ import annotations

from pathlib import Path

import pytest

from kueuelab.errors import InputError
from kueuelab.lint import Level, Settings, lint, read_settings
from kueuelab.lint.reading import Source
from kueuelab.lint.settings import FILE, found_above

QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: ClusterQueue
metadata: {name: team-a}
spec:
  stopPolicy: Hold
  namespaceSelector: {}
"""


def settings(folder: Path, text: str) -> Settings:
    (folder / FILE).write_text(text)
    return read_settings(folder / FILE)


def names(text: str, using: Settings | None = None, name: str = "a.yaml") -> list[str]:
    return [each.rule.name for each in lint([Source(text, name)], using).findings]


def test_without_anything_the_rule_counts() -> None:
    assert names(QUEUE) == ["stopped-queue"]


@pytest.mark.parametrize(
    ("line", "comment"),
    [
        (5, "# kueuelab: ignore KL510"),
        (5, "# kueuelab: ignore stopped-queue"),
        (5, "# kueuelab: ignore KL101, stopped-queue"),
        (5, "#kueuelab:ignore: KL510"),
        (5, "# kueuelab: ignore"),
        (1, "# kueuelab: ignore KL510"),
    ],
)
def test_a_comment_at_the_line_or_the_object(line: int, comment: str) -> None:
    lines = QUEUE.splitlines()
    behind = [*lines]
    behind[line - 1] += f" {comment}"
    assert names("\n".join(behind)) == []
    above = [*lines[: line - 1], f"  {comment}", "", "  # on holiday", *lines[line - 1 :]]
    assert names("\n".join(above)) == []


@pytest.mark.parametrize(
    ("line", "comment"),
    [
        (5, "# kueuelab: ignore KL101"),
        (5, "# kueuelab ignore KL510"),
        (5, "# ignore KL510"),
        (4, "# kueuelab: ignore KL510"),
        (6, "# kueuelab: ignore KL510"),
    ],
)
def test_a_comment_elsewhere_or_about_another_rule(line: int, comment: str) -> None:
    lines = QUEUE.splitlines()
    lines[line - 1] += f" {comment}"
    assert names("\n".join(lines)) == ["stopped-queue"]


def test_a_comment_counts_for_its_own_object_only() -> None:
    other = QUEUE.replace("team-a", "team-b")
    text = f"# kueuelab: ignore KL510\n{QUEUE}---\n{other}"
    found = lint([Source(text, "a.yaml")]).findings
    assert [each.object.name for each in found] == ["team-b"]
    items = f"items:\n# kueuelab: ignore KL510\n- {QUEUE.replace(chr(10), chr(10) + '  ').strip()}"
    assert names(items) == []


def test_a_count_of_what_is_ignored() -> None:
    result = lint([Source(f"# kueuelab: ignore\n{QUEUE}", "a.yaml")])
    assert (result.findings, result.ignored) == ((), 1)


def test_everything_that_a_file_can_say(tmp_path: Path) -> None:
    text = """\
fail-on: error
ignore: [KL101]
levels: {stopped-queue: error}
paths:
- {path: "tests/*", ignore: [KL510]}
"""
    found = settings(tmp_path, text)
    assert found.fail_on is Level.ERROR
    assert found.ignored == {"cohort-quota-adds-up"}
    (finding,) = lint([Source(QUEUE, "a.yaml")], found).findings
    assert finding.level is Level.ERROR
    assert names(QUEUE, found, "tests/a.yaml") == []
    assert names(QUEUE, found, "/home/x/tests/a.yaml") == []
    assert settings(tmp_path, "") == Settings()


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("ignor: [KL101]", 1, "there is no setting 'ignor'"),
        ("\nignore: [KL000]", 2, "there is no rule named 'KL000'"),
        ("ignore: KL101", 1, "it is not a list"),
        ("levels: [KL101]", 1, "it is not a mapping"),
        ("levels:\n  KL101: fatal", 2, "'fatal' is not a level"),
        ("fail-on: 3", 1, "3 is not a level"),
        ("paths:\n- tests", 2, "an entry has a path"),
        ("paths:\n- {path: a, rules: []}", 2, "there is no setting 'rules'"),
        ("- KL101", 1, "it is not a mapping"),
        ("ignore: [\n", 2, ""),
    ],
)
def test_what_is_wrong_is_said_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    with pytest.raises(InputError) as caught:
        settings(tmp_path, text)
    (problem,) = caught.value.problems
    assert problem.location is not None
    assert (problem.location.line, words in problem.message) == (line, True)


def test_the_nearest_file_counts_up_to_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repository" / "queues"
    inner.mkdir(parents=True)
    (tmp_path / FILE).write_text("")
    assert found_above(inner) == tmp_path / FILE
    (tmp_path / "repository" / ".git").mkdir()
    assert found_above(inner) is None
    (tmp_path / "repository" / FILE).write_text("")
    assert found_above(inner) == tmp_path / "repository" / FILE


def test_a_comment_that_names_no_rule() -> None:
    result = lint([Source(QUEUE.replace("Hold", "Hold # kueuelab: ignore KL51O, KL510"), "a.yaml")])
    assert result.findings == ()
    (unknown,) = result.unknown
    assert str(unknown.location) == "a.yaml:5"
    assert unknown.message == "there is no rule named 'KL51O'"
