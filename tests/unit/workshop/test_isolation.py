"""Code that was received does not run; or it runs where it reaches nothing of this machine."""

from __future__ import annotations

import os
import shutil
import socket
import sys
from pathlib import Path

import pytest
from isolated import isolation

from kueuelab.multikueue import DispatchView, Nomination
from kueuelab.workshop import isolation as isolating
from kueuelab.workshop.class_report import class_report
from kueuelab.workshop.classroom.attempt import Attempt
from kueuelab.workshop.classroom.board import board_of
from kueuelab.workshop.classroom.store import ClassStore
from kueuelab.workshop.confined import ConfinedDispatcher
from kueuelab.workshop.isolation import Isolation, NoIsolationError, attack_script
from kueuelab.workshop.library import specs
from kueuelab.workshop.progress import Progress
from kueuelab.workshop.rechecking import Judgement, Rechecker
from kueuelab.workshop.scripts import DispatcherError

CODE = "external-dispatcher"
HEAD = "from kueuelab.multikueue import Nomination\n"
#: What the attack can do where only limits are set.
UNPROTECTED = {"read", "connect", "start", "signal"}


def secret_at(home: Path) -> Path:
    home.mkdir()
    secret = home / "secret"
    secret.write_text("secret", "utf-8")
    return secret


def done_by(script: str, wall: Isolation | None = None) -> set[str]:
    with ConfinedDispatcher(script, isolation=wall) as confined:
        return set(confined.asked_blindly().clusters or ())


@pytest.mark.skipif(os.name != "posix", reason="the attack uses POSIX")
def test_without_isolation_the_attack_succeeds(tmp_path: Path) -> None:
    """So what is denied below is denied by the isolation."""
    script = attack_script(secret_at(tmp_path / "home"), tmp_path)
    assert done_by(script) >= UNPROTECTED


