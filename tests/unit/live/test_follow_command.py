"""``kueuelab live follow``: the table, the lines, the metrics, and what is saved."""

from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pretend import Pretend
from stand_in import shared
from test_background import PATIENCE, Streaming, wait_for_all
from textual.pilot import Pilot
from textual.widgets import DataTable, Static
from textual_apps import until
from typer.testing import CliRunner

from kueuelab.cli import app
from kueuelab.cli.follow import say_lines
from kueuelab.cli.follow_app import FollowApp
from kueuelab.cli.output import Speaker
from kueuelab.errors import KueueLabError
from kueuelab.live.decisions import Counts
from kueuelab.live.errors import LiveError
from kueuelab.live.follow_status import (
    Difference,
    FollowStatus,
    QueueRow,
    new_differences,
    status_of,
)
from kueuelab.live.following import Following
from kueuelab.live.prometheus import MetricsServer, address_of
from kueuelab.live.record_window import Keep
from kueuelab.messages import english
from kueuelab.trace.export import load_trace

runner = CliRunner()
DIFFERENCE = Difference(10**18, "team/a", "team/a waits: no quota", "the lab would admit it")
STATUS = FollowStatus(
    context="kind-lab",
    counts=Counts(20, 1, 2),
    open=0,
    not_judged=0,
    behind=3,
    seconds_behind=0.25,
    workloads=7,
    differences=(DIFFERENCE,),
    queues=(QueueRow("team-a", "all", 4, 2, ("cpu 3/4 (default)",)),),
)


def following(changed: Callable[[dict[str, Any]], None] | None = None, **more: Any) -> Following:
    """Follow a recorded stream, some of it changed, until all of it is judged."""
    cluster = Streaming()
    count = len(cluster.changes)
    if changed is not None:
        for change in cluster.changes:
            changed(change.object)
    found = Following(cluster, background=True, **more)  # type: ignore[arg-type]
    wait_for_all(found, count)
    with found.still():
        found.mirror.settle()  # what differs differs for good
    return found


def wrong_number(obj: dict[str, Any]) -> None:
    for condition in obj.get("status", {}).get("conditions", ()):
        condition["message"] = condition["message"].replace("3 more needed", "4 more needed")


def test_a_status_has_counts_queues_and_what_differs() -> None:
    with following(wrong_number) as found:
        status = status_of(found)
    assert status.context == "kind-lab"
    assert (status.counts.judged, status.differing, status.open) == (20, 1, 0)
    [difference] = status.differences
    assert "4 more needed" in difference.decision
    assert difference.lab.startswith("the lab says")
    assert [row.name for row in status.queues] == ["biology", "physics"]
    lines = [english().render(line) for line in status.as_lines()]
    assert lines[0].startswith("kind-lab: 20 decisions judged, 1 differ, 0 agree with one of")
    assert lines[1].startswith("  biology: 0 admitted, 0 pending")


def test_an_open_difference_is_not_counted_until_it_is_settled() -> None:
    """A counter of Prometheus never goes down."""
    with following(wrong_number) as found:
        mirror = found.mirror
        number = next(n for n, d in enumerate(mirror.decisions) if not d.agrees)
        mirror._open[number] = ""
        found._last_change += 10**6
        assert (found.status.differing, found.status.open) == (0, 1)
        assert found.status.differences == ()
        found._last_change -= 2 * 10**6
        assert (found.status.differing, found.status.open) == (1, 0)


# --- the table -------------------------------------------------------------------------------


def played(found: FollowApp, play: Callable[[Pilot[None]], Awaitable[None]]) -> None:
    async def run() -> None:
        async with found.run_test(size=(100, 30)) as pilot:
            await play(pilot)

    asyncio.run(run())


def cells(found: FollowApp, name: str) -> list[list[str]]:
    table = found.query_one(f"#{name}", DataTable)
    return [list(map(str, table.get_row_at(row))) for row in range(table.row_count)]


def headline(found: FollowApp) -> str:
    return str(found.query_one("#headline", Static).content)


