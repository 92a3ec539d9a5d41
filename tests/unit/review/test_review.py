"""What a change of quotas would have done, on the configuration repository of the tests."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app
from kueuelab.errors import InputError
from kueuelab.messages import english
from kueuelab.model.times import SECOND
from kueuelab.review import comment, read_history, review
from kueuelab.review.recorded_workloads import recorded_submissions

REPOSITORY = Path(__file__).parents[2] / "config_repository"
BEFORE = REPOSITORY / "kueue"
PAGE = (Path(__file__).parents[3] / "docs" / "review.md").read_text("utf-8")
(COMMENT,) = re.findall(r"```markdown\n(.*?)```", PAGE, re.DOTALL)


def with_quota(folder: Path, quota: str, more: str = "") -> Path:
    """Return the configuration with another quota of team-a."""
    after = folder / f"after-{quota}"
    shutil.copytree(BEFORE, after)
    file = after / "team-a.yaml"
    text = file.read_text("utf-8")
    file.write_text(text.replace("nominalQuota: 8", f"nominalQuota: {quota}") + more, "utf-8")
    return after


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """A saved run of the scenario in the repository, in which each job runs for 20 s."""
    for each in BEFORE.iterdir():
        target = tmp_path / "kueue" / each.name
        target.parent.mkdir(exist_ok=True)
        shutil.copy(each, target)
    text = (REPOSITORY / "reclaim.scenario.yaml").read_text("utf-8")
    scenario = tmp_path / "week.scenario.yaml"
    scenario.write_text(re.sub(r"gpu: 8\}\}\}", "gpu: 8}}, runs: 20s}", text), "utf-8")
    file = tmp_path / "last-week.json.gz"
    kl.load(scenario).run().save(file)
    return file


def test_the_comment_names_the_workloads_that_go_another_way(record: Path, tmp_path: Path) -> None:
    found = review(BEFORE, with_quota(tmp_path, "4"), read_history(record))
    assert comment(found, english()) == COMMENT
    assert found.is_worse


def test_more_quota_ends_a_preemption(record: Path, tmp_path: Path) -> None:
    found = review(BEFORE, with_quota(tmp_path, "16"), read_history(record))
    (only,) = found.workloads
    assert (only.workload, only.kinds, only.before.preemptions) == ("default/b-2", ("sooner",), 1)
    assert (only.after.preemptions, only.after.waited) == (0, 0)
    assert not found.is_worse


def test_no_change_is_none(record: Path) -> None:
    found = review(BEFORE, BEFORE, read_history(record))
    assert (found.workloads, found.quotas, found.findings, found.count) == ((), (), (), 3)
    assert "no workload would have gone another way" in comment(found, english())


def test_workloads_that_start_no_more_and_those_that_never_started(tmp_path: Path) -> None:
    history = read_history(REPOSITORY / "reclaim.scenario.yaml")
    less = review(BEFORE, with_quota(tmp_path, "0"), history)
    assert [each.workload for each in less.of_kind("waits")] == ["default/a-1", "default/b-2"]
    assert less.of_kind("waits")[0].after.started is None
    assert less.runs_unknown == 3
    text = comment(less, english())
    assert "never starts |" in text
    assert "The run time of 3 workloads is not known: they never end here." in text
    more = review(tmp_path / "after-0", BEFORE, history)
    assert [each.workload for each in more.of_kind("sooner")] == ["default/a-1", "default/b-2"]
    assert [each.workload for each in more.of_kind("preempted")] == ["default/b-2"]


def test_what_lint_finds_new_is_in_the_comment(record: Path, tmp_path: Path) -> None:
    queue = """---
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: new, namespace: default}
spec: {clusterQueue: team-x}
"""
    found = review(BEFORE, with_quota(tmp_path, "8", queue), read_history(record))
    assert [each.rule.name for each in found.findings] == ["missing-cluster-queue"]
    assert "- error KL502 (missing-cluster-queue) `LocalQueue/default/new`" in comment(
        found, english()
    )
    assert found.is_worse


def test_a_table_of_jobs_is_a_record(tmp_path: Path) -> None:
    file = tmp_path / "jobs.csv"
    file.write_text("submitted,runs,queue,gpu\n0,60,team-a-jobs,8\n1,60,team-a-jobs,8\n", "utf-8")
    found = review(BEFORE, with_quota(tmp_path, "4"), read_history(file))
    assert (found.count, found.runs_unknown) == (2, 0)
    assert [each.before.started for each in found.workloads] == [0]
    assert [each.after.started for each in found.workloads] == [59 * SECOND]


def test_a_record_says_what_workloads_asked_for() -> None:
    run = kl.load(REPOSITORY / "no-starvation.scenario.yaml").run()
    submits, left_out = recorded_submissions(run.trace)
    assert left_out == 0
    found = {each.workloads[0].key: each for each in submits}
    # b-1 never starts in this record: its amount is that of what was considered.
    for name in ("a-1", "b-1", "b-2"):
        (pod_set,) = found[f"default/{name}"].workloads[0].pod_sets
        (container,) = pod_set.template.spec.containers
        requests = {key: str(value) for key, value in container.resources.requests.items()}
        assert requests == {"nvidia.com/gpu": "8"}
    assert [each.at / SECOND for each in submits] == [0, 1, 2]
    assert found["default/b-2"].workloads[0].priority == 1000


def test_what_is_no_record_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no workloads"):
        read_history(BEFORE / "team-a.yaml")


def test_the_command(record: Path, tmp_path: Path) -> None:
    after = with_quota(tmp_path, "4")
    call = ["review", "--before", str(BEFORE), "--after", str(after), "--run", str(record)]
    runner = CliRunner()
    found = runner.invoke(app, call)
    assert (found.exit_code, found.stdout) == (0, COMMENT)
    assert runner.invoke(app, [*call, "--fail-if-worse"]).exit_code == 1
    data = json.loads(runner.invoke(app, [*call, "--json"]).stdout)
    assert data["workloads"][0]["after"]["startedSeconds"] == 30.0
    assert data["quotas"][0]["before"] == 8
    wrong = runner.invoke(app, [*call, "--runs", "soon"])
    assert (wrong.exit_code, "soon is no run time" in wrong.output) == (2, True)


def test_names_cannot_write_markdown() -> None:
    from kueuelab.review.comment import _code, _escaped

    assert _code("a`|b") == "`ab`"
    assert _escaped("@me <b> [x](y)") == "@\u200bme \\<b\\> \\[x\\](y)"
