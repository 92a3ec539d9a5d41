"""Whatever is given to a command: one clear line and exit code 2, no hang, no traceback."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import kueuelab as kl
from kueuelab import scenarios
from kueuelab.cli import app
from kueuelab.errors import InputError, KueueLabError

SCENARIO = "reclaim-1-take-back"
QUEUE = """\
apiVersion: kueue.x-k8s.io/v1beta2
kind: LocalQueue
metadata: {name: team-a, namespace: default}
spec: {clusterQueue: research}
"""
runner = CliRunner()


def refused(*arguments: str | Path) -> str:
    """Run a command that can't use its input; return the one line that it says."""
    result = runner.invoke(app, [str(each) for each in arguments])
    assert isinstance(result.exception, SystemExit), result.exception
    assert result.exit_code == 2, result.output
    assert "Traceback" not in result.output
    assert result.stdout == ""
    (line,) = result.stderr.splitlines()
    return line


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def run_file(tmp_path: Path) -> Path:
    file = tmp_path / "run.json"
    scenarios.load(SCENARIO).run().save(file)
    return file


def scenario(*manifests: str, at: str = "") -> str:
    timeline = f"  timeline: [{{at: 1s, apply: {json.dumps(at)}}}]\n" if at else ""
    return (
        "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: a}\nspec:\n"
        f"  manifests: {json.dumps(list(manifests))}\n{timeline}"
    )


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("until", ["inf", "1e300", "1e10"])
@pytest.mark.parametrize("name", [SCENARIO, "lost-worker"])
def test_a_run_goes_on_for_a_number_of_seconds(name: str, until: str) -> None:
    assert "is not a number of seconds from 0 to" in refused("run", name, "--until", until)
    for value in (float(until), float("nan"), -1.0):
        with pytest.raises(InputError, match="not a number of seconds"):
            kl.load(scenarios.text(name)).run(until=value)


@pytest.mark.parametrize("option", ["--timeout", "--speed"])
@pytest.mark.parametrize("value", ["inf", "1e400"])
def test_seconds_on_a_cluster_are_finite(option: str, value: str) -> None:
    result = runner.invoke(app, ["live", "run", SCENARIO, "--dry-run", option, value])
    assert result.exit_code == 2
    assert "is not finite" in result.stderr


# --- what stands at a path ----------------------------------------------------------------------

