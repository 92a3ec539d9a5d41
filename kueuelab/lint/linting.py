"""`lint`: every rule on everything that is read, and what comments and settings leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from kueuelab.errors import Location, Problem, UnknownObjectError
from kueuelab.lint.catalogue import CATALOGUE, rule_named
from kueuelab.lint.ignoring import Comments
from kueuelab.lint.reading import Source, read
from kueuelab.lint.rule import Finding, Found, Level, Rule
from kueuelab.lint.settings import Settings
from kueuelab.lint.subject import Subject, subjects_of
from kueuelab.manifests import ScenarioSpec, load
from kueuelab.model import ModelObject
from kueuelab.whatif.advice.places import Places, Wanted

__all__ = ["Result", "lint", "lint_spec"]


@dataclass(frozen=True, slots=True)
class Result:
    """What was found in files and folders.

    Attributes
    ----------
    findings
        By file and line.
    problems
        What could not be read, or what the API server would refuse.
    ignored
        How many findings comments and settings turn off.
    unknown
        Comments that name rules which do not exist.
    places
        Where what was read is written, for each scenario and for all manifests together.
    """

    findings: tuple[Finding, ...] = ()
    problems: tuple[Problem, ...] = ()
    ignored: int = 0
    unknown: tuple[Problem, ...] = ()
    places: tuple[Places, ...] = field(default=(), compare=False)

    def has_at_least(self, level: Level) -> bool:
        """Tell whether there is a finding of a level or a higher one."""
        return any(each.level.rank >= level.rank for each in self.findings)


def lint(
    sources: Iterable[Source],
    settings: Settings | None = None,
    *,
    existing: Any = (),
    allow_outside: bool = False,
) -> Result:
    """Judge files and folders by all rules.

    Parameters
    ----------
    sources
        What to read.
    settings
        Which rules count.
    existing
        What the cluster has already.
    allow_outside
        Whether scenarios may name files outside of their folders.

    Examples
    --------
    >>> from kueuelab.lint.reading import Source
    >>> lint([Source("kind: [", "a.yaml")]).problems[0].location
    Location(file='a.yaml', line=1, column=8)
    """
    known = tuple(load(existing, keep_going=True)) if existing else ()
    results = [
        replace(
            lint_spec(loaded.spec, settings, places=loaded.places, existing=known),
            problems=loaded.problems,
        )
        for loaded in read(sources, existing=existing, allow_outside=allow_outside)
    ]
    # A file that several scenarios name is judged with each of them.
    findings = {_identity(each): each for result in results for each in result.findings}
    problems = dict.fromkeys(each for result in results for each in result.problems)
    return Result(
        tuple(sorted(findings.values(), key=_order)),
        tuple(problems),
        sum(result.ignored for result in results),
        tuple(dict.fromkeys(each for result in results for each in result.unknown)),
        tuple(each for result in results for each in result.places),
    )


def lint_spec(
    spec: ScenarioSpec,
    settings: Settings | None = None,
    *,
    places: Places | None = None,
    existing: Iterable[ModelObject] = (),
) -> Result:
    """Judge a scenario, manifests or a cluster's state by all rules.

    Parameters
    ----------
    spec
        What was loaded.
    settings
        Which rules count.
    places
        Where it is written.
    existing
        What the cluster has already.
    """
    settings = settings or Settings()
    places = places or Places()
    found = [
        (rule, subject, each)
        for subject in subjects_of(spec, places, existing)
        for rule in CATALOGUE
        if settings.counts(rule)
        for each in rule.check(subject)
    ]
    wanted = [Wanted(each.object, each.field, subject.cluster) for _, subject, each in found]
    objects = [each._replace(field="") for each in wanted]
    locations = places.find_all([*wanted, *objects])
    whole = _only_file(places)
    comments = _comments_of(places)
    findings: list[Finding] = []
    ignored = 0
    for (rule, subject, each), location, at in zip(
        found, locations, locations[len(found) :], strict=False
    ):
        if _is_ignored(rule, location, at, comments, settings):
            ignored += 1
        else:
            level = settings.level_of(rule)
            findings.append(_finding(rule, level, subject, each, location or whole))
    unknown = tuple(_unknown_rules(comments))
    return Result(tuple(sorted(findings, key=_order)), (), ignored, unknown, (places,))


def _finding(
    rule: Rule, level: Level, subject: Subject, found: Found, location: Location | None
) -> Finding:
    return Finding(
        rule,
        level,
        subject.cluster,
        found.object,
        found.field,
        rule.text(found),
        found.fix or rule.fix,
        location,
        found.edits,
    )


def _identity(finding: Finding) -> tuple[object, ...]:
    where = finding.location, finding.cluster, finding.object, finding.field
    return finding.rule.id, *where, finding.text


def _order(finding: Finding) -> tuple[Location, str, str]:
    return finding.location or Location(""), finding.rule.id, str(finding.object)


def _only_file(places: Places) -> Location | None:
    """Return the file that everything is in, if it is one: what is made from a short form, too."""
    sources = {item.document.source for item in places.items.values()}
    names = {source.name for source in sources if source is not None}
    return Location(names.pop()) if len(names) == 1 else None


def _comments_of(places: Places) -> dict[str, Comments]:
    """Return the comments of each file that turn rules off."""
    found: dict[str, Comments] = {}
    for item in places.items.values():
        source = item.document.source
        # The text within a ConfigMap is found in that of its file.
        if source is not None and not item.document.indent:
            found.setdefault(source.name, Comments(source.text))
    return found


def _unknown_rules(comments: Mapping[str, Comments]) -> Iterator[Problem]:
    """Yield what comments name that is no rule."""
    for file, of_file in comments.items():
        for ignored in of_file.by_line.values():
            for name in ignored.rules:
                try:
                    rule_named(name)
                except UnknownObjectError as error:
                    where = Location(file, ignored.line)
                    problem = error.problem
                    yield Problem(problem.message, location=where, hint=problem.hint)


def _is_ignored(
    rule: Rule,
    location: Location | None,
    object_at: Location | None,
    comments: dict[str, Comments],
    settings: Settings,
) -> bool:
    if location is None:
        return False
    if not settings.counts_in(rule, location.file):
        return True
    of_file = comments.get(location.file)
    if of_file is None:
        return False
    lines = {each.line for each in (location, object_at) if each is not None}
    return any(
        each.covers(rule.id, rule.name) for line in sorted(lines) for each in of_file.of_line(line)
    )
