"""A run as one web page that needs nothing else: open it in a browser, offline too.

The page holds the frames of all steps and the modules that draw them. All that comes from the run
is put in as data and shown as text.
"""

from __future__ import annotations

from kueuelab import frontend
from kueuelab.errors import KueueLabError
from kueuelab.frontend.plotly_source import plotly_source
from kueuelab.messages import Catalog, Message
from kueuelab.trace.trace import Trace
from kueuelab.views.frame.document import Document
from kueuelab.views.opening import opening_step

__all__ = ["page"]


def page(trace: Trace, catalog: Catalog | None = None, *, inline_plotly: bool = False) -> str:
    """Return the page of a run.

    Parameters
    ----------
    trace
        The record of the run; it must have steps.
    catalog
        Sentences in another language than English.
    inline_plotly
        Whether plotly is in the page: it draws all charts, and the page is 5 MB larger.

    Raises
    ------
    ValueError
        If the run has no steps.
    KueueLabError
        If plotly is wanted, and it is not installed.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> "<title>kueuelab</title>" in page(scenarios.load("reclaim-1-take-back").run().trace)
    True
    """
    document = Document(trace, start=opening_step(trace), language=catalog)
    plotly = plotly_source() if inline_plotly else ""
    if inline_plotly and not plotly:
        raise KueueLabError(
            Message("trace.page.no-plotly"), hint=Message("trace.page.no-plotly.hint")
        )
    return frontend.page(document.as_data(range(document.count), whys=True), catalog, plotly)