def test_the_table_refreshes_and_q_quits() -> None:
    now = [STATUS]
    found = FollowApp(lambda: now[0], english(), every=0.02)

    async def play(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: "20 decisions judged, 1 differ" in headline(found))
        await until(pilot, lambda: found.query_one("#queues", DataTable).row_count == 1)
        assert "3 changes and 0.2 s behind" in headline(found)
        assert cells(found, "queues") == [["team-a", "all", "4", "2", "cpu 3/4 (default)"]]
        assert cells(found, "differences") == [
            ["2001-09-09T01:46:40Z", "team/a waits: no quota", "the lab would admit it"]
        ]
        rows = (*STATUS.queues, QueueRow("team-b", "", 0, 1, ()))
        now[0] = replace(STATUS, counts=Counts(21, 1), queues=rows, notes=("no events",))
        await until(pilot, lambda: "21 decisions judged" in headline(found))
        assert cells(found, "queues")[1] == ["team-b", "-", "0", "1", "-"]
        assert str(found.query_one("#notes", Static).content) == "no events"
        await pilot.press("q")
        await until(pilot, lambda: not found.is_running)

    played(found, play)
    assert found.error is None


def test_the_place_in_a_table_stays_when_it_refreshes() -> None:
    rows = tuple(QueueRow(f"q{number}", "", 0, 0, ()) for number in range(5))
    now = [replace(STATUS, queues=rows)]
    found = FollowApp(lambda: now[0], english(), every=0.02)

    async def play(pilot: Pilot[None]) -> None:
        table = found.query_one("#queues", DataTable)
        await until(pilot, lambda: table.row_count == 5)
        table.move_cursor(row=3)
        now[0] = replace(now[0], queues=tuple(replace(row, pending=1) for row in rows))
        await until(pilot, lambda: cells(found, "queues")[0][3] == "1")
        assert table.cursor_row == 3

    played(found, play)


def test_a_cluster_that_can_no_longer_be_followed_ends_it() -> None:
    def fails() -> FollowStatus:
        raise LiveError("the server is gone", "refused")

    found = FollowApp(fails, english(), every=0.02)

    async def play(pilot: Pilot[None]) -> None:
        await until(pilot, lambda: found.error is not None)

    played(found, play)
    assert str(found.error) == "the server is gone"


def test_the_table_shows_a_cluster_that_is_followed() -> None:
    with following(wrong_number) as cluster:
        found = FollowApp(lambda: cluster.status, english(), every=0.02)

        async def play(pilot: Pilot[None]) -> None:
            await until(pilot, lambda: "20 decisions judged, 1 differ" in headline(found))
            await until(pilot, lambda: len(cells(found, "queues")) == 2)
            assert len(cells(found, "differences")) == 1

        played(found, play)


# --- lines -----------------------------------------------------------------------------------


def test_without_a_terminal_differences_are_lines(capsys: pytest.CaptureFixture[str]) -> None:
    cluster = Streaming()
    changes, cluster.changes = cluster.changes, []
    for change in changes:
        wrong_number(change.object)
    with Following(cluster, background=True) as found:  # type: ignore[arg-type]
        found_before = found.status
        start = found_before.counts.judged
        mirror = found.mirror

        def follow(_: float) -> Following:
            with found.still():
                for number, change in enumerate(changes):
                    mirror.feed(mirror.now + number, change.type, change.object)
                mirror.settle()
            raise KeyboardInterrupt

        found.follow = follow  # type: ignore[method-assign]
        say_lines(found, Speaker(english()), PATIENCE)
    lines = capsys.readouterr().out.splitlines()
    assert start == 0
    assert lines[0].startswith("kind-lab: 0 decisions judged")
    assert lines[1].startswith("kind-lab: 20 decisions judged, 1 differ")


def test_new_differences_are_found_the_earliest_first() -> None:
    second, third = (replace(DIFFERENCE, time=10**18 + n) for n in (1, 2))
    assert new_differences((DIFFERENCE,), (third, second, DIFFERENCE)) == (second, third)


