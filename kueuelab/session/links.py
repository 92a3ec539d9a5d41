"""A branch as text that is short enough for an address: how it was made, compressed.

A link comes from anywhere: its size and depth are limited before it is read, it can only open what
is in it or in the package, and it makes branches by the commands that a page has.
"""

from __future__ import annotations

import base64
import binascii
import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kueuelab import scenarios
from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.messages import Message
from kueuelab.session.building_files import text_of_input
from kueuelab.session.cluster_protocol import AddFault
from kueuelab.session.commands import Edit, Open, Try, command_of
from kueuelab.session.opened_input import OpenedInput
from kueuelab.session.session import Branch, ClusterSetBranch, Session
from kueuelab.session.sharing_protocol import LinkText
from kueuelab.session.wire import text_of

__all__ = ["LONGEST_LINK", "Recipe", "link_of", "recipe_of"]

#: Characters: longer addresses are cut off by chats and refused by some browsers.
LONGEST_LINK: Final = 8_192
#: Bytes of a link when it is unpacked.
_LARGEST: Final = 2**20
_DEEPEST: Final = 24
_MOST_CHANGES: Final = 20


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a branch is made: what is opened, by which release, and what follows.

    Attributes
    ----------
    open
        The command that opens.
    release
        The release that decides it; ``""`` for the one that the input names.
    then
        The commands that follow; each is about what the one before it made, or about the cluster
        of it that its ``branch`` names.
    """

    open: Open
    release: str = ""
    then: tuple[Try | Edit | AddFault, ...] = ()


# --- writing -----------------------------------------------------------------------------


def link_of(session: Session, name: str) -> LinkText:
    """Return a branch as a link.

    Raises
    ------
    InputError
        If it was read from a cluster, names other files, was made by another command, or is too
        large.

    Examples
    --------
    >>> session = Session().opened("two-teams")
    >>> link_of(session, "two-teams")
    LinkText(source='two-teams', link='')
    """
    source = session.source_of(name)
    if source is None:
        raise InputError(Problem(Message("session.link.no-input", name=name)))
    changes = _changes(session, name)
    packaged, release = _packaged(source), source.release
    if packaged and not changes and not release:
        return LinkText(packaged, "")
    opened = {"source": packaged} if packaged else _as_text(source)
    recipe: dict[str, Any] = {"open": opened}
    if release:
        recipe["release"] = release
    if changes:
        recipe["then"] = changes
    packed = zlib.compress(text_of(recipe).encode(), 9)
    link = base64.urlsafe_b64encode(packed).decode().rstrip("=")
    if len(link) > LONGEST_LINK:
        message = Message("session.link.too-long", size=f"{len(link):,}", most=f"{LONGEST_LINK:,}")
        raise InputError(Problem(message, hint=Message("session.link.too-long.hint")))
    return LinkText("", link)


def _changes(session: Session, name: str) -> list[Mapping[str, Any]]:
    """Return the commands that lead from what was opened to a branch."""
    found: list[Mapping[str, Any]] = []
    sets = {each.name: each for each in session.cluster_sets}
    branch: Branch | ClusterSetBranch = sets.get(name) or session[name]
    while branch.parent:
        if branch.command is None:
            raise InputError(Problem(Message("session.link.no-command", name=branch.name)))
        found.insert(0, branch.command)
        branch = sets.get(branch.parent) or session[branch.parent]
    return found


def _packaged(source: OpenedInput) -> str:
    """Return the name of a packaged scenario or dump, ``""`` for anything else."""
    if isinstance(source.source, Path):
        return next((n for n in scenarios.dumps() if scenarios.dump(n) == source.source), "")
    name = source.name.removesuffix(".yaml")
    known = (*scenarios.names(), *scenarios.names("multikueue"))
    return name if name in known and scenarios.text(name) == source.source else ""


def _as_text(source: OpenedInput) -> Mapping[str, str]:
    name, text = text_of_input(source)
    if source.has_folder:
        try:
            OpenedInput(f"{text}\n", name, has_folder=False).spec()
        except InputError:
            raise InputError(Problem(Message("session.link.files", name=name))) from None
    return {"name": name, "text": text}


# --- reading -----------------------------------------------------------------------------


def recipe_of(link: str) -> Recipe:
    """Return what a link says.

    Raises
    ------
    KueueLabError
        If it is too long, too large when it is unpacked, too deep, or nothing that ``link`` wrote.
    """
    if len(link) > LONGEST_LINK:
        size = f"{len(link):,}"
        message = Message("session.link.too-long", size=size, most=f"{LONGEST_LINK:,}")
        raise InputError(Problem(message))
    data = _unpacked(link)
    if not isinstance(data, dict) or not {"open"} <= data.keys() <= {"open", "release", "then"}:
        raise _broken()
    then = data.get("then", [])
    if not isinstance(then, list) or len(then) > _MOST_CHANGES:
        raise _broken()
    opening = _command({**_mapping(data["open"]), "do": "open"})
    changes = [_command(_mapping(each)) for each in then]
    release = data.get("release", "")
    if not isinstance(opening, Open) or not isinstance(release, str):
        raise _broken()
    then = tuple(each for each in changes if not isinstance(each, Open))
    return Recipe(opening, release, then)


def _unpacked(link: str) -> Any:
    try:
        packed = base64.b64decode(link + "=" * (-len(link) % 4), altchars=b"-_", validate=True)
        unpacking = zlib.decompressobj()
        text = unpacking.decompress(packed, _LARGEST)
        if unpacking.unconsumed_tail or not unpacking.eof:
            raise _broken()
        data = json.loads(text)
    except (binascii.Error, zlib.error, ValueError, RecursionError):
        raise _broken() from None
    if _depth(data) > _DEEPEST:
        raise _broken()
    return data


def _depth(value: Any) -> int:
    """Return how deep a value is, as far as that matters."""
    depth, level = 0, [value]
    while level and depth <= _DEEPEST:
        depth += 1
        level = [
            inner
            for each in level
            if isinstance(each, dict | list)
            for inner in (each.values() if isinstance(each, dict) else each)
        ]
    return depth


def _mapping(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _broken()
    return value


def _command(data: Mapping[str, Any]) -> Open | Try | Edit | AddFault:
    try:
        found = command_of(data)
    except KueueLabError:
        raise _broken() from None
    if not isinstance(found, Open | Try | Edit | AddFault):
        raise _broken()
    return found


def _broken() -> InputError:
    hint = Message("session.link.broken.hint")
    return InputError(Problem(Message("session.link.broken"), hint=hint))
