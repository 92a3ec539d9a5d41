"""``kueuelab workshop``: what an instructor needs before, during and after a class."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, speaker
from kueuelab.messages import Message, separated

if TYPE_CHECKING:
    from kueuelab.workshop.class_report import LearnerReport
    from kueuelab.workshop.isolation import Isolation
    from kueuelab.workshop.rehearsal import Rehearsed

__all__ = ["commands"]

RecheckCode = Annotated[bool, typer.Option("--recheck-code", help="cli.workshop.recheck-code.help")]

commands = typer.Typer(
    help="cli.workshop.help",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)


@commands.command(help="cli.workshop.preflight.help")
def preflight(
    ctx: typer.Context,
    port: Annotated[int, typer.Option(min=0, max=65535, help="cli.workshop.port.help")] = 8888,
    seconds: Annotated[float, typer.Option(min=0, help="cli.workshop.seconds.help")] = 20,
    browser: Annotated[bool, typer.Option(help="cli.workshop.browser.help")] = True,
    as_json: AsJson = False,
) -> None:
    """Check that this machine is ready for the workshop."""
    from kueuelab.workshop.preflight import preflight as checks_of

    out = speaker(ctx)
    with out.progress(Message("cli.workshop.checking")) as count:
        found = []
        for each in checks_of(port, seconds, browser=browser):
            found.append(each)
            count()
    failed = [each for each in found if not each.passed]
    if as_json:
        out.say_json({"ready": not failed, "checks": [each.as_data() for each in found]})
    elif failed:
        out.say(
            Message("cli.workshop.not-ready", found=each.found, hint=each.hint) for each in failed
        )
    else:
        out.say([Message("cli.workshop.ready", found=separated(each.found for each in found))])
    if failed:
        raise typer.Exit(CHECK_FAILED)


@commands.command(help="cli.workshop.rehearse.help")
def rehearse(
    ctx: typer.Context,
    chosen: Annotated[
        list[str] | None, typer.Argument(metavar="PART", help="cli.workshop.part.help")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Run every notebook and solution in order, and print the times."""
    from kueuelab.workshop.rehearsal import rehearse as results_of

    out = speaker(ctx)
    found = []
    with out.progress(Message("cli.workshop.rehearsing")) as count:
        for each in results_of(chosen or ()):
            found.append(each)
            count()
            if not as_json:
                out.say([_rehearsed(each)])
    failed = [each for each in found if each.error]
    seconds = sum(each.seconds for each in found)
    if as_json:
        parts = [each.as_data() for each in found]
        out.say_json({"seconds": round(seconds, 1), "failed": len(failed), "parts": parts})
    else:
        total = {"count": len(found), "seconds": f"{seconds:.0f}", "failed": len(failed)}
        out.say([Message("cli.workshop.rehearsed", **total)])
    if failed:
        raise typer.Exit(CHECK_FAILED)


def _rehearsed(part: Rehearsed) -> Message:
    values = {"name": part.name, "seconds": f"{part.seconds:6.1f}"}
    if part.error:
        return Message("cli.workshop.part.failed", **values, error=part.error)
    return Message("cli.workshop.part", **values)


@commands.command(help="cli.workshop.serve.help")
def serve(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="cli.workshop.serve.folder.help")
    ] = Path("class"),
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="cli.workshop.serve.host.help")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option(min=0, max=65535, help="cli.workshop.serve.port.help")
    ] = 8765,
    recheck_code: RecheckCode = False,
    as_json: AsJson = False,
) -> None:
    """Serve a class: a live board of exercises, tries and results."""
    import asyncio
    import sys
    from importlib.util import find_spec

    from kueuelab.errors import KueueLabError

    out = speaker(ctx)
    if find_spec("tornado") is None:
        raise KueueLabError(
            Message("workshop.class.needs", package="tornado"),
            hint=Message("workshop.kernel.not-installed.hint"),
        )
    from kueuelab.workshop.classroom.server import Serving
    from kueuelab.workshop.classroom.server import serve as serve_class

    def started(serving: Serving) -> None:
        if as_json:
            addresses = {"board": serving.board, "class": serving.address}
            out.say_json({**addresses, "store": str(serving.store)})
        else:
            alone = host in ("127.0.0.1", "localhost", "::1")
            reached = "cli.workshop.serve.alone" if alone else "cli.workshop.serve.reached"
            out.say(
                [
                    Message("cli.workshop.serve.board", board=serving.board),
                    Message("cli.workshop.serve.learners", address=serving.address),
                    Message("cli.workshop.serve.store", store=serving.store),
                    Message(reached, host=host),
                    Message("cli.lab.stop"),
                ]
            )
        sys.stdout.flush()

    isolation = _isolation(recheck_code)
    asyncio.run(serve_class(folder, out.words, host, port, started, isolation))


def _isolation(recheck_code: bool) -> Isolation | None:
    """Return what isolates answers that are code, tested; ``None`` if they are not to run."""
    from kueuelab.workshop.isolation import Isolation

    return Isolation.tested() if recheck_code else None


