"""A class with learners that lose their connection: nothing is lost, nothing counts twice."""

from __future__ import annotations

import asyncio
import os
import re
import sqlite3
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from html import unescape
from pathlib import Path

import httpx
import pytest
from class_server import Server, Start
from tornado.httpclient import AsyncHTTPClient
from tornado.httpserver import HTTPServer
from tornado.netutil import bind_sockets
from typer.testing import CliRunner

from kueuelab import workshop
from kueuelab.cli import app
from kueuelab.messages import english
from kueuelab.workshop.classroom import ClassAddress, Membership
from kueuelab.workshop.classroom.rate import RateLimit
from kueuelab.workshop.classroom.server import Classroom, application
from kueuelab.workshop.classroom.store import ClassStore

NAME = "within-a-team"
START = workshop.exercise(NAME).manifests
RIGHT = START.replace(": Never", ": LowerPriority")
WRONG = START.replace(": Never", ": LowerOrNewerEqualPriority")
TRIES = (START, WRONG, RIGHT)
LEARNERS = 40
LOSE = 5


class Lost(httpx.HTTPTransport):
    """A network that fails: before the server has a request, or before its answer is there."""

    def __init__(self, *, after: bool) -> None:
        super().__init__()
        self.after = after

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if self.after:
            super().handle_request(request).read()
        raise httpx.ReadError("the connection is lost", request=request)


def learner(folder: Path, number: int, server: Server) -> Membership:
    membership = Membership(folder / f"{number:02}", ClassAddress.parse(server.address))
    membership.join(f"Learner {number:02}")
    return membership


def stored(folder: Path) -> list[tuple[str, str, str]]:
    with closing(sqlite3.connect(folder / "class.sqlite")) as base:
        return base.execute("SELECT id, name, answer FROM attempt ORDER BY number").fetchall()