def test_with_isolation_nothing_succeeds(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wall = isolation()
    home = tmp_path / "home"
    secret = secret_at(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("KUEUELAB_TEST_SECRET", "secret")
    before = sorted(tmp_path.rglob("*"))
    assert done_by(attack_script(secret, tmp_path), wall) == set()
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    "what",
    [
        "open({home!r} + '/secret').read()",
        "open(__import__('os').path.expanduser('~/secret')).read()",
        "open('/etc/passwd').read()",
        "open('/proc/1/environ').read()",
        "open({home!r} + '/new', 'w').write('x')",
        "open(__file__, 'a').write('x')",
        "open('/tmp/new', 'w').write('x')",
        "__import__('os').remove(__file__)",
        "__import__('socket').socket()",
        "__import__('socket').create_connection(('127.0.0.1', {port}), 1)",
        "__import__('urllib.request').request.urlopen('http://127.0.0.1:{port}/')",
        "__import__('os').fork()",
        "__import__('os').execv(__import__('sys').executable, ['python'])",
        "__import__('subprocess').run(['/bin/true'])",
        "__import__('threading').Thread(target=print).start()",
        "__import__('os').environ['KUEUELAB_TEST_SECRET']",
        "__import__('ctypes').CDLL(None).system(b'true') == 0 or 1 / 0",
    ],
)
def test_each_attempt_fails(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wall = isolation()
    home = tmp_path / "home"
    secret_at(home)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("KUEUELAB_TEST_SECRET", "secret")
    with socket.create_server(("127.0.0.1", 0)) as server:
        attempt = what.format(home=str(home), port=server.getsockname()[1])
        script = f"{HEAD}def dispatch(view):\n    {attempt}\n    return Nomination(('done',))\n"
        with ConfinedDispatcher(script, isolation=wall) as confined, pytest.raises(DispatcherError):
            confined.asked_blindly()
        server.settimeout(0)
        with pytest.raises(BlockingIOError):
            server.accept()


def test_what_is_isolated_still_answers() -> None:
    script = f"{HEAD}import math, json\ndef dispatch(view):\n    return Nomination(('a',), 5)\n"
    with ConfinedDispatcher(script, isolation=isolation()) as confined:
        assert confined.asked_blindly() == Nomination(("a",), 5)


def test_an_isolation_that_denies_too_little_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The test that runs first sees it: here the network and the files are not taken away."""
    wall = isolation()
    whole = isolating._binds

    def more(python: str, folder: str) -> list[str]:
        return [*whole(python, folder), "--ro-bind", "/etc", "/etc"]

    monkeypatch.setattr(isolating, "_binds", more)
    with pytest.raises(NoIsolationError, match="able to read"):
        wall.check()


def test_without_bubblewrap_it_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(shutil, "which", lambda name: None)
    with pytest.raises(NoIsolationError, match=r"not installed.*apt-get install bubblewrap"):
        Isolation.tested()
    # One that is there and does nothing is not trusted.
    monkeypatch.setattr(shutil, "which", lambda name: sys.executable)
    with pytest.raises(NoIsolationError, match="cannot isolate"):
        Isolation.tested()


def marking(mark: Path) -> str:
    return (
        f"open({str(mark)!r}, 'a').close()\n{HEAD}"
        f"def dispatch(view):\n    return Nomination(view.clusters)\n"
    )


def test_code_that_was_received_does_not_run(tmp_path: Path) -> None:
    """Neither at a report, nor asked for by name, nor for the board."""
    mark = tmp_path / "mark"
    answer = marking(mark)
    (tmp_path / "class").mkdir()
    Progress(tmp_path / "class" / "ada.json").checked(CODE, 9, 9, answer)
    Progress(tmp_path / "class" / "ben.json").checked(CODE, 2, 9, answer)
    ada, ben = class_report(tmp_path / "class")
    assert (ada.solved, ada.unchecked, ada.results[0].state) == (0, 1, "unchecked")
    assert (ben.solved, ben.unchecked, ben.results[0].state) == (0, 0, "tried")
    with Rechecker() as rechecker:
        assert "does not run" in rechecker.judge(CODE, answer).problem
        assert rechecker.unchecked == {CODE}
    assert not mark.exists()


def test_the_store_of_a_class_says_what_was_not_checked(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    store = ClassStore(tmp_path / "class")
    sent = [
        Attempt(f"{number:032x}", f"{number:032x}", name, CODE, passed, 9, marking(mark))
        for number, (name, passed) in enumerate((("Ada", 9), ("Ben", 2)))
    ]
    store.add(sent)
    assert store.next_to_judge({CODE}) is None
    assert store.next_to_judge() == sent[0]
    board = board_of(store.attempts(), specs(), {CODE})
    assert [(row.state, row.solved, row.unchecked) for row in board.learners] == [
        ("unchecked", 0, 1),
        ("open", 0, 0),
    ]
    (row,) = board.exercises
    assert (row.solved, row.unchecked, row.trying, board.judging) == (0, 1, 1, 0)
    store.close()
    ada, ben = class_report(tmp_path / "class")
    assert (ada.results[0].state, ben.results[0].state) == ("unchecked", "tried")
    assert not mark.exists()


def test_a_judgement_of_code_that_is_there_counts(tmp_path: Path) -> None:
    """A class that was served with --recheck-code before."""
    store = ClassStore(tmp_path)
    sent = Attempt("1" * 32, "2" * 32, "Ada", CODE, 9, 9, "answer")
    store.add([sent])
    store.judge(sent, Judgement(9, 9))
    assert board_of(store.attempts(), specs(), {CODE}).learners[0].state == "solved"
    store.close()
    assert next(class_report(tmp_path)).solved == 1


@pytest.mark.parametrize(
    "line",
    [
        '{"clusters": ["w1", 2], "ask_after": null}',
        '{"clusters": "w1", "ask_after": null}',
        '{"clusters": null, "ask_after": -1}',
        '{"clusters": null, "ask_after": 1e300}',
        '{"clusters": null, "ask_after": NaN}',
        '{"clusters": null, "ask_after": "soon"}',
        '{"clusters": {"w1": 1}, "ask_after": null}',
        "[]",
    ],
)
@pytest.mark.skipif(os.name != "posix", reason="the script writes to a descriptor of POSIX")
def test_a_script_that_answers_by_itself_is_checked(line: str) -> None:
    """It writes to where answers go, past what checks answers in its own process."""
    script = f"""{HEAD}
import os
for number in range(3, 64):
    try:
        os.write(number, {line!r}.encode() + b"\\n")
    except OSError:
        pass
def dispatch(view):
    return Nomination(None)
"""
    with ConfinedDispatcher(script) as confined, pytest.raises(DispatcherError):
        confined.asked_blindly()


def test_a_view_reaches_an_isolated_script() -> None:
    from kueuelab.manifests import load

    script = f"{HEAD}def dispatch(view):\n    return Nomination((view.workload.name,))\n"
    (workload,) = load(
        "{apiVersion: kueue.x-k8s.io/v1beta2, kind: Workload, metadata: {name: a}, "
        "spec: {podSets: [{name: main, count: 1, template: {spec: {containers: [{name: c}]}}}]}}"
    ).workloads
    view = DispatchView(workload, ("w1",), ("w1",), (), None, 0, 0)
    with ConfinedDispatcher(script, isolation=isolation()) as confined:
        assert confined(view).clusters == ("a",)
