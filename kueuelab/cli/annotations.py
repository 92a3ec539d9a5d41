"""What GitHub shows beside the lines of a pull request."""

from __future__ import annotations

from kueuelab.errors import Location

__all__ = ["annotation"]


def annotation(level: str, where: Location, title: str, text: str) -> str:
    r"""Return a command of GitHub's workflows that annotates a line.

    Examples
    --------
    >>> annotation("warning", Location("a.yaml", 3), "Cohort/all", "one\ntwo")
    '::warning file=a.yaml,line=3,title=Cohort/all::one%0Atwo'
    """
    parts = {"file": where.file, "line": where.line, "col": where.column, "title": title}
    given = ",".join(f"{name}={_property(value)}" for name, value in parts.items() if value)
    return f"::{level} {given}::{_data(text)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(value: object) -> str:
    return _data(str(value)).replace(":", "%3A").replace(",", "%2C")
