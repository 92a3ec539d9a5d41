"""A view of one of several runs, with a list to choose from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from kueuelab.teaching.measures import AnyRun

__all__ = ["choose"]


def choose(runs: Mapping[str, AnyRun]) -> Any:
    """Return a list of runs to choose from; the run that is chosen is shown with its story.

    Each opens where targets for preemption are chosen first, or at its last admission.

    Examples
    --------
    >>> from kueuelab import scenarios
    >>> runs = {name: scenarios.load(name).run() for name in ("within-1-all-in-one-queue",)}
    >>> choose(runs).children[0].options
    ('within-1-all-in-one-queue',)
    """
    import ipywidgets

    from kueuelab.messages import english
    from kueuelab.widgets import Stepper
    from kueuelab.widgets.forms import markup

    words = english()
    choice = ipywidgets.Dropdown(
        options=tuple(runs),
        description=words.text("teaching.choose.variant"),
        layout={"width": "max-content"},
    )
    shown = ipywidgets.VBox()

    def show(_: Any = None) -> None:
        run = runs[choice.value]
        spec = run.scenario.spec
        story = ipywidgets.Accordion(
            [ipywidgets.HTML(markup("p", f"{spec.description} {spec.outcome}".rstrip()))],
            titles=(words.text("teaching.choose.story"),),
        )
        at = run.until(event="preempting") if run.trace.of_kind("Preempting") else None
        title = ipywidgets.Label(run.scenario.title)
        shown.children = [title, Stepper(run, at=at).widget, story]

    choice.observe(show, names="value")
    show()
    return ipywidgets.VBox([choice, shown])
