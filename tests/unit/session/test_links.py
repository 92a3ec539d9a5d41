"""Links: what was opened and how it was changed, in one address; settings that decide."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import pytest

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError
from kueuelab.session.handler import Handler
from kueuelab.session.links import LONGEST_LINK, recipe_of

WORKLOAD = "team-b/job-b-cpu-2-71f14"


def packed(data: Any) -> str:
    """Return a link of anything."""
    text = data if isinstance(data, str) else json.dumps(data)
    return base64.urlsafe_b64encode(zlib.compress(text.encode(), 9)).decode().rstrip("=")


def as_text(name: str) -> str:
    """Return a packaged scenario or dump as the text that someone could paste."""
    if name not in scenarios.dumps():
        return scenarios.text(name)
    files = sorted(Path(scenarios.dump(name)).rglob("*.yaml"))
    return "---\n".join(file.read_text("utf-8") for file in files)


@pytest.mark.parametrize("name", [*scenarios.dumps(), "hierarchy-1-two-departments", "lost-worker"])
def test_what_was_pasted_travels_in_a_link(name: str) -> None:
    one, other = Handler(), Handler()
    one.answer({"do": "open", "name": "mine.yaml", "text": as_text(name)})
    found = one.answer({"do": "link"})
    assert found["source"] == ""
    assert len(found["link"]) <= LONGEST_LINK
    opened = other.answer({"do": "openLink", "link": found["link"]})
    assert opened["branches"] == one.answer({"do": "hello"})["opened"]["branches"]
    command = {"do": "overview"}
    assert one.answer(command) == other.answer(command)


def test_branches_of_several_clusters_travel_too() -> None:
    one, other = Handler(), Handler()
    one.answer({"do": "open", "source": "lost-worker"})
    one.answer({"do": "fault", "fault": "disconnect", "step": 80, "cluster": "w1"})
    name = one.history.present.last
    objects = one.answer({"do": "objects", "branch": f"{name}/w2"})["objects"]
    queue = next(each for each in objects if each.startswith("ClusterQueue/"))
    values = {"spec.stopPolicy": "Hold"}
    one.answer({"do": "edit", "branch": f"{name}/w2", "object": queue, "values": values})
    link = one.answer({"do": "link"})["link"]
    other.answer({"do": "openLink", "link": link})
    assert (
        one.answer({"do": "hello"})["opened"]["branches"]
        == (other.answer({"do": "hello"})["opened"]["branches"])
    )
    command = {"do": "clusters"}
    assert one.answer(command) == other.answer(command)
    assert len(link) <= LONGEST_LINK


def test_every_packaged_scenario_fits() -> None:
    for name in (*scenarios.names(), *scenarios.names("multikueue")):
        link = packed({"open": {"name": f"{name}.yaml", "text": as_text(name)}})
        assert len(link) <= LONGEST_LINK
        assert recipe_of(link).open.text == as_text(name)


def test_edits_and_levers_travel_too_and_are_one_change() -> None:
    one, other = Handler(), Handler()
    one.answer({"do": "open", "source": "two-teams"})
    assert one.answer({"do": "link"}) == {"source": "two-teams", "link": ""}
    one.answer({"do": "try", "workload": WORKLOAD, "lever": 0})
    values = {"spec.stopPolicy": "Hold"}
    branch = one.answer({"do": "edit", "object": "ClusterQueue/cq-a", "values": values})["branch"]
    link = one.answer({"do": "link", "branch": branch})["link"]
    other.answer({"do": "open", "source": "reclaim-1-take-back"})
    opened = other.answer({"do": "openLink", "link": link})
    assert opened["branch"] == branch
    assert len(opened["branches"]) == 4
    assert one.answer({"do": "workloads"})["rows"] == other.answer({"do": "workloads"})["rows"]
    assert len(other.answer({"do": "undo"})["branches"]) == 1


def test_a_draft_that_was_run_travels() -> None:
    one, other = Handler(), Handler()
    one.answer({"do": "buildBegin", "shape": "teams-that-share", "name": "mine"})
    one.answer({"do": "buildJob"})
    one.answer({"do": "buildRun"})
    link = one.answer({"do": "link"})["link"]
    assert other.answer({"do": "openLink", "link": link})["branch"] == "mine"


def test_what_is_too_long_says_so_and_why(tmp_path: Path) -> None:
    handler = Handler()
    jobs = "\n".join(
        f"  - {{at: {at}s, submit: {{job: j{at * 7919 * 104729 % 10**9:x}-{at * 7919 % 99991}, "
        f"queue: jobs, requests: {{cpu: {at * 31 % 97}m}}}}}}"
        for at in range(1, 700)
    )
    text = (
        "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: large}\n"
        f"spec:\n  timeline:\n{jobs}\n"
    )
    handler.answer({"do": "open", "name": "large.yaml", "text": text})
    with pytest.raises(InputError, match="would have") as error:
        handler.answer({"do": "link"})
    assert "Send the file" in str(error.value)


def test_a_file_that_names_others_does_not_travel(tmp_path: Path) -> None:
    (tmp_path / "queues.yaml").write_text(as_text("reclaim-1-take-back"), "utf-8")
    handler = Handler(require_openable=lambda _: None)
    handler.answer({"do": "open", "source": str(tmp_path / "queues.yaml")})
    assert handler.answer({"do": "link"})["link"]
    manifest = "{apiVersion: kueue.x-k8s.io/v1beta2, kind: ResourceFlavor, metadata: {name: a}}"
    (tmp_path / "flavor.yaml").write_text(manifest, "utf-8")
    (tmp_path / "whole.yaml").write_text(
        "{apiVersion: kueuelab/v1, kind: Scenario, metadata: {name: w},"
        " spec: {manifests: [flavor.yaml]}}",
        "utf-8",
    )
    handler.answer({"do": "open", "source": str(tmp_path / "whole.yaml")})
    with pytest.raises(InputError, match="names other files"):
        handler.answer({"do": "link"})


@pytest.mark.parametrize(
    "link",
    [
        "",
        "?",
        "AAAA",
        "A" * (LONGEST_LINK + 1),
        packed("{"),
        packed([]),
        packed({"open": []}),
        packed({"open": {"source": "two-teams"}, "more": 1}),
        packed({"open": {"source": "two-teams"}, "release": 3}),
        packed({"open": {"source": "two-teams"}, "release": "v0.1"}),
        packed({"open": {"source": "/etc/hosts"}}),
        packed({"open": {"source": "two-teams"}, "then": [{"do": "undo"}]}),
        packed({"open": {"source": "two-teams"}, "then": [{"do": "buildSave", "file": "a"}]}),
        packed({"open": {"source": "two-teams"}, "then": [{"do": "edit", "object": "a"}] * 21}),
        packed("[" * 1000 + "]" * 1000),
        packed({"open": {"text": "a" * (2**20 + 1)}}),
        packed({"open": {"name": "a.yaml", "text": "kind: ["}}),
        packed({"open": {"source": "two-teams"}, "then": [{"do": "edit", "object": "a/b"}]}),
        packed(
            {"open": {"source": "two-teams"}, "then": [{"do": "fault", "fault": "a", "step": 1}]}
        ),
        packed(
            {"open": {"source": "lost-worker"}, "then": [{"do": "fault", "fault": "a", "step": 1}]}
        ),
    ],
    ids=lambda link: str(len(link)),
)
def test_a_strangers_link_is_refused_and_changes_nothing(link: str) -> None:
    # The engine may read every file; a link may not.
    handler = Handler(require_openable=lambda _: None)
    handler.answer({"do": "open", "source": "reclaim-1-take-back"})
    before = handler.history
    with pytest.raises(KueueLabError):
        handler.answer({"do": "openLink", "link": link})
    assert handler.history is before


def test_the_release_decides_what_is_opened_and_travels() -> None:
    handler = Handler()

    def release(**command: Any) -> str:
        opened = handler.answer({"do": "open", **command})
        infos = {each["name"]: each for each in opened["branches"]}
        return str(infos[opened["branch"]]["release"])

    assert release(source="reclaim-1-take-back") == "v0.19.2"
    found = handler.answer({"do": "settings", "release": "v0.18"})
    assert (found["release"], found["kueueVersion"]) == ("v0.18.6", "v0.19.2")
    assert "v0.18.6" in found["releases"]
    assert release(source="reclaim-1-take-back") == "v0.18.6"
    link = handler.answer({"do": "link"})["link"]
    handler.answer({"do": "settings", "release": ""})
    assert release(source="reclaim-1-take-back") == "v0.19.2"
    opened = handler.answer({"do": "openLink", "link": link})
    assert opened["branches"][-1]["release"] == "v0.18.6"
    assert handler.answer({"do": "hello"})["release"] == ""
    handler.answer({"do": "settings", "release": "v0.20-dev"})
    handler.answer({"do": "buildBegin", "shape": "one-team"})
    run = handler.answer({"do": "buildRun"})
    assert run["opened"]["branches"][-1]["release"] == "v0.20-dev"
    with pytest.raises(KueueLabError):
        handler.answer({"do": "settings", "release": "v9"})


def test_the_language_is_that_of_the_next_answer() -> None:
    handler = Handler()
    handler.answer({"do": "open", "source": "two-teams"})
    assert handler.answer({"do": "pending"})["sentence"].startswith("3 workloads")
    found = handler.answer({"do": "settings", "language": "en-XA"})
    assert found["language"] == "en-XA"
    assert found["words"] != Handler().answer({"do": "hello"})["words"]
    assert handler.answer({"do": "pending"})["sentence"].startswith("[!!")


def test_only_the_state_of_a_cluster_has_a_time() -> None:
    handler = Handler()
    times = [
        handler.answer({"do": "open", "source": source})["branches"][-1]["at"]
        for source in ("two-teams", "reclaim-1-take-back")
    ]
    assert times == [1795204682, None]
