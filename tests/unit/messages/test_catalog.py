"""Catalogues: languages, plural forms, messages, what is read when."""

import copy
import json
import pickle
import shutil
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from kueuelab.errors import InputError, NoSentenceError, Problem, UnknownObjectError
from kueuelab.messages import Catalog, Message, english, language_of, messages_in
from kueuelab.messages.catalog import say_script
from kueuelab.messages.languages import ids_of, rooms
from kueuelab.messages.pseudo import PSEUDO, pseudo


@pytest.fixture
def japanese() -> Catalog:
    messages = {
        "errors.unknown": "{kind}「{name}」はありません",
        "pods.count": {"one": "wrong", "other": "Pod {count} 個"},
        "errors.problems": {"other": "問題が {count} 件あります:"},
    }
    return Catalog("ja", messages, english())


def test_a_language_chooses_its_plural_forms(japanese: Catalog) -> None:
    assert japanese.text("pods.count", count=1) == "Pod 1 個"
    assert english().text("pods.count", count=1) == "1 pod"


def test_errors_are_said_in_the_language_of_the_reader(japanese: Catalog) -> None:
    error = UnknownObjectError("ClusterQueue", "x")
    assert str(error) == "there is no ClusterQueue named 'x'"
    assert error.render(japanese) == "ClusterQueue「x」はありません"
    both = InputError([Problem(error.problem.message), Problem("admission webhook: denied")])
    assert both.render(japanese).splitlines() == [
        "問題が 2 件あります:",
        "  ClusterQueue「x」はありません",
        "  admission webhook: denied",
    ]


def test_messages_within_messages_are_rendered_too(japanese: Catalog) -> None:
    outer = Message(
        "errors.with-hint", message=Message("errors.unknown", kind="A", name="b"), hint="-"
    )
    assert outer == "there is no A named 'b'. -"
    assert japanese.render(outer) == "A「b」はありません. -"


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))]
)
def test_copies_keep_id_and_values(again: object) -> None:
    message = Message("errors.unknown", kind="A", name="b")
    copied = again(message)  # type: ignore[operator]
    assert (copied, copied.id, copied.values) == (message, message.id, message.values)
    assert json.dumps(message) == "\"there is no A named 'b'\""


def test_what_is_missing_is_named() -> None:
    with pytest.raises(NoSentenceError, match=r"no sentence for errors\.nothing"):
        Message("errors.nothing")
    with pytest.raises(NoSentenceError, match=r"errors\.unknown without 'kind'"):
        Message("errors.unknown", name="x")
    with pytest.raises(UnknownObjectError, match="there is no language named 'xx'"):
        messages_in("xx")


def test_the_language_for_tests_has_every_sentence_and_every_place() -> None:
    strange = language_of(PSEUDO)
    for room in rooms():
        for id_ in ids_of(room):
            text = strange.template(id_)
            assert text.startswith("[!!"), id_
            assert text.endswith("!!]"), id_
    assert pseudo("a {b} c") == "[!!å {b} ç!!]"


def test_only_rooms_that_speak_are_read() -> None:
    code = (
        "import sys, kueuelab, kueuelab.errors, kueuelab.messages as m\n"
        "assert 'yaml' not in sys.modules\n"
        "from kueuelab.messages.languages import _room\n"
        "kueuelab.errors.UnknownObjectError('a', 'b')\n"
        "assert _room.cache_info().currsize == 1"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run JavaScript")
def test_a_page_says_messages_as_python_does() -> None:
    table = json.dumps(english().table(["pods.count", "errors.unknown"]))
    script = (
        f"{say_script()}\nconst say = speaker({table});\n"
        'console.log(say("pods.count", {count: 1})); console.log(say("pods.count", {count: 2}));\n'
        'console.log(say("errors.unknown", {kind: "A", name: "b"}));'
    )
    done = subprocess.run(["node", "-e", script], check=True, capture_output=True, text=True)
    assert done.stdout.splitlines() == ["1 pod", "2 pods", "there is no A named 'b'"]


def test_a_room_is_there_for_each_thread_that_asks() -> None:
    """While one thread loads a room, another asks for a sentence of it."""
    loading, goes_on = threading.Event(), threading.Event()

    def load(room: str) -> dict[str, str]:
        if threading.current_thread() is not threading.main_thread():
            loading.set()
            goes_on.wait()
        return {"files.damaged": "damaged"}

    catalog = Catalog("en", {}, load=load)
    with ThreadPoolExecutor(1) as other:
        first = other.submit(catalog.text, "files.damaged")
        loading.wait()
        try:
            assert catalog.text("files.damaged") == "damaged"
        finally:
            goes_on.set()
        assert first.result() == "damaged"