def test_the_command_follows_a_cluster_and_saves_the_record(
    cluster: Pretend, tmp_path: Path
) -> None:
    file = tmp_path / "run.json.gz"
    result = runner.invoke(
        app, ["live", "follow", "--for", "0", "--save", str(file), "--prometheus", "127.0.0.1:0"]
    )
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("kind-pretend: 0 decisions judged, 0 differ")
    assert "metrics are at http://127.0.0.1:" in result.stderr
    assert f"the record is in {file}" in result.stderr
    assert load_trace(file).name == "kind-pretend"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_process_that_is_asked_to_end_saves_what_it_has(
    cluster: Pretend, tmp_path: Path, number: signal.Signals
) -> None:
    file = tmp_path / "run.json.gz"
    command = [sys.executable, "-m", "kueuelab", "live", "follow", "--save", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert "decisions judged" in process.stdout.readline()
        process.send_signal(number)
        rest = process.stdout.read()
    assert process.returncode == 0
    assert "decisions judged" in rest
    assert load_trace(file).name == "kind-pretend"


def test_a_recording_is_judged_without_a_cluster(tmp_path: Path) -> None:
    folder, file = shared("scenarios/reclaim-within-cohort"), tmp_path / "run.json"
    command = ["live", "follow", "--recording", str(folder), "--keep", "5", "--save", str(file)]
    result = runner.invoke(app, command)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("20 decisions judged, 0 differ (0.00 %)")
    names = sorted(each.name for each in tmp_path.iterdir())
    assert names == ["run-0001.json", "run-0002.json", "run.json"]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--keep", "some"], "'some' is neither a number of decisions nor of minutes"),
        (["--keep", "0"], "'0' is neither"),
        (["--prometheus", "here"], "'here' is no address to listen on"),
        (["--prometheus", "127.0.0.1:99999"], "is no address to listen on"),
        (["--save", "run.txt"], "run.txt"),
        (["--recording", ".", "--for", "1"], "--recording goes with"),
    ],
)
def test_a_wrong_option_is_one_sentence(options: list[str], said: str, cluster: Pretend) -> None:
    result = runner.invoke(app, ["live", "follow", *options])
    assert result.exit_code == 2
    assert said in result.output.replace("\n", " ")
    assert "Traceback" not in result.output


# --- metrics ---------------------------------------------------------------------------------


def get(url: str) -> str:
    with urllib.request.urlopen(url, timeout=PATIENCE) as response:
        assert response.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        return str(response.read().decode())


def test_the_counts_are_served_for_prometheus() -> None:
    with (
        following(wrong_number) as cluster,
        MetricsServer(*address_of("127.0.0.1:0"), lambda: cluster.status) as server,
    ):
        found = get(server.url)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            get(server.url.replace("/metrics", "/"))
    lines = found.splitlines()
    assert 'kueuelab_decisions_judged_total{context="kind-lab"} 20' in lines
    assert 'kueuelab_decisions_differing_total{context="kind-lab"} 1' in lines
    assert 'kueuelab_seconds_behind{context="kind-lab"} 0.000' in lines
    assert "# TYPE kueuelab_decisions_judged_total counter" in lines


def test_a_cluster_that_can_no_longer_be_followed_is_unavailable() -> None:
    def fails() -> FollowStatus:
        raise LiveError("the server is gone", "refused")

    with (
        MetricsServer("127.0.0.1", 0, fails) as server,
        pytest.raises(urllib.error.HTTPError, match="503"),
    ):
        get(server.url)


def test_a_port_that_is_taken_is_one_sentence() -> None:
    with MetricsServer("127.0.0.1", 0, lambda: STATUS) as server:
        port = int(server.url.rsplit(":", 1)[1].split("/")[0])
        with pytest.raises(KueueLabError, match=f"nothing can listen on 127.0.0.1:{port}"):
            MetricsServer("127.0.0.1", port, lambda: STATUS)


# --- bounded ---------------------------------------------------------------------------------


def test_following_keeps_the_latest_and_counts_the_rest() -> None:
    with following(window=Keep(decisions=5)) as found:
        assert found.counts == Counts(20)
        assert 5 <= len(found.decisions) <= 10
        assert found.status.counts.judged == 20
        assert ", 20 decisions, 0 differ" in repr(found)
