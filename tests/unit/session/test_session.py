"""The session of the studio: what is open, forks with names, comparisons, patches."""

from __future__ import annotations

from pathlib import Path

import pytest

import kueuelab as kl
from kueuelab.errors import InputError, KueueLabError, UnknownObjectError
from kueuelab.session.session import Session
from kueuelab.whatif.report import Suggestion

WORKLOAD = "team-b/job-b-cpu-2-71f14"


@pytest.fixture(scope="module")
def opened() -> Session:
    return Session().opened("two-teams")


def suggestion(session: Session, kind: str) -> Suggestion:
    report = session["two-teams"].run.what_would_admit(WORKLOAD)
    return next(each for each in report if each.kind == kind)


@pytest.fixture(scope="module")
def tried(opened: Session) -> Session:
    return opened.tried("two-teams", suggestion(opened, "quota"))


def test_a_suggestion_that_is_tried_is_a_fork_with_a_name(opened: Session, tried: Session) -> None:
    assert opened.names == ("two-teams",), "a session does not change"
    assert tried.names == ("two-teams", "two-teams: quota")
    fork = tried["two-teams: quota"]
    assert (fork.parent, tried.depth(fork.name)) == ("two-teams", 1)
    assert WORKLOAD in [row.about.workload for row in kl.pending(opened["two-teams"].run)]
    assert WORKLOAD not in [row.about.workload for row in kl.pending(fork.run, levers=False)]
    assert WORKLOAD in tried.diff("two-teams", fork.name).as_text()


def test_the_patch_has_the_changed_object_and_nothing_that_a_server_sets(tried: Session) -> None:
    text = tried.patch("two-teams", "two-teams: quota").as_text()
    assert text.count("kind:") == 1
    assert "nominalQuota: '10'" in text or "nominalQuota: 10" in text or 'Quota: "10"' in text
    for absent in ("status", "uid", "creationTimestamp", "generation", "last-applied", "#"):
        assert absent not in text


def test_a_cluster_with_the_patch_applied_admits_the_workload(
    opened: Session, tried: Session
) -> None:
    text = tried.patch("two-teams", "two-teams: quota").as_text()
    run = opened["two-teams"].run.fork().apply(text).run()
    assert WORKLOAD not in [row.about.workload for row in kl.pending(run, levers=False)]


def test_what_no_manifest_does_is_named_in_the_patch(opened: Session) -> None:
    session = opened.tried("two-teams", suggestion(opened, "finish"))
    text = session.patch("two-teams", session.names[-1]).as_text()
    assert "# Not in this patch: finish team-a/job-a-gpu-1-5bad9" in text
    assert all(line.startswith("#") for line in text.splitlines())


def test_a_patch_does_not_replace_a_file(tried: Session, tmp_path: Path) -> None:
    patch = tried.patch("two-teams", "two-teams: quota")
    file = tmp_path / "patch.yaml"
    patch.save(file)
    assert file.read_text("utf-8") == patch.as_text()
    file.write_text("mine", "utf-8")
    with pytest.raises(KueueLabError, match="exists already"):
        patch.save(file)
    assert file.read_text("utf-8") == "mine"


def test_an_object_that_is_removed_is_named_with_its_command(opened: Session) -> None:
    fork = opened["two-teams"].run.fork().remove("local-queue/team-b/main")
    session = opened.kept("two-teams", "without", fork, fork.run())
    text = session.patch("two-teams", "without").as_text()
    assert "kubectl delete localqueue main --namespace team-b" in text


def test_names_differ_and_can_be_changed(opened: Session, tried: Session) -> None:
    twice = tried.tried("two-teams", suggestion(opened, "quota"))
    assert twice.names[-1] == "two-teams: quota 2"
    named = twice.renamed("two-teams", "before")
    assert named.names == ("before", "two-teams: quota", "two-teams: quota 2")
    assert named["two-teams: quota"].parent == "before"
    for new in ("", " ", "before"):
        with pytest.raises(KueueLabError):
            named.renamed("two-teams: quota", new)
    with pytest.raises(UnknownObjectError):
        named["two-teams"]


def test_a_file_is_opened_by_its_path_and_by_its_content(tmp_path: Path) -> None:
    text = "{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}"
    file = tmp_path / "mine.yaml"
    file.write_text(text, "utf-8")
    assert Session().opened(file).uploaded("sent.yaml", text).names == ("mine", "sent")


@pytest.mark.parametrize("source", ["", "no-such-scenario"])
def test_what_cannot_be_opened_is_refused_with_a_sentence(source: str) -> None:
    with pytest.raises(InputError) as refused:
        Session().opened(source)
    assert "kueuelab" not in str(refused.value)


def test_a_scenario_of_several_clusters_is_opened_beside_the_runs_of_one(opened: Session) -> None:
    session = opened.opened("rounds-step-by-step").opened("rounds-step-by-step")
    assert session.names == opened.names
    found = [each.name for each in session.cluster_sets]
    assert found == ["rounds-step-by-step", "rounds-step-by-step 2"]
    assert session.cluster_set(found[1]).run.trace.clusters[0] == "manager"


def test_a_fork_that_is_tried_is_kept_or_taken_back_with_what_was_forked_from_it(
    tried: Session,
) -> None:
    name = "two-teams: quota"
    assert not tried[name].kept
    assert tried.keeping(name)[name].kept
    fork = tried[name].run.fork()
    session = tried.kept(name, "deeper", fork, fork.run())
    assert session.names == ("two-teams", name, "deeper")
    assert session.reverted(name).names == ("two-teams",)
    assert session.reverted("deeper").names == ("two-teams", name)
    with pytest.raises(KueueLabError, match="nothing to take back"):
        session.reverted("two-teams")


def test_an_edit_that_ends_a_loop_is_tried_from_the_start() -> None:
    session = Session().opened("loop-1-the-victim-returns")
    (name,) = session.names
    edit = session[name].run.what_would_break_the_loop()[0]
    session = session.edited(name, edit)
    assert session[session.names[-1]].run.loop_report is None


def test_an_upload_that_is_no_text_or_wrong_is_refused_with_its_name() -> None:
    with pytest.raises(InputError, match=r"run\.gz"):
        Session().uploaded("run.gz", "\x1f\ufffd\b\0")
    with pytest.raises(InputError, match=r"wrong\.yaml"):
        Session().uploaded("wrong.yaml", "kind: [")