COMMANDS = (
    ("run", "X"),
    ("explain", "X", "job-1"),
    ("step", "X"),
    ("diff", "X", SCENARIO),
    ("diff", SCENARIO, "X"),
    ("validate", "X"),
    ("conformance", "X"),
    ("live", "run", "X", "--dry-run"),
    ("live", "verify", "X"),
    ("live", "record", "X", "-o", "out.json"),
)


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_pipes_and_devices_are_refused_at_once(command: tuple[str, ...], tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for name, kind in (("pipe", "a pipe"), ("/dev/zero", "a device")):
        arguments = [name if each == "X" else each for each in command]
        if command[0] == "conformance":
            result = runner.invoke(app, arguments)
            assert (result.exit_code, f"this is {kind}" in result.stderr) == (2, True)
        else:
            assert f"{name}: this is {kind}, not a file" in refused(*arguments)


@pytest.mark.parametrize("name", ["/dev/zero", "pipe", "bomb.gz"])
def test_a_scenario_that_names_no_file(name: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    with gzip.open(tmp_path / "bomb.gz", "wb") as stream:
        for _ in range(300):
            stream.write(bytes(2**20))
    (tmp_path / "a.yaml").write_text(scenario(name), "utf-8")
    line = refused("run", "a.yaml", "--allow-outside")
    assert "a.yaml:5: Scenario/a: spec.manifests[0]" in line
    assert "not a file" in line or "unpacks to more than 256 MiB" in line


def test_what_the_shell_opened_is_read_once(run_file: Path) -> None:
    command = [sys.executable, "-m", "kueuelab", "run", "/dev/stdin"]
    for content in (run_file.read_bytes(), QUEUE.encode()):
        done = subprocess.run(command, input=content, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (0, b"")


def test_a_full_disk_is_named() -> None:
    command = [sys.executable, "-m", "kueuelab", "run", SCENARIO]
    with open("/dev/full", "wb") as full:
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert done.stderr == b"kueuelab: standard output: No space left on device\n"


# --- files outside of the scenario's folder -----------------------------------------------------


@pytest.fixture
def outside(tmp_path: Path) -> Iterator[Path]:
    """A folder beside which there is a secret, and a link to it inside."""
    (tmp_path / "secret.yaml").write_text("root:$6$hash:19000:0:99999:7::x\n", "utf-8")
    folder = tmp_path / "given"
    folder.mkdir()
    (folder / "link.yaml").symlink_to(tmp_path / "secret.yaml")
    (folder / "queue.yaml").write_text(QUEUE, "utf-8")
    return folder


@pytest.mark.parametrize("name", ["../secret.yaml", "link.yaml", "../given/../secret.yaml", "/etc"])
def test_a_file_outside_needs_a_word(outside: Path, name: str) -> None:
    for text in (scenario(name), scenario(at=name)):
        (outside / "a.yaml").write_text(text, "utf-8")
        line = refused("run", "given/a.yaml")
        assert f"{name}: the file is outside of the scenario's folder, and is not read" in line
        with pytest.raises(InputError, match="outside of the scenario's folder"):
            kl.load(outside / "a.yaml")
        # With it the file is read, and what is wrong there is said without its text.
        if "secret" in name or "link" in name:
            told = refused("run", "given/a.yaml", "--allow-outside")
            assert "a text is not a manifest" in told
            assert "hash" not in told
            assert "root" not in told


def test_a_file_inside_needs_none(outside: Path) -> None:
    inside = ("queue.yaml", "./queue.yaml", "../given/queue.yaml", str(outside / "queue.yaml"))
    for name in inside:
        (outside / "a.yaml").write_text(scenario(name), "utf-8")
        assert runner.invoke(app, ["run", "given/a.yaml"]).exit_code == 0
        assert len(kl.load(outside / "a.yaml").spec.manifests) == 1


@pytest.mark.parametrize(
    "text", ["a: [secret\n", "a: secret: b\n", "{a: secret", "'secret", "%secret"]
)
def test_no_error_repeats_a_file(text: str, tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    assert "secret" not in refused("run", "a.yaml")


# --- saved runs ---------------------------------------------------------------------------------


def test_a_saved_run_is_a_run(run_file: Path) -> None:
    fresh = runner.invoke(app, ["run", SCENARIO]).stdout.splitlines()
    saved = runner.invoke(app, ["run", str(run_file)]).stdout.splitlines()
    assert saved[:-1] == fresh[:-2]
    assert saved[-1] == "<saved run: 103 steps>"
    for name in ("job-1", "default/job-1"):
        told = runner.invoke(app, ["explain", str(run_file), name]).stdout
        fresh_told = runner.invoke(app, ["explain", SCENARIO, name]).stdout
        # What would admit it is found by forks, which a saved run does not have.
        headline, lever, rest = re.split(r"( What would admit it: .*)", fresh_told, maxsplit=1)
        assert lever
        assert told == headline + rest
    assert "there is no workload named 'job-9'" in refused("explain", run_file, "job-9")
    assert "is a run already" in refused("run", run_file, "--until", "5")
    assert "is a saved run" in refused("live", "run", run_file, "--dry-run")
    # Every step by itself, also of a file that has them in columns.
    again = runner.invoke(app, ["run", str(run_file), "--json"]).stdout
    assert again == runner.invoke(app, ["run", SCENARIO, "--json"]).stdout
    # Where manifests are wanted it is called what it is.
    result = runner.invoke(app, ["validate", str(run_file)])
    assert (result.exit_code, "this is a saved run, not a manifest" in result.stdout) == (1, True)
    with pytest.raises(InputError, match="this is a saved run"):
        kl.load(run_file)


@pytest.mark.parametrize(
    "name", ["out.txt", "out", "out.htm", "out.gz", "out.json.bz2", "out.HTML"]
)
def test_an_ending_says_what_is_written(name: str, tmp_path: Path) -> None:
    words = f"{name}: the ending does not say what to write. End it in "
    assert f"{words}.html, .json or .json.gz" in refused("run", SCENARIO, "--save", name)
    assert words in refused("live", "snapshot", "-o", name)
    assert words in refused("live", "record", SCENARIO, "-o", name)
    assert words in refused("live", "run", SCENARIO, "-o", name)
    with pytest.raises(InputError, match="the ending does not say"):
        scenarios.load(SCENARIO).run().save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [("run",), ("run", "--json")])
def test_a_run_without_steps_has_no_page(command: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "empty.yaml").write_text("", "utf-8")
    line = refused(*command, "empty.yaml", "--save", "e.html")
    assert (
        line == "kueuelab: e.html: the run has no steps: there is nothing to show on a page. "
        "Save it as .json"
    )
    assert runner.invoke(app, ["run", "empty.yaml", "--save", "e.json"]).exit_code == 0
    assert runner.invoke(app, ["run", "e.json"]).exit_code == 0


# --- equal errors -------------------------------------------------------------------------------


def test_sixty_equal_errors_are_one(tmp_path: Path) -> None:
    entry = "  - {at: 0s, submit: {job: job-%d, queue: team-a, requests: {cpu: 1x}}}\n"
    text = scenario() + "  timeline:\n" + "".join(entry % number for number in range(60))
    (tmp_path / "a.yaml").write_text(text, "utf-8")
    line = refused("run", "a.yaml")
    assert line.startswith("kueuelab: a.yaml:7: Scenario/timeline[0]: submit.requests.cpu: '1x'")
    assert line.endswith("(60 times, up to a.yaml:66)")
    missing = ["missing.yaml"] * 60
    (tmp_path / "a.yaml").write_text(scenario(*missing), "utf-8")
    assert "(60 times, up to spec.manifests[59])" in refused("run", "a.yaml")


# --- what reaches the terminal ------------------------------------------------------------------

HOSTILE = "a\x1b[31m\x1b]0;owned\x07\x9b2J\u202eb\u2066\x7f"


def raw(result: Result) -> list[str]:
    return re.findall(
        "[^\n\t\x20-\x7e\xa0-\u061b\u061d-\u200d\u2010-\u2027\u202f-\u2065\u206a-\uffff]",
        result.stdout + result.stderr,
    )


def test_no_name_steers_the_terminal(tmp_path: Path) -> None:
    job = {"job": "job-1", "queue": "team-a", "requests": {"cpu": "1"}}
    document = {
        "apiVersion": "kueuelab/v1",
        "kind": "Scenario",
        "metadata": {"name": HOSTILE, "title": HOSTILE},
        "spec": {
            "timeline": [{"at": "0s", "submit": job}],
            "expect": [{"at": "1s", "workload": "job-1", "is": "admitted", "message": HOSTILE}],
        },
    }
    (tmp_path / "a.json").write_text(json.dumps(document), "utf-8")
    (tmp_path / "run.json").write_bytes(b"")
    runner.invoke(app, ["run", "a.json", "--save", "run.json"])
    assert kl.load(tmp_path / "a.json").spec.title == HOSTILE
    commands = [
        ("run", "a.json"),
        ("run", "a.json", "--json"),
        ("run", "run.json", "--objects"),
        ("explain", "a.json", "job-1"),
        ("explain", "a.json", "job-1", "--json"),
        ("step", "a.json", "--keys", "nnnn"),
        ("step", "run.json", "--keys", "nnnn"),
        ("diff", "a.json", "run.json"),
        ("diff", "a.json", SCENARIO),
        ("diff", "a.json", SCENARIO, "--json"),
        ("diff", "a.json", SCENARIO, "--table"),
        ("validate", "a.json"),
        ("validate", "a.json", "--json", "--advise"),
        ("validate", "a.json", "--output", "github"),
        ("live", "run", "a.json", "--dry-run"),
        ("run", HOSTILE),
        ("conformance", HOSTILE),
        ("exercise", "start", HOSTILE),
        ("exercise", "check", HOSTILE),
    ]
    for command in commands:
        result = runner.invoke(app, list(command))
        assert result.exit_code in (0, 1, 2), command
        assert raw(result) == [], command
    shown = runner.invoke(app, ["run", "a.json"]).stdout
    assert "a\\u001b[31m\\u001b]0;owned\\u0007\\u009b2J\\u202eb\\u2066\\u007f" in shown
    # JSON stays what it is.
    written = runner.invoke(app, ["run", "a.json", "--json"]).stdout
    assert json.loads(written)["title"] == HOSTILE


def test_errors_in_notebooks_steer_nothing(tmp_path: Path) -> None:
    with pytest.raises(KueueLabError) as raised:
        kl.load(f"kind: {json.dumps(HOSTILE)}\n")
    assert "\x1b" not in str(raised.value)
    assert "\u202e" not in str(raised.value)


def test_one_place_writes_to_the_terminal() -> None:
    folder = Path(kl.__file__).parent / "cli"
    writing = re.compile(r"typer\.echo|click\.echo|\bprint\(|std(out|err)\.write")
    found = {file.name for file in folder.glob("*.py") if writing.search(file.read_text("utf-8"))}
    # The stepper draws a screen, and escapes what it draws.
    assert found == {"output.py", "step.py"}
    assert "console.print(escaped(stepper.text())" in (folder / "step.py").read_text("utf-8")
