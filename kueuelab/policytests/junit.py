"""Verdicts as JUnit's XML, which CI systems show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from kueuelab.messages import Catalog
from kueuelab.policytests.verdicts import Verdict

__all__ = ["junit_xml"]


def junit_xml(
    verdicts: Mapping[str, Sequence[Verdict]], errors: Mapping[str, str], catalog: Catalog
) -> str:
    """Return verdicts as a document: a suite for each file, a case for each expectation.

    Parameters
    ----------
    verdicts
        By file.
    errors
        Why a file could not be run, by file.
    catalog
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> print(junit_xml({}, {"a.scenario.yaml": "it is empty"}, english()))
    <?xml version="1.0" encoding="utf-8"?>
    <testsuites tests="1" failures="0" errors="1">
      <testsuite name="a.scenario.yaml" tests="1" failures="0" errors="1">
        <testcase classname="a.scenario.yaml" name="load">
          <error message="it is empty" />
        </testcase>
      </testsuite>
    </testsuites>
    """
    root = Element("testsuites")
    for file in sorted({*verdicts, *errors}):
        suite = SubElement(root, "testsuite", name=file)
        for verdict in verdicts.get(file, ()):
            case = SubElement(suite, "testcase", classname=file, name=verdict.name)
            case.set("file", file)
            case.set("line", str(verdict.line))
            if not verdict.passed:
                SubElement(case, "failure", message=_xml(catalog.render(verdict.text)))
        if file in errors:
            case = SubElement(suite, "testcase", classname=file, name="load")
            SubElement(case, "error", message=_xml(errors[file]))
        _count(suite)
    _count(root)
    indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{tostring(root, "unicode")}'


def _count(element: Element) -> None:
    element.set("tests", str(len(list(element.iter("testcase")))))
    element.set("failures", str(len(list(element.iter("failure")))))
    element.set("errors", str(len(list(element.iter("error")))))


def _xml(text: str) -> str:
    """Return a text without what XML can't hold."""
    return "".join(
        char if char >= " " or char in "\t\n" else "\N{REPLACEMENT CHARACTER}" for char in text
    )
