"""Sends what a learner checked to a class, and says before the first time what is sent."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from kueuelab.cli.output import Speaker
from kueuelab.errors import InputError, Problem
from kueuelab.messages import Message, separated

if TYPE_CHECKING:
    from kueuelab.workshop import Exercise, Feedback
    from kueuelab.workshop.classroom import Membership
    from kueuelab.workshop.classroom.membership import Sent

__all__ = ["joined", "remembered", "send_attempt", "send_kept"]


def joined(exercise: Exercise, address: str, name: str, out: Speaker) -> Membership:
    """Return the learner's membership of a class; the first time, say what is sent there.

    Raises
    ------
    InputError
        If the address or the name cannot be used, or there is no name and no terminal to ask.
    """
    from kueuelab.workshop.classroom import ClassAddress, Membership

    membership = Membership(exercise.progress_folder, ClassAddress.parse(address))
    before = membership.name
    if not before:
        out.complain(Message("cli.class.sent", url=membership.address.url))
        if not name and not sys.stdin.isatty():
            hint = Message("cli.class.name.hint")
            raise InputError(Problem(Message("cli.class.no-name"), hint=hint))
        name = name or typer.prompt(out.text("cli.class.name"), err=True)
    membership.join(name or before)
    if before and name and membership.name != before:
        others = separated(membership.others)
        out.complain(Message("cli.class.another", name=membership.name, others=others))
    return membership


def remembered(exercise: Exercise, name: str, out: Speaker) -> Membership | None:
    """Return the membership of the class that was checked with last, and say that it is used."""
    from kueuelab.workshop.classroom import Membership

    membership = Membership.last_in(exercise.progress_folder)
    if membership is None:
        return None
    address = f"{membership.address.url}/{membership.address.token}"
    membership = joined(exercise, address, name, out)
    named = {"url": membership.address.url, "name": membership.name}
    out.complain(Message("cli.class.remembered", **named))
    return membership


def send_attempt(
    membership: Membership, exercise: Exercise, feedback: Feedback, out: Speaker
) -> None:
    """Keep what was checked, and send it with all that was kept before."""
    if exercise.spec.answer == "dispatcher":
        out.complain(Message("cli.class.code"))
    verdicts = feedback.verdicts
    passed = sum(each.passed for each in verdicts)
    membership.keep(exercise.spec.name, passed, len(verdicts), feedback.answer)
    _say(membership.send(), out)


def send_kept(folder: Path, out: Speaker) -> Iterable[Sent]:
    """Send what is kept for any class; yield what came of it."""
    from kueuelab.workshop.classroom import Membership

    for membership in Membership.all_in(folder):
        sent = membership.send()
        _say(sent, out)
        yield sent


def _say(sent: Sent, out: Speaker) -> None:
    if sent.stored:
        out.complain(Message("cli.class.stored", count=sent.stored))
    for why in sent.refused:
        out.complain(Message("cli.class.refused", why=why))
    if sent.problem:
        out.complain(sent.problem)
    if sent.kept:
        out.complain(Message("cli.class.kept", count=sent.kept))