def test_forty_learners_of_which_five_lose_their_connection(tmp_path: Path, serve: Start) -> None:
    folder = tmp_path / "class"
    server = serve(folder)
    members = [learner(tmp_path, number, server) for number in range(LEARNERS)]
    made: dict[str, str] = {}

    def check(place: int, answer: str) -> None:
        """Check an answer; every eighth learner has no connection, the others have one."""
        member = members[place]
        made[member.keep(NAME, 7 if answer == RIGHT else 5, 7, answer).id] = member.name
        if place % (LEARNERS // LOSE) == 0:
            sent = member.send(Lost(after=place % 16 == 0))
            assert (sent.stored, bool(sent.problem)) == (0, True)
        else:
            sent = member.send()
            assert not sent.problem, sent

    def everyone(answer: str) -> None:
        with ThreadPoolExecutor(8) as learners:
            list(learners.map(lambda place: check(place, answer), range(LEARNERS)))

    everyone(START)
    assert sum(len(member.kept) for member in members) == LOSE
    server.kill()
    # While there is no server, all learners go on.
    for place, member in enumerate(members):
        made[member.keep(NAME, 5, 7, WRONG).id] = member.name
        assert member.send().problem, place
    assert sum(len(member.kept) for member in members) == LEARNERS + LOSE

    again = serve(folder)
    token = ClassAddress.parse(server.address).token
    assert ClassAddress.parse(again.address).token == token
    members = [learner(tmp_path, number, again) for number in range(LEARNERS)]
    everyone(RIGHT)
    for member in members:
        assert not member.send().problem
        assert member.kept == ()

    found = stored(folder)
    assert Counter(attempt for attempt, *_ in found) == Counter(list(made))
    assert len(found) == LEARNERS * len(TRIES)
    for member in members:
        # In the order in which they were made.
        assert tuple(answer for _, name, answer in found if name == member.name) == TRIES
    rows = again.judged()
    assert len(re.findall(r'class="state solved"', rows)) == LEARNERS
    assert f"{LEARNERS} learners." in rows
    assert f"{LEARNERS * len(TRIES)} tries." in rows


@pytest.fixture(scope="module")
def classroom(tmp_path_factory: pytest.TempPathFactory, serve: Start) -> Server:
    return serve(tmp_path_factory.mktemp("served"))


def test_a_result_that_was_made_up_gains_nothing(tmp_path: Path, classroom: Server) -> None:
    eve = learner(tmp_path, 1, classroom)
    eve.join("Eve")
    eve.keep(NAME, 7, 7, WRONG)
    assert eve.send().stored == 1
    row = re.search(r"Eve</th>.*?</tr>", classroom.judged(), re.S)
    assert row is not None
    assert "not confirmed" in row[0]
    # What the learner takes for right is on the board.
    assert "fails first" in classroom.rows()
    assert "5 of 7" in row[0] or "6 of 7" in row[0]


def test_names_are_escaped_and_told_apart(tmp_path: Path, classroom: Server) -> None:
    name = "<img src=x onerror=alert(1)> &"
    for number in (1, 2):
        member = learner(tmp_path, number, classroom)
        member.join(name)
        member.keep(NAME, 0, 7, "<script>")
        assert member.send().stored == 1
    rows = classroom.judged()
    assert "<img" not in rows
    assert "<script" not in rows
    names = [unescape(each) for each in re.findall(r'<th scope="row">(.*?)</th>', rows)]
    assert {name, f"{name} (2)"} <= set(names)


def test_learners_of_one_account_are_told_apart(tmp_path: Path, classroom: Server) -> None:
    member = Membership(tmp_path, ClassAddress.parse(classroom.address))
    ids = []
    for name in ("Ada one", "Ben one", "Ada one"):
        member.join(name)
        ids.append(member.keep(NAME, 0, 7, WRONG).learner)
    assert ids[0] == ids[2] != ids[1]
    assert (member.name, member.others) == ("Ada one", ("Ben one",))
    assert member.send().stored == 3
    rows = classroom.judged()
    assert "Ada one</th>" in rows
    assert "Ben one</th>" in rows


def test_the_class_is_remembered_for_a_day(tmp_path: Path) -> None:
    assert Membership.last_in(tmp_path) is None
    address = ClassAddress.parse("http://127.0.0.1:8765/0123456789abcdef")
    Membership(tmp_path, address).join("Ada")
    found = Membership.last_in(tmp_path)
    assert found is not None
    assert (found.address, found.name) == (address, "Ada")
    yesterday = time.time() - 25 * 3600
    os.utime(tmp_path / "class" / "last", (yesterday, yesterday))
    assert Membership.last_in(tmp_path) is None


def test_a_check_without_the_address_goes_to_the_class_and_says_so(
    tmp_path: Path, classroom: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KUEUELAB_PROGRESS", str(tmp_path / "progress.json"))
    check = ["exercise", "check", NAME, "--folder", str(tmp_path)]
    runner = CliRunner()
    assert runner.invoke(app, ["exercise", "start", NAME, "--folder", str(tmp_path)]).exit_code == 0
    assert "class" not in runner.invoke(app, check).stderr
    first = runner.invoke(app, [*check, "--class", classroom.address, "--name", "Cem"])
    assert "For a day the class at" in first.stderr
    assert "sent to the class" in first.stderr
    again = runner.invoke(app, check)
    assert "as Cem, as before; --no-class keeps a check on this machine" in again.stderr
    assert "sent to the class" in again.stderr
    assert "class" not in runner.invoke(app, [*check, "--no-class"]).stderr
    other = runner.invoke(app, [*check, "--name", "Dan"])
    assert "Dan is a learner of its own on the board" in other.stderr
    assert "are shared with Cem" in other.stderr


def post(server: Server, body: object, token: str | None = None) -> httpx.Response:
    address = ClassAddress.parse(server.address)
    headers = {"Authorization": f"Bearer {token or address.token}"}
    return httpx.post(f"{address.url}/attempts", json=body, headers=headers, trust_env=False)


HEAD = {"format": "kueuelab-class", "version": 1}


@pytest.mark.parametrize(
    "body",
    [
        {},
        [],
        {**HEAD},
        {**HEAD, "attempts": {}},
        {**HEAD, "attempts": [1]},
        {**HEAD, "attempts": [{}] * 51},
        {**HEAD, "version": 2, "attempts": []},
    ],
)
def test_what_is_no_attempt_is_refused_with_a_reason(classroom: Server, body: object) -> None:
    answer = post(classroom, body)
    assert answer.status_code == 400
    assert answer.json()["error"]


def attempt(**values: object) -> dict[str, object]:
    whole = {"id": "a" * 32, "learner": "b" * 32, "name": "Ada", "exercise": NAME}
    return {**whole, "passed": 0, "of": 7, "answer": "", **values}


@pytest.mark.parametrize(
    "values",
    [
        {"name": ""},
        {"name": "x" * 41},
        {"name": "a\u202eb"},
        {"learner": "1"},
        {"exercise": "no-such-exercise"},
        {"passed": 8},
        {"passed": True},
        {"answer": "x" * 2**17},
        {"answer": None},
        {"more": 1},
    ],
)
def test_one_that_cannot_be_stored_does_not_hold_up_the_others(
    classroom: Server, values: dict[str, object]
) -> None:
    good = attempt(id=f"{hash(str(values)) & (2**128 - 1):032x}")
    answer = post(classroom, {**HEAD, "attempts": [attempt(**values), good]}).json()
    assert answer["stored"] == [good["id"]]
    assert answer["refused"]["a" * 32]


def test_the_learner_is_told_why_one_is_refused(tmp_path: Path, classroom: Server) -> None:
    member = learner(tmp_path, 1, classroom)
    member.keep("of-another-version", 0, 7, "")
    member.keep(NAME, 0, 7, "")
    sent = member.send()
    assert (sent.stored, sent.kept, sent.problem) == (1, 0, "")
    assert "of-another-version" in sent.refused[0]
    assert len(list(member.folder.glob("refused/*.json"))) == 1


@pytest.mark.parametrize("token", ["x" * 32, "", "Bearer", "ä".encode().decode("latin-1")])
def test_nothing_is_stored_without_the_token(classroom: Server, token: str) -> None:
    body = {**HEAD, "attempts": [attempt()]}
    address = ClassAddress.parse(classroom.address)
    headers = {"Authorization": token.encode("latin-1")} if token else {}
    answer = httpx.post(f"{address.url}/attempts", json=body, headers=headers, trust_env=False)
    assert answer.status_code == 401
    other = ClassAddress(address.url, "y" * 32)
    with pytest.raises(KeyError):
        Membership(Path("none"), other).keep(NAME, 0, 7, "")


def test_a_learner_with_another_token_keeps_the_try(tmp_path: Path, classroom: Server) -> None:
    address = ClassAddress.parse(classroom.address)
    member = Membership(tmp_path, ClassAddress(address.url, "y" * 32))
    member.join("Ada")
    member.keep(NAME, 0, 7, "")
    sent = member.send()
    assert (sent.stored, sent.kept) == (0, 1)
    assert "token" in sent.problem


def test_a_large_request_is_not_read(classroom: Server) -> None:
    url = f"{ClassAddress.parse(classroom.address).url}/attempts"
    try:
        answer = httpx.post(url, content=b"x" * (2**21 + 1), trust_env=False)
    except httpx.HTTPError:
        return  # the server closed the connection
    assert answer.status_code in (400, 413)


def test_the_board_is_for_those_who_have_its_address(classroom: Server) -> None:
    page = httpx.get(classroom.board, trust_env=False)
    assert page.status_code == 200
    assert "default-src 'none'" in page.headers["Content-Security-Policy"]
    url, token = classroom.board.rpartition("/board/")[0], classroom.address.rpartition("/")[2]
    for path in ("/", f"/board/{token}/", "/board/x/rows", "/static/server.py", "/board/ä/"):
        assert httpx.get(f"{url}{path}", trust_env=False).status_code == 404, path


def test_too_many_requests_are_refused_for_a_while(tmp_path: Path) -> None:
    """Two may come here, and no more: the learner keeps the try, and is told why."""

    async def asked() -> list[int]:
        classroom = Classroom(ClassStore(tmp_path), english())
        classroom.rate = RateLimit(2, 0)
        server = HTTPServer(application(classroom))
        (socket, *_) = sockets = bind_sockets(0, "127.0.0.1")
        server.add_sockets(sockets)
        url = f"http://127.0.0.1:{socket.getsockname()[1]}/board/{classroom.board_key}/"
        client = AsyncHTTPClient()
        codes = [(await client.fetch(url, raise_error=False)).code for _ in range(3)]
        client.close()
        server.stop()
        await server.close_all_connections()
        classroom.store.close()
        return codes

    assert asyncio.run(asked()) == [200, 200, 429]


def test_the_server_ends_when_it_is_asked_to(tmp_path: Path, serve: Start) -> None:
    server = serve(tmp_path)
    member = learner(tmp_path / "ada", 1, server)
    member.keep(NAME, 0, 7, RIGHT)
    assert member.send().stored == 1
    server.process.terminate()
    assert server.process.wait() == 0


def test_code_of_a_learner_does_not_run_on_the_server(tmp_path: Path, serve: Start) -> None:
    """The board says that it was sent as solved, and nothing waits for a check of it."""
    mark = tmp_path / "mark"
    code = f"open({str(mark)!r}, 'w').close()\ndef dispatch(view):\n    return None\n"
    server = serve(tmp_path / "class")
    member = learner(tmp_path, 1, server)
    member.keep("external-dispatcher", 9, 9, code)
    assert not member.send().problem
    rows = unescape(server.judged())
    assert '<span class="state unchecked">sent as solved, not checked again</span>' in rows
    assert "+ 1 not checked again" in rows
    # An answer that is no code and came later is checked all the same.
    member.keep(NAME, 7, 7, RIGHT)
    assert not member.send().problem
    assert 'class="state solved"' in server.judged()
    assert not mark.exists()
