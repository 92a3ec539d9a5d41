"""A run as one web page that needs nothing else: open it in a browser, offline too.

The page holds the frames of all steps and the modules that draw them. All that comes from the run
is put in as data and shown as text.
"""

from __future__ import annotations

from kueuelab import frontend
from kueuelab.messages import Catalog
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.document import Document

__all__ = ["page"]


def page(trace: Trace, catalog: Catalog | None = None) -> str:
    """Return the page of a run.

    Parameters
    ----------
    trace
        The record of the run; it must have steps.
    catalog
        Sentences in another language than English.

    Raises
    ------
    ValueError
        If the run has no steps.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> "<title>kueuelab</title>" in page(scenarios.load("reclaim-1-take-back").run().trace)
    True
    """
    document = Document(trace, language=catalog)
    return frontend.page(document.as_data(range(document.count), whys=True), catalog)
