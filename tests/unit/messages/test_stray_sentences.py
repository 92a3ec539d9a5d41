"""What a person reads is in the catalogue, and only what is read."""

import re

import pytest

from kueuelab.messages import english
from kueuelab.messages.catalog import places
from kueuelab.messages.languages import ids_of
from kueuelab.messages.languages import rooms as rooms_with_sentences

from .elsewhere import NOT_SENTENCES, VERBATIM
from .finding import PACKAGE, Found, glued, is_sentence, rooms, sentences, uses


def allowed(found: Found) -> bool:
    """Whether a list says why the text is not in the catalogue."""
    return any(is_at(found, place) for place in {**VERBATIM, **NOT_SENTENCES})


def is_at(found: Found, place: str) -> bool:
    module, _, name = place.partition("::")
    there = found.file == module or found.file.startswith(f"{module}/")
    return there and (not name or name in found.inside)


def strays(room: str) -> list[str]:
    return [str(found) for found in sentences(room) if not allowed(found)]


@pytest.mark.parametrize("room", rooms())
def test_sentences_are_in_the_catalogue(room: str) -> None:
    assert not strays(room), "\n".join(strays(room))


def test_what_is_excepted_is_there() -> None:
    found = {room: list(sentences(room)) for room in rooms()}
    needless = [
        place
        for place in {**VERBATIM, **NOT_SENTENCES}
        if not any(is_at(text, place) for text in found[place.partition("/")[0].partition("::")[0]])
    ]
    assert not needless


def test_every_message_is_used() -> None:
    patterns = {use.pattern for use in uses()}
    literal = {pattern.replace("\\", "") for pattern in patterns if ".*" not in pattern}
    # Of a pattern, the beginning has to say at least the topic.
    others = [re.compile(p) for p in patterns if ".*" in p and re.match(r"[\w-]+\\\.", p)]
    unused = [
        message
        for room in sorted(rooms_with_sentences())
        for message in ids_of(room)
        if message not in literal and not any(p.fullmatch(message) for p in others)
    ]
    assert not unused


def test_every_message_that_is_used_is_there_with_its_values() -> None:
    wrong = []
    for use in uses():
        if not use.is_call or ".*" in use.pattern:
            continue
        message = use.pattern.replace("\\", "")
        if message not in english():
            wrong.append(f"{use.file}:{use.line}: there is no message {message}")
        elif use.values is not None and use.values != places(english().forms(message)):
            # A count may only choose the form.
            needed = places(english().forms(message))
            if use.values - {"count"} != needed - {"count"}:
                wrong.append(f"{use.file}:{use.line}: {message} takes {sorted(needed)}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("room", rooms())
def test_no_message_is_glued_to_another_text(room: str) -> None:
    place = PACKAGE / room
    files = [place] if place.is_file() else sorted(place.rglob("*.py"))
    found = [(file.name, line) for file in files for line in glued(file.read_text("utf-8"))]
    assert found == []


@pytest.mark.parametrize(
    "text", ["f'- {Message(1)}'", '"- " + Message("a")', '"; ".join([Message("a"), other])']
)
def test_what_is_glued_is_found(text: str) -> None:
    assert list(glued(text)) == [1]


def test_ids_begin_with_their_room() -> None:
    known = rooms_with_sentences()
    for room in known - {"trace"}:
        assert all(message.startswith(f"{room}.") for message in ids_of(room)), room
    others = known - {"trace"}
    assert not [message for message in ids_of("trace") if message.partition(".")[0] in others]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("the text is not UTF-8", True),
        ("no flavor", True),
        ("Stop at", True),
        ("nominates \x00", True),
        ("copy \x00", True),
        ("\x00, in \x00 clusters", True),
        ("\x00 x \x00", False),
        ("kl-story kl-here", False),
        ("spec.preemption", False),
        ("<Run unnamed>", False),
        ("\x00 \x00", False),
        ("M\x00 \x00v\x00", False),
        ("translate(\x00px, \x00px)", False),
        (", ", False),
    ],
)
def test_what_is_a_sentence(text: str, sentence: bool) -> None:
    assert is_sentence(text) is sentence
