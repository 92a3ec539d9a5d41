"""What a shell completes, asked as a shell asks."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.cli.kubectl import kubectl

KUBECONFIG = """\
apiVersion: v1
kind: Config
contexts:
- {name: kind-lab, context: {cluster: c, user: u}}
- {name: prod, context: {cluster: c, user: u}}
clusters: [{name: c, cluster: {server: "https://127.0.0.1:1"}}]
users: [{name: u, user: {}}]
"""


def completed(line: str, name: str = "kueuelab") -> list[str]:
    """Return what bash is offered for a line that ends where the cursor is."""
    words = f"{name} {line}"
    env = {
        f"_{name.upper().replace('-', '_')}_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(len(words.split(" ")) - 1),
    }
    shell = app if name == "kueuelab" else kubectl
    result = CliRunner().invoke(shell, [], prog_name=name, env=env)
    assert result.stderr == ""
    return result.stdout.split()


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("command", ["run", "explain", "pending", "step", "diff", "live run"])
def test_scenarios_and_dumps(command: str) -> None:
    found = [name for name in scenarios.names() if name.startswith("reclaim-")]
    assert completed(f"{command} reclaim-") == found
    assert completed(f"{command} two-") == ["two-teams", "two-teams-later"]
    assert completed(f"{command} lost-w") == ["lost-worker"]


def test_files_and_folders(in_a_folder: Path) -> None:
    (in_a_folder / "reclaim-mine.yaml").touch()
    (in_a_folder / "reclaim.txt").touch()
    (in_a_folder / "reclaim").mkdir()
    (in_a_folder / "reclaim/inner.json").touch()
    packaged = [name for name in scenarios.names() if name.startswith("reclaim")]
    assert completed("run reclaim") == sorted([*packaged, "reclaim-mine.yaml", "reclaim/"])
    assert completed("run reclaim/") == ["reclaim/inner.json"]
    assert completed("run nowhere/") == []


def test_workloads_of_the_file_that_is_named_before(in_a_folder: Path) -> None:
    assert completed("explain reclaim-1-take-back job-") == ["job-0", "job-1", "job-2"]
    assert completed("explain two-teams team-b/job-b-g") == ["team-b/job-b-gpu-1-5202f"]
    assert completed("step reclaim-1-take-back --workload default/job-1") == ["default/job-1"]
    scenarios.load("reclaim-1-take-back").run().save(in_a_folder / "run.json")
    assert completed("explain run.json job-1") == ["job-1"]


@pytest.mark.parametrize("text", ["", "[", "apiVersion: kueuelab/v1\nkind: Scenario\n", "\0"])
def test_a_file_that_cannot_be_read_offers_nothing(in_a_folder: Path, text: str) -> None:
    (in_a_folder / "broken.yaml").write_text(text)
    assert completed("explain broken.yaml j") == []
    assert completed("explain nowhere j") == []


def test_exercises() -> None:
    assert completed("exercise start take-") == ["take-back"]
    assert completed("exercise check nothing-") == []


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("kueuelab", "pending --context "),
        ("kueuelab", "live why job --context "),
        ("kueuelab", "live status --manager "),
        ("kubectl-kueuelab", "pending --context "),
    ],
)
def test_contexts(in_a_folder: Path, monkeypatch: pytest.MonkeyPatch, name: str, line: str) -> None:
    (in_a_folder / "config").write_text(KUBECONFIG)
    monkeypatch.setenv("KUBECONFIG", str(in_a_folder / "config"))
    assert completed(line, name) == ["kind-lab", "prod"]
    assert completed(f"{line}k", name) == ["kind-lab"]
    monkeypatch.setenv("KUBECONFIG", str(in_a_folder / "none"))
    assert completed(line, name) == []