@commands.command(help="cli.workshop.slides.help")
def slides(
    ctx: typer.Context,
    folder: Annotated[
        Path, typer.Argument(metavar="FOLDER", help="cli.workshop.slides.folder.help")
    ] = Path("slides"),
    only: Annotated[
        list[str] | None, typer.Option(metavar="PART", help="cli.workshop.slides.only.help")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Make slides of the notebooks."""
    from kueuelab.workshop.slides import make_slides

    out = speaker(ctx)
    found = []
    with out.progress(Message("cli.workshop.slides.making")) as count:
        for each in make_slides(folder, only or ()):
            found.append(each)
            count()
            if not as_json:
                out.say([Message("cli.workshop.slides.made", file=each.file, count=each.slides)])
    if as_json:
        out.say_json([{"file": str(each.file), "slides": each.slides} for each in found])


@commands.command(help="cli.workshop.report.help")
def report(
    ctx: typer.Context,
    folder: Annotated[
        Path,
        typer.Argument(
            metavar="FOLDER", exists=True, file_okay=False, help="cli.workshop.report.folder.help"
        ),
    ],
    recheck_code: RecheckCode = False,
    as_json: AsJson = False,
) -> None:
    """Show what a class solved; each answer is checked again."""
    from dataclasses import asdict

    from kueuelab.workshop.class_report import class_report

    out = speaker(ctx)
    with out.progress(Message("cli.workshop.rechecking")) as count:
        found = []
        for each in class_report(folder, _isolation(recheck_code)):
            found.append(each)
            count()
    if as_json:
        out.say_json(
            [{**asdict(each), "solved": each.solved, "unchecked": each.unchecked} for each in found]
        )
    else:
        for learner in found:
            out.say(_of_learner(learner))
    if any(each.problem for each in found):
        raise typer.Exit(BAD_INPUT)


def _of_learner(learner: LearnerReport) -> Iterator[str]:
    if learner.problem:
        yield Message("cli.workshop.unreadable", learner=learner.learner, problem=learner.problem)
        return
    yield Message("cli.workshop.learner", learner=learner.learner, count=learner.solved)
    if learner.unchecked:
        yield Message("cli.workshop.learner.unchecked", count=learner.unchecked)
    for each in learner.results:
        values = {
            "exercise": each.exercise,
            "state": Message(f"workshop.report.state.{each.state}"),
            "passed": each.passed,
            "of": each.of,
            "checks": each.checks,
        }
        if each.state == "unchecked":
            yield Message("cli.workshop.result.unchecked", **values)
        elif each.hints is None:
            yield Message("cli.workshop.result.sent", **values)
        else:
            yield Message("cli.workshop.result", **values, hints=each.hints)


@commands.command(help="cli.workshop.certificate.help")
def certificate(
    ctx: typer.Context,
    name: Annotated[
        str, typer.Option("--name", metavar="NAME", help="cli.workshop.certificate.name.help")
    ],
    progress: Annotated[
        Path | None,
        typer.Argument(
            metavar="PROGRESS",
            exists=True,
            dir_okay=False,
            help="cli.workshop.certificate.progress.help",
        ),
    ] = None,
    output: Annotated[
        Path,
        typer.Option("-o", "--output", metavar="FILE", help="cli.workshop.certificate.output.help"),
    ] = Path("certificate.html"),
    recheck_code: RecheckCode = False,
    as_json: AsJson = False,
) -> None:
    """Make a certificate of what a learner solved; each answer is checked again."""
    from kueuelab.files import write_text
    from kueuelab.workshop.certificate import certificate as certificate_of
    from kueuelab.workshop.progress import Progress

    out = speaker(ctx)
    with out.progress(Message("cli.workshop.rechecking")):
        found = certificate_of(name, Progress(progress).path, _isolation(recheck_code))
    for each in found.unconfirmed:
        out.complain(Message("cli.workshop.certificate.unconfirmed", exercise=each))
    for each in found.unchecked:
        out.complain(Message("cli.workshop.certificate.unchecked", exercise=each))
    if not found.solved:
        out.complain(Message("cli.workshop.certificate.none"))
        raise typer.Exit(CHECK_FAILED)
    write_text(output, found.as_html(out.words))
    if as_json:
        lists = {
            "solved": list(found.solved),
            "unconfirmed": list(found.unconfirmed),
            "unchecked": list(found.unchecked),
        }
        out.say_json({"certificate": str(output), **lists})
    else:
        count = len(found.solved)
        out.say([Message("cli.workshop.certificate.written", file=output, count=count)])


@commands.command(help="cli.workshop.pack.help")
def pack(
    ctx: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="cli.workshop.pack.output.help"),
    ] = None,
    extra: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="cli.workshop.pack.extra.help")
    ] = None,
    wheel: Annotated[str, typer.Option(metavar="FILE", help="cli.workshop.pack.wheel.help")] = "",
    as_json: AsJson = False,
) -> None:
    """Make one archive for machines without internet."""
    from kueuelab.workshop.packing import archive_name
    from kueuelab.workshop.packing import pack as pack_into

    out = speaker(ctx)
    with out.progress(Message("cli.workshop.packing")):
        made = pack_into(
            output or Path(archive_name()), out.words, extra or ("lab", "sweep"), wheel
        )
    counts = {"packages": made.packages, "files": made.files}
    if as_json:
        out.say_json({"archive": str(made.archive), **counts})
    else:
        out.say([Message("cli.workshop.packed", archive=made.archive, **counts)])
