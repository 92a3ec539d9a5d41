"""A file that was received leads to no code, to no other file, and to no request.

The isolation of answers that are code has its own tests, and so have damaged files, packed ones,
devices and pipes, text that would steer a terminal, and markup in views.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest

from kueuelab import workshop
from kueuelab.errors import InputError
from kueuelab.files.languages import load_catalog
from kueuelab.manifests import load_scenario
from kueuelab.workshop.answer import Answer
from kueuelab.workshop.class_report import class_report
from kueuelab.workshop.progress import Progress

NAME = "within-a-team"
QUEUE = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: LocalQueue, metadata: {name: q},"
SCENARIO = "{apiVersion: kueuelab/v1, kind: Scenario, metadata: {name: s}, spec: {manifests: %s}}"

posix = pytest.mark.skipif(os.name != "posix", reason="links are those of POSIX")


@pytest.mark.parametrize("ending", ["", "\n"])
def test_an_answer_of_one_line_is_no_path(tmp_path: Path, ending: str) -> None:
    """Neither one that is there, which would be read, nor one that is not."""
    file = tmp_path / "secret.yaml"
    file.write_text(f"{QUEUE} spec: {{clusterQueue: secret}}}}", "utf-8")
    with pytest.raises(InputError) as caught:
        _ = Answer("", f"{file}{ending}").objects
    assert "secret" not in str(caught.value).replace(str(file), "")
    assert "LocalQueue" not in str(caught.value)


@posix
def test_a_link_that_was_handed_in_is_not_followed(tmp_path: Path) -> None:
    """It would give the learner the answers of another one, or any file of this machine."""
    right = workshop.exercise(NAME).manifests.replace(": Never", ": LowerPriority")
    Progress(tmp_path / "ada.json").checked(NAME, 7, 7, right)
    (tmp_path / "eve.json").symlink_to(tmp_path / "ada.json")
    ada, eve = class_report(tmp_path)
    assert ada.solved == 1
    assert (eve.learner, eve.results) == ("eve", ())
    assert "link" in eve.problem


@posix
def test_a_scenario_reads_no_file_through_a_link(tmp_path: Path) -> None:
    outside = tmp_path / "home"
    outside.mkdir()
    (outside / "queue.yaml").write_text(f"{QUEUE} spec: {{clusterQueue: a}}}}", "utf-8")
    received = tmp_path / "received"
    (received / "queues").mkdir(parents=True)
    (received / "queues" / "queue.yaml").symlink_to(outside / "queue.yaml")
    for named in ("queues", "queues/queue.yaml", "../home", str(outside)):
        with pytest.raises(InputError, match="outside"):
            load_scenario(SCENARIO % f"[{named}]", base=received)
    (received / "queues" / "queue.yaml").unlink()
    (received / "queues" / "queue.yaml").symlink_to("../other.yaml")
    (received / "other.yaml").write_text(f"{QUEUE} spec: {{clusterQueue: a}}}}", "utf-8")
    spec = load_scenario(SCENARIO % "[queues]", base=received)
    assert [queue.key for queue in spec.manifests.local_queues] == ["default/q"]


def test_an_uploaded_scenario_names_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder in which the studio was started is not beside it."""
    pytest.importorskip("ipywidgets")
    from kueuelab.session.session import Session

    (tmp_path / "own.yaml").write_text(f"{QUEUE} spec: {{clusterQueue: own}}}}", "utf-8")
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InputError, match=r"own\.yaml"):
        Session().uploaded("received.yaml", SCENARIO % "[own.yaml]")


@pytest.mark.parametrize("code", ["../../x", '"><script>', "en/../x", "a" * 9, "-"])
def test_a_language_is_a_code(tmp_path: Path, code: str) -> None:
    """It becomes the name of a file and an attribute in pages."""
    file = tmp_path / "language.yaml"
    file.write_text(f"language: '{code}'\nmessages: {{files.not-utf8: x}}\n", "utf-8")
    with pytest.raises(InputError, match="not the code of a language"):
        load_catalog(file)


@pytest.mark.parametrize("code", ["ja", "zh-Hans", "en-XA", "pt_BR"])
def test_codes_of_languages(tmp_path: Path, code: str) -> None:
    file = tmp_path / "language.yaml"
    file.write_text(f"language: {code}\nmessages: {{files.not-utf8: x}}\n", "utf-8")
    assert load_catalog(file).language == code


def test_the_description_of_a_scenario_is_text(tmp_path: Path) -> None:
    ipywidgets = pytest.importorskip("ipywidgets")
    import kueuelab as kl
    from kueuelab.teaching.viewing import choose

    bad = "<img src=x onerror=alert(1)>"
    file = tmp_path / "s.yaml"
    file.write_text(
        "apiVersion: kueuelab/v1\nkind: Scenario\n"
        f"metadata: {{name: s, description: '{bad}'}}\nspec:\n"
        "  timeline: [{at: 0s, submit: {job: a, queue: q, requests: {cpu: 1}}}]\n",
        "utf-8",
    )
    run = kl.load(file).run()
    assert run.scenario.spec.description == bad

    def html_in(widget: Any) -> list[str]:
        found = [widget.value] if isinstance(widget, ipywidgets.HTML) else []
        for child in getattr(widget, "children", ()):
            found += html_in(child)
        return found

    shown = html_in(choose({"s": run}))
    assert any("&lt;img" in each for each in shown)
    assert not any("<img" in each for each in shown)


