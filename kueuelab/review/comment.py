"""A review as a comment on a pull request, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from kueuelab.messages import Catalog
from kueuelab.model import RELEASE
from kueuelab.review.reviewing import Course, QuotaChange, Review, WorkloadReview
from kueuelab.trace.wording import amount_text, span_text

__all__ = ["MARK", "comment"]

#: By this a workflow finds the comment that it wrote before.
MARK: Final = "<!-- kueuelab review -->"
#: So many workloads and findings have a line each.
_MOST_ROWS: Final = 30


def comment(review: Review, words: Catalog) -> str:
    """Return the comment.

    Parameters
    ----------
    review
        What the change would have done.
    words
        The language.

    Examples
    --------
    >>> from kueuelab.messages import english
    >>> print(comment(Review("run.json.gz", (), 3, (), (), 0, 0), english()).splitlines()[1])
    ### kueuelab: no workload would have gone another way
    """
    return "\n".join((MARK, *_lines(review, words), ""))


def _lines(review: Review, words: Catalog) -> Iterator[str]:
    waits, preempted, sooner = (
        len(review.of_kind(kind)) for kind in ("waits", "preempted", "sooner")
    )
    if not review.workloads:
        yield words.text("review.title.same")
    else:
        yield words.text("review.title", count=len(review.workloads), total=review.count)
        yield ""
        yield "- " + words.text("review.waits", count=waits)
        yield "- " + words.text("review.preempted", count=preempted)
        yield "- " + words.text("review.sooner", count=sooner)
    if review.quotas:
        yield ""
        yield words.text("review.quotas")
        yield ""
        yield from (_quota(each, words) for each in review.quotas)
    if review.workloads:
        yield ""
        yield words.text("review.table.head")
        yield "|---|---|---|---|---|"
        yield from (_row(each, words) for each in review.workloads[:_MOST_ROWS])
        more = len(review.workloads) - _MOST_ROWS
        if more > 0:
            yield ""
            yield words.text("review.more", count=more)
    yield ""
    yield from _findings(review, words)
    yield ""
    yield words.text(
        "review.basis", count=review.count, history=_code(review.history), kueue=RELEASE.version
    )
    if review.runs_unknown:
        form = "review.basis.no-runs" if review.runs is None else "review.basis.runs"
        time = span_text(review.runs or 0)
        yield words.text(form, count=review.runs_unknown, time=time)
    if review.left_out:
        yield words.text("review.basis.left-out", count=review.left_out)


def _quota(change: QuotaChange, words: Catalog) -> str:
    kind, owner, flavor, resource = change.name
    return "- " + words.text(
        "review.quota",
        kind=kind,
        owner=_code(owner),
        flavor=_code(flavor),
        resource=_code(resource),
        before=amount_text(resource, change.before),
        after=amount_text(resource, change.after),
    )


def _row(each: WorkloadReview, words: Catalog) -> str:
    kinds = words.join([words.text(f"review.kind.{kind}") for kind in each.kinds])
    queue = each.after.queue or each.before.queue
    cells = (kinds, _code(each.workload), _code(queue) if queue else "")
    return f"| {' | '.join((*cells, _course(each.before, words), _course(each.after, words)))} |"


def _course(course: Course, words: Catalog) -> str:
    if course.started is None:
        return words.text("review.course.never")
    form = "review.course.preempted" if course.preemptions else "review.course.starts"
    return words.text(
        form,
        started=span_text(course.started),
        count=course.preemptions,
        waited=span_text(course.waited),
    )


def _findings(review: Review, words: Catalog) -> Iterator[str]:
    yield words.text("review.findings", count=len(review.findings))
    if review.findings:
        yield ""
    for each in review.findings[:_MOST_ROWS]:
        yield "- " + words.text(
            "review.finding",
            level=words.text(f"lint.level.{each.level}"),
            rule=f"{each.rule.id} ({each.rule.name})",
            object=_code(str(each.object)),
            text=_escaped(words.render(each.text)),
            fix=_escaped(words.render(each.fix)),
        )


def _code(text: str) -> str:
    """Return a name as code; what would end the code or a cell of the table is left out."""
    return f"`{text.replace('`', '').replace('|', '').replace(chr(10), ' ')}`"


def _escaped(text: str) -> str:
    """Return a sentence in which nothing is Markdown, HTML or a name that is notified."""
    marked = "".join(f"\\{each}" if each in "\\`*_[]<>#|" else each for each in text)
    return marked.replace("@", "@\u200b").replace("\n", " ")
