"""``kueuelab exercise``: learn by doing, and have it checked."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from kueuelab.cli.completing import exercises
from kueuelab.cli.output import BAD_INPUT, CHECK_FAILED, AsJson, Speaker, speaker
from kueuelab.cli.step import Followed, Keys, Place, step_through
from kueuelab.cli.terminating import terminable
from kueuelab.errors import UnknownObjectError
from kueuelab.messages import Message

if TYPE_CHECKING:
    from kueuelab.live.mirror import Mirror
    from kueuelab.manifests import ScenarioSpec
    from kueuelab.workshop import Exercise, Feedback
    from kueuelab.workshop.feedback import Verdict

__all__ = ["commands"]

commands = typer.Typer(
    help="cli.exercise.help",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_Name = Annotated[
    str, typer.Argument(metavar="EXERCISE", help="cli.exercise.name.help", autocompletion=exercises)
]
_Folder = Annotated[
    Path | None,
    typer.Option(
        "--folder",
        help="cli.exercise.folder.help",
    ),
]


def _opened(name: str, folder: Path | None, out: Speaker) -> Exercise:
    from kueuelab import workshop

    if folder is None:
        found = [place for place in (Path(name), Path("exercises", name)) if place.is_dir()]
        folder = found[0] if found else Path()
    return workshop.exercise(name, folder, language=out.words)


@commands.command("list", help="cli.exercise.list.help")
def list_all(ctx: typer.Context, as_json: AsJson = False) -> None:
    """List all exercises, and how far you are with each."""
    from kueuelab import workshop
    from kueuelab.workshop.library import by_topic

    out = speaker(ctx)
    records = workshop.Progress().records()
    shown = workshop.exercise_map(out.words)
    course = workshop.specs(out.words)
    rows: list[dict[str, Any]] = [
        {
            "name": spec.name,
            "title": spec.title,
            "topic": spec.texts.text(f"workshop.topic.{spec.topic}"),
            "difficulty": spec.difficulty,
            "minutes": spec.minutes,
            "state": records[spec.name].state if spec.name in records else "new",
            "requires": list(spec.requires),
            "next": shown.next is not None and spec.name == shown.next.name,
        }
        for spec in (course if as_json else by_topic(course))
    ]
    if as_json:
        out.say_json(rows)
        return
    width = max(len(row["name"]) for row in rows)
    topic = ""
    for row in rows:
        if row["topic"] != topic:
            topic = row["topic"]
            out.say([topic])
        difficulty = out.text(f"workshop.difficulty.{row['difficulty']}")
        state = out.text(f"workshop.state.{row['state']}")
        line = Message(
            "cli.exercise.row",
            name=f"{row['name']:{width}}",
            difficulty=f"{difficulty:6}",
            minutes=f"{row['minutes']:3}",
            state=f"{state:8}",
            title=row["title"],
        )
        out.say([line])
    out.say(["", shown.suggestion])


@commands.command("map", help="cli.exercise.map.help")
def show_map(
    ctx: typer.Context,
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", metavar="FILE", help="cli.exercise.map.output.help"),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show all exercises with what they require, your progress, and what is next."""
    from kueuelab import workshop
    from kueuelab.files import write_text

    out = speaker(ctx)
    shown = workshop.exercise_map(out.words)
    if output is not None:
        write_text(output, shown.as_svg())
    if as_json:
        out.say_json(shown.as_data())
    elif output is not None:
        out.say([Message("cli.exercise.map.written", file=output)])
    else:
        out.say([shown.as_text()])


@commands.command(help="cli.exercise.start.help")
def start(ctx: typer.Context, name: _Name, folder: _Folder = None, as_json: AsJson = False) -> None:
    """Put an exercise's notebook and manifests into a folder; what is there is left alone."""
    from kueuelab import workshop
    from kueuelab.workshop.starter import start_exercise

    out = speaker(ctx)
    target = folder or Path(name)
    written = start_exercise(name, target)
    exercise = workshop.exercise(name, target, language=out.words)
    if as_json:
        out.say_json({"exercise": name, "files": [each.as_data() for each in written]})
        return
    out.say([exercise.as_text(), ""])
    out.say(each.text for each in written)


