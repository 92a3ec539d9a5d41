"""``kueuelab live follow``: a cluster's decisions as they come, beside the lab's."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from kueuelab.cli.completing import contexts
from kueuelab.cli.output import Speaker, speaker
from kueuelab.errors import KueueLabError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.live.following import Following
    from kueuelab.live.record_window import Keep

__all__ = ["keep_of", "register"]

#: How many seconds pass between two lines of counts where there is no terminal.
_EVERY: Final = 10.0
#: Following goes on until it is ended.
_FOREVER: Final = float("inf")


def register(commands: typer.Typer) -> None:
    """Add the command."""
    commands.command("follow", help="cli.follow.help")(follow)


def keep_of(text: str) -> Keep:
    """Return how much is kept: ``5000`` decisions, or ``30m`` for minutes.

    Raises
    ------
    KueueLabError
        If it is neither.

    Examples
    --------
    >>> keep_of("30m").minutes, keep_of("2000").decisions
    (30, 2000)
    """
    from kueuelab.live.record_window import LATEST, Keep

    if not text:
        return LATEST
    number = text.removesuffix("m")
    if not number.isdecimal() or not int(number):
        raise KueueLabError(
            Message("cli.follow.keep.wrong", keep=text), hint=Message("cli.follow.keep.hint")
        )
    return Keep(minutes=int(number)) if text.endswith("m") else Keep(decisions=int(number))


def follow(
    ctx: typer.Context,
    context: Annotated[
        str, typer.Option(metavar="NAME", help="cli.option.context", autocompletion=contexts)
    ] = "",
    save: Annotated[str, typer.Option(metavar="FILE", help="cli.follow.save.help")] = "",
    prometheus: Annotated[
        str, typer.Option(metavar="HOST:PORT", help="cli.follow.prometheus.help")
    ] = "",
    keep: Annotated[str, typer.Option(metavar="COUNT|MINUTESm", help="cli.follow.keep.help")] = "",
    seconds: Annotated[
        float | None, typer.Option("--for", metavar="SECONDS", min=0, help="cli.follow.for.help")
    ] = None,
    plain: Annotated[bool, typer.Option("--plain", help="cli.follow.plain.help")] = False,
    recording: Annotated[
        Path | None,
        typer.Option(exists=True, file_okay=False, help="cli.follow.recording.help"),
    ] = None,
) -> None:
    """Follow a cluster, and compare each decision of Kueue with the lab's."""
    out = speaker(ctx)
    window = keep_of(keep)
    if recording is not None:
        if context or prometheus or seconds is not None:
            raise typer.BadParameter(out.text("cli.follow.recording.alone"))
        _judge_recording(recording, window, save, out)
        return
    from kueuelab.live.following import connect
    from kueuelab.live.prometheus import MetricsServer, address_of

    address = address_of(prometheus) if prometheus else None
    with _ended_by_signals(), out.progress(Message("cli.reading", context=context)):
        following = connect(context, keep=window, save=save)
    with following:
        metrics: AbstractContextManager[object] = nullcontext()
        if address is not None:
            server = MetricsServer(*address, lambda: following.status)
            metrics = server
            out.complain(Message("cli.follow.serving", url=server.url))
        with metrics, _ended_by_signals():
            _show(following, out, _FOREVER if seconds is None else seconds, plain=plain)
    if save:
        out.complain(Message("cli.follow.saved", file=save))


def _show(following: Following, out: Speaker, seconds: float, *, plain: bool) -> None:
    """Show the table where there is a terminal; lines otherwise."""
    on_terminal = sys.stdout.isatty() and sys.stdin.isatty() and not plain
    if on_terminal and find_spec("textual") is not None:
        from kueuelab.cli.follow_app import FollowApp

        app = FollowApp(lambda: following.status, out.words, seconds=seconds)
        app.run()
        if app.error is not None:
            raise app.error
        out.say([following.status.headline()])
        return
    say_lines(following, out, seconds)


def say_lines(following: Following, out: Speaker, seconds: float, every: float = _EVERY) -> None:
    """Write each difference when it is found, and the counts from time to time.

    Parameters
    ----------
    following
        The cluster that is followed.
    out
        What writes it.
    seconds
        For how long.
    every
        How many seconds pass between two lines of counts.
    """
    from kueuelab.live.follow_status import difference_line, new_differences

    until = time.monotonic() + seconds
    with suppress(KeyboardInterrupt):
        status = following.status
        out.complain(*status.notes)
        out.say([status.headline()])
        while (left := until - time.monotonic()) > 0:
            following.follow(min(left, every))
            now = following.status
            found = new_differences(status.differences, now.differences)
            out.say(map(difference_line, found))
            if now.counts != status.counts or now.behind:
                out.say([now.headline()])
            status = now
    out.say(following.status.as_lines())


def _judge_recording(folder: Path, window: Keep, save: str, out: Speaker) -> None:
    """Judge the decisions of a recording, and write what differs."""
    from kueuelab.live.follow_status import Difference, difference_line
    from kueuelab.live.kueue_configuration import installed_configuration
    from kueuelab.live.mirror import Mirror
    from kueuelab.live.recordings import read_recording
    from kueuelab.live.saved_parts import SavedParts
    from kueuelab.manifests import load_scenario
    from kueuelab.model import RELEASE

    saved = SavedParts(save) if save else None
    found = read_recording(folder)
    on_complete = None if saved is None else saved.next
    scenario = folder / "scenario.yaml"
    # A recording does not say which version ran: that of its scenario, or the default.
    if scenario.exists():
        configuration = load_scenario(scenario).configuration
    else:
        configuration = installed_configuration(RELEASE)
    mirror = Mirror(configuration, found.start, found.name, window=window, on_complete=on_complete)
    with out.progress(found.name, len(found.changes)) as advance:
        for _ in found.feed(mirror):
            advance()
    out.say(
        difference_line(Difference.of(each)) for each in reversed(mirror.differing(settled=True))
    )
    counts = mirror.counts
    out.say(
        [
            Message(
                "cli.follow.judged",
                judged=counts.judged,
                differing=counts.differing,
                uncertain=counts.uncertain,
                percent=f"{100 * counts.differing / max(counts.judged, 1):.2f}",
            )
        ]
    )
    if saved is not None:
        saved.last(mirror.last_trace)
        out.complain(Message("cli.follow.saved", file=save))


@contextmanager
def _ended_by_signals() -> Iterator[None]:
    """End what is done as Ctrl-C does if the process is asked to end (SIGTERM)."""

    def end(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    try:
        before = signal.signal(signal.SIGTERM, end)
    except ValueError:  # not in the main thread
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