@posix
def test_a_link_to_the_studio_opens_only_what_is_served(tmp_path: Path) -> None:
    from kueuelab.session.opening import require_openable

    served = tmp_path / "served"
    served.mkdir()
    (served / "a.yaml").write_text("", "utf-8")
    outside = tmp_path / "secret.yaml"
    outside.write_text("", "utf-8")
    (served / "link.yaml").symlink_to(outside)
    for file in ("a.yaml", str(served / "a.yaml"), "within-1-all-in-one-queue", "missing.yaml"):
        require_openable(file, served, ())
    for file in ("../secret.yaml", str(outside), "link.yaml", "~/x", "a\0b", "/dev/stdin"):
        with pytest.raises(InputError, match="not in the folder"):
            require_openable(file, served, ())
    require_openable(str(outside), served, (str(outside),))


def test_the_title_of_a_scenario_is_text_in_an_exported_notebook() -> None:
    """A picture in Markdown would be fetched when the notebook is opened."""
    import json

    from kueuelab.messages import english
    from kueuelab.session.building.draft import Draft
    from kueuelab.session.building.export import notebook

    title = "a ![x](http://127.0.0.1/x.png) <img src=http://127.0.0.1/y.png> http://127.0.0.1/z"
    text = (
        "apiVersion: kueuelab/v1\nkind: Scenario\n"
        f"metadata:\n  name: s\n  title: '{title}'\nspec: {{}}\n"
    )
    cell = "".join(json.loads(notebook(Draft(text, "s.yaml"), english()))["cells"][0]["source"])
    line = cell.splitlines()[0]
    assert line.replace("\\", "") == f"# {title}"
    assert re.search(r"(?<!\\)[!<>\[\](:]", line) is None


@pytest.mark.parametrize("line", ["[" * 100_000, "[]", "1", '{"resource": "jobs"}', "{"])
def test_a_recorded_run_that_is_none_is_named(tmp_path: Path, line: str) -> None:
    pytest.importorskip("lightkube")
    import gzip

    from kueuelab.live.errors import LiveError
    from kueuelab.live.recordings import is_recording, played_from

    (tmp_path / "scenario.yaml").write_text(SCENARIO % "[]", "utf-8")
    (tmp_path / "stream.jsonl.gz").write_bytes(gzip.compress(f"{line}\n".encode()))
    assert is_recording(tmp_path)
    with pytest.raises(LiveError, match="cannot be read"):
        played_from(tmp_path)


def test_a_kubeconfig_runs_only_programs_that_are_known() -> None:
    """Its ``exec`` names a program: one that was received would name any."""
    pytest.importorskip("lightkube")
    from lightkube.config.models import NameValue, UserExec

    from kueuelab.live.credential_plugins import check_plugin
    from kueuelab.live.errors import LiveError

    version = "client.authentication.k8s.io/v1"
    check_plugin(UserExec(version, "aws", [NameValue("AWS_PROFILE", "lab")], ["eks"]), {})
    for plugin in (
        UserExec(version, "./aws"),
        UserExec(version, "/tmp/aws"),
        UserExec(version, "sh", args=["-c", "id"]),
        UserExec(version, "aws", [NameValue("PATH", "/tmp")]),
        UserExec(version, "aws", [NameValue("AWS_CONFIG_FILE", "/tmp/config")]),
        UserExec(version, "kubelogin", [NameValue("LD_PRELOAD", "/tmp/x.so")]),
    ):
        with pytest.raises(LiveError, match="KUEUELAB_CREDENTIAL_PLUGINS") as caught:
            check_plugin(plugin, {})
        assert plugin.command in str(caught.value)
        allowed = os.pathsep.join(("other", plugin.command))
        check_plugin(plugin, {"KUEUELAB_CREDENTIAL_PLUGINS": allowed})


def test_the_plugin_of_a_kubeconfig_does_not_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("lightkube")
    from kueuelab.live.access import open_cluster
    from kueuelab.live.errors import LiveError

    mark = tmp_path / "mark"
    config = tmp_path / "config"
    config.write_text(
        f"""
apiVersion: v1
kind: Config
current-context: c
clusters: [{{name: c, cluster: {{server: "http://127.0.0.1:9"}}}}]
contexts: [{{name: c, context: {{cluster: c, user: u}}}}]
users:
- name: u
  user:
    exec: {{apiVersion: client.authentication.k8s.io/v1, command: touch, args: ["{mark}"]}}
""",
        "utf-8",
    )
    monkeypatch.setenv("KUBECONFIG", str(config))
    with pytest.raises(LiveError, match="would run a program"):
        open_cluster()
    assert not mark.exists()


@pytest.mark.parametrize("name", ["..", ".", "a/b", "../secrets/x"])
def test_a_name_leads_to_no_other_request(name: str) -> None:
    pytest.importorskip("lightkube")
    from kueuelab.live.errors import LiveError
    from kueuelab.live.resources import WORKLOADS

    with pytest.raises(LiveError, match="name of an object"):
        WORKLOADS.path("team-a", name)
    with pytest.raises(LiveError, match="name of an object"):
        WORKLOADS.path(name, "job")
    assert WORKLOADS.path("team-a", "a?b#c%").endswith("/workloads/a%3Fb%23c%25")