@commands.command(help="cli.exercise.check.help")
def check(
    ctx: typer.Context,
    name: _Name,
    folder: _Folder = None,
    on: Annotated[
        str,
        typer.Option(
            metavar="CONTEXT",
            help="cli.exercise.on.help",
        ),
    ] = "",
    allow: Annotated[
        list[str] | None,
        typer.Option("--allow-context", metavar="NAME", help="cli.option.allow-context"),
    ] = None,
    speed: Annotated[
        float,
        typer.Option(
            min=0.1,
            help="cli.exercise.speed.help",
        ),
    ] = 1,
    address: Annotated[
        str,
        typer.Option(
            "--class",
            metavar="URL",
            envvar="KUEUELAB_CLASS",
            show_envvar=False,
            help="cli.exercise.class.help",
        ),
    ] = "",
    no_class: Annotated[
        bool, typer.Option("--no-class", help="cli.exercise.no-class.help")
    ] = False,
    learner: Annotated[
        str, typer.Option("--name", metavar="NAME", help="cli.exercise.learner.help")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Check an answer, also with hidden cases."""
    from kueuelab.cli.class_sending import joined, remembered, send_attempt

    out = speaker(ctx)
    if speed != 1 and not on:
        raise typer.BadParameter(out.text("cli.exercise.not-on"), param_hint="--speed")
    exercise = _opened(name, folder, out)
    # What is judged on a cluster is no result of the exercise.
    membership = None
    if not on and not no_class:
        membership = (
            joined(exercise, address, learner, out)
            if address
            else remembered(exercise, learner, out)
        )
    with out.progress(exercise.spec.title):
        feedback = exercise.check(_Cluster(on, allow or (), speed, out) if on else None)
    traces = _kept_traces(exercise, feedback) if on else {}

    def opening(verdict: Verdict) -> str:
        # People count steps from 1.
        at = ("--at", str((verdict.step or 0) + 1))
        if on:
            return shlex.join(["kueuelab", "step", str(traces[verdict.case]), *at])
        place = ("--folder", str(folder)) if folder is not None else ()
        case = ("--case", verdict.case)
        return shlex.join(["kueuelab", "exercise", "step", name, *place, *case, *at])

    if as_json:
        out.say_json(feedback.as_data(opening))
    else:
        out.say([feedback.as_text(opening)])
    if membership is not None:
        send_attempt(membership, exercise, feedback, out)
    if feedback.problems:
        raise typer.Exit(BAD_INPUT)
    if not feedback.passed and not feedback.failed:
        raise typer.Exit(BAD_INPUT)
    if not feedback.passed:
        raise typer.Exit(CHECK_FAILED)


class _Cluster:
    """Runs cases on a real cluster."""

    def __init__(self, context: str, allowed: Sequence[str], speed: float, out: Speaker) -> None:
        self.name, self.speed = context, speed
        self._allowed, self._out = allowed, out

    def tell(self, sentence: str) -> None:
        """Tell the learner something before it takes long."""
        self._out.complain(sentence)

    def require_playable(self, scenario: ScenarioSpec) -> None:
        """Refuse what no run can do on any cluster."""
        from kueuelab.live.requests import requests_of

        requests_of(scenario, played=True)

    def play(self, scenario: ScenarioSpec, seconds: float) -> Mirror:
        """Play a case, and tell how long it may take."""
        from kueuelab.live.live_run import play_on

        most = {"case": scenario.name, "context": self.name, "seconds": f"{seconds:.0f}"}
        self._out.complain(Message("cli.exercise.runs", **most))
        with terminable():
            return play_on(
                scenario,
                self.name,
                allowed=self._allowed,
                seconds=seconds,
                speed=self.speed,
                tell=self._out.complain,
            ).mirror


def _kept_traces(exercise: Exercise, feedback: Feedback) -> dict[str, Path]:
    """Keep what happened on the cluster where something failed, to step through it."""
    from kueuelab.trace.export import write_trace

    found: dict[str, Path] = {}
    for verdict in feedback.failed:
        if verdict.played is not None and verdict.case not in found:
            found[verdict.case] = exercise.folder / f"on-cluster-{verdict.case}.json.gz"
            write_trace(verdict.played.trace, found[verdict.case])
    return found


@commands.command(help="cli.exercise.step.help")
def step(
    ctx: typer.Context,
    name: _Name,
    folder: _Folder = None,
    case: Annotated[str, typer.Option(metavar="CASE", help="cli.exercise.case.help")] = "",
    workload: Followed = "",
    at: Place = "",
    keys: Keys = "",
) -> None:
    """Step through a case with the answer as it is, in the terminal."""
    out = speaker(ctx)
    exercise = _opened(name, folder, out)
    cases = [each.id for each in exercise.spec.cases]
    if case and case not in cases:
        raise UnknownObjectError(Message("cli.kind.case"), case, cases)
    step_through(exercise.run(case).trace, out, workload, at, keys)


@commands.command(help="cli.exercise.hint.help")
def hint(
    ctx: typer.Context,
    name: _Name,
    reveal: Annotated[bool, typer.Option("--reveal", help="cli.exercise.reveal.help")] = False,
    as_json: AsJson = False,
) -> None:
    """Give the next hint; each helps more than the one before."""
    out = speaker(ctx)
    exercise = _opened(name, None, out)
    answer = exercise.reveal() if reveal else exercise.hint()
    if as_json:
        out.say_json({"exercise": name, "hints": exercise.record.hints, "text": answer.text})
    else:
        out.say([answer.text])


@commands.command(help="cli.exercise.progress.help")
def progress(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Show how far you are."""
    from dataclasses import asdict

    from kueuelab import workshop

    out = speaker(ctx)
    known = workshop.Progress()
    records = known.records()
    names = workshop.names()
    if as_json:
        found = {name: asdict(records[name]) for name in names if name in records}
        solved = sum(record.solved for record in records.values())
        out.say_json(
            {"file": str(known.path), "solved": solved, "of": len(names), "exercises": found}
        )
        return
    out.say([workshop.exercise(names[0], language=out.words).progress.text])


@commands.command(help="cli.exercise.send.help")
def send(ctx: typer.Context, as_json: AsJson = False) -> None:
    """Send a class what was kept while it could not be reached."""
    from kueuelab import workshop
    from kueuelab.cli.class_sending import send_kept

    out = speaker(ctx)
    found = list(send_kept(workshop.Progress().path.parent, out))
    kept = sum(each.kept for each in found)
    if as_json:
        out.say_json({"stored": sum(each.stored for each in found), "kept": kept})
    elif not found:
        out.say([Message("cli.class.nothing")])
    if kept:
        raise typer.Exit(CHECK_FAILED)


@commands.command(help="cli.exercise.reset.help")
def reset(ctx: typer.Context, name: _Name, folder: _Folder = None, as_json: AsJson = False) -> None:
    """Begin anew: hints and checks are forgotten, the answer is put aside."""
    out = speaker(ctx)
    answer = _opened(name, folder, out).reset()
    if as_json:
        out.say_json({"exercise": name, "text": answer.text})
    else:
        out.say([answer.text])
