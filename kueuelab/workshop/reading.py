"""Reading an exercise from its folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import yaml

from kueuelab.errors import InputError, Location, Problem
from kueuelab.manifests.loading.moments import nanoseconds
from kueuelab.messages import Catalog, Message
from kueuelab.workshop.checks import (
    Admitted,
    AllAdmitted,
    Check,
    Evicted,
    ExpectationMet,
    NoLoop,
    NotEvicted,
)
from kueuelab.workshop.job_table import submissions
from kueuelab.workshop.multikueue_checks import NotNominated, RunsOn
from kueuelab.workshop.rules import AtMost, NoMore, Only, Rule
from kueuelab.workshop.spec import Case, ExerciseSpec
from kueuelab.workshop.texts import exercise_texts

__all__ = ["read_exercise"]

_FILE: Final = "exercise.yaml"


def read_exercise(folder: Path, language: str | Catalog = "en") -> ExerciseSpec:
    """Read an exercise, with its texts in a language.

    Raises
    ------
    InputError
        If its file is not as it should be.
    """
    file = folder / _FILE
    try:
        document = yaml.safe_load(file.read_text("utf-8"))
        spec = document["spec"]
        return ExerciseSpec(
            name=document["metadata"]["name"],
            folder=folder,
            taught_in=spec.get("taughtIn", ""),
            topic=spec["topic"],
            difficulty=spec["difficulty"],
            minutes=spec["minutes"],
            answer=spec.get("answer", "manifests"),
            start=(folder / "start.yaml").read_text("utf-8"),
            rules=tuple(_rule(rule) for rule in spec.get("rules", ())),
            cases=tuple(_case(case, folder) for case in spec["cases"]),
            texts=exercise_texts(folder, language),
            requires=tuple(spec.get("requires", ())),
        )
    except (yaml.YAMLError, KeyError, TypeError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        problem = Problem(
            Message("workshop.not-an-exercise", error=repr(error)), location=Location(str(file))
        )
        raise InputError(problem) from error


def _rule(rule: Mapping[str, Any]) -> Rule:
    if "atMost" in rule:
        return AtMost(rule["id"], rule["atMost"])
    if "noMore" in rule:
        return NoMore(rule["id"], rule["noMore"])
    return Only(rule["id"], {name: tuple(paths) for name, paths in rule["only"].items()})


def _case(case: Mapping[str, Any], folder: Path) -> Case:
    scenario = {
        name: value for name, value in case.items() if name not in ("id", "hidden", "edits")
    }
    if "jobs" in scenario:
        scenario["timeline"] = [
            *submissions(folder / scenario.pop("jobs")),
            *scenario.get("timeline", ()),
        ]
    expect: list[Any] = []
    checks = tuple(_check(check, expect) for check in scenario.pop("checks"))
    # In the order of time, as outcomes come.
    scenario["expect"] = expect
    return Case(
        case["id"],
        scenario,
        _in_order(checks, expect),
        case.get("hidden", False),
        case.get("edits", {}),
    )


def _check(check: Mapping[str, Any], expect: list[Any]) -> Check:
    if "expect" in check:
        expect.append(check["expect"])
        return ExpectationMet(check["id"], len(expect) - 1)
    verb = next((verb for verb in _CHECKS if verb in check), None)
    if verb is None:
        raise ValueError(f"unknown check {dict(check)}")
    return _CHECKS[verb](check)


def _in_order(checks: tuple[Check, ...], expect: list[Any]) -> tuple[Check, ...]:
    """Sort expectations by time, as they are checked, and number the checks accordingly."""
    order = sorted(range(len(expect)), key=lambda index: nanoseconds(expect[index]["at"]))
    place = {old: new for new, old in enumerate(order)}
    expect[:] = [expect[index] for index in order]
    return tuple(
        ExpectationMet(check.id, place[check.number])
        if isinstance(check, ExpectationMet)
        else check
        for check in checks
    )


def _key(name: str) -> str:
    return name if "/" in name else f"default/{name}"


def _listed(names: str | list[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _not_evicted(check: Mapping[str, Any]) -> Check:
    target = check["notEvicted"]
    if "workload" in target:
        return NotEvicted(check["id"], _key(target["workload"]))
    return NotEvicted(check["id"], queue=target.get("queue", ""))


def _admitted(check: Mapping[str, Any]) -> Check:
    target, within = check["admitted"], nanoseconds(check["within"])
    if isinstance(target, Mapping):
        return AllAdmitted(check["id"], target["localQueue"], within)
    return Admitted(check["id"], _key(target), within)


_CHECKS: Final[Mapping[str, Callable[[Mapping[str, Any]], Check]]] = {
    "admitted": _admitted,
    "notEvicted": _not_evicted,
    "evicted": lambda it: Evicted(it["id"], _key(it["evicted"]), it.get("reason", "")),
    "noLoop": lambda it: NoLoop(it["id"]),
    "runsOn": lambda it: RunsOn(it["id"], it["job"], _listed(it["runsOn"]), nanoseconds(it["at"])),
    "notNominated": lambda it: NotNominated(
        it["id"], it["job"], it["notNominated"], nanoseconds(it["before"])
    ),
}
