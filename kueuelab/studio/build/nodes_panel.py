"""The form of the nodes of a draft: a row for each pool."""

from __future__ import annotations

from functools import partial
from typing import Any

import ipywidgets

from kueuelab.messages import Catalog
from kueuelab.session.building.draft import Draft, Edit
from kueuelab.session.building.nodes import (
    POOL_FIELDS,
    pools_of,
    with_pool,
    with_pool_field,
    without_pool,
)
from kueuelab.studio.controls import button
from kueuelab.widgets.forms import markup

__all__ = ["NodesPanel"]


class NodesPanel:
    """Shows pools of nodes and edits them; while there are as many, the controls stay.

    Parameters
    ----------
    words
        The language.
    edit
        Makes an edit.

    Attributes
    ----------
    controls
        The controls of each pool, by field.
    """

    def __init__(self, words: Catalog, edit: Edit) -> None:
        self._words = words
        self._edit = edit
        self._is_showing = False
        self.controls: list[dict[str, Any]] = []
        self._rows = ipywidgets.VBox()
        about = ipywidgets.HTML(markup("p", words.text("studio.build.nodes.about")))
        id_ = "studio.build.nodes.add"
        self.widget = ipywidgets.VBox(
            [about, self._rows, button(words, id_, f"{id_}.hover", lambda: edit(with_pool))]
        )

    def show(self, draft: Draft) -> None:
        """Show the pools of a draft."""
        pools = pools_of(draft)
        self._is_showing = True
        try:
            if len(pools) != len(self.controls):
                self.controls = [self._made(number) for number in range(len(pools))]
                self._rows.children = [
                    self._row(number, controls) for number, controls in enumerate(self.controls)
                ]
            for pool, controls in zip(pools, self.controls, strict=True):
                for field, control in controls.items():
                    control.value = pool.shown(field)
        finally:
            self._is_showing = False

    def _made(self, number: int) -> dict[str, Any]:
        found = {}
        for field in POOL_FIELDS:
            control = ipywidgets.Text(description=field, continuous_update=False)
            control.style.description_width = "initial"
            control.layout.width = "14em" if field in ("name", "flavor") else "9em"
            control.tooltip = self._words.text(f"studio.build.nodes.{field}")
            control.observe(partial(self._typed, number, field), names="value")
            found[field] = control
        return found

    def _row(self, number: int, controls: dict[str, Any]) -> Any:
        id_ = "studio.build.nodes.remove"
        gone = button(self._words, id_, f"{id_}.hover", partial(self._remove, number))
        row = ipywidgets.HBox([*controls.values(), gone])
        row.layout.flex_flow = "wrap"
        row.add_class("kl-buttons")
        return row

    def _typed(self, number: int, field: str, change: Any) -> None:
        text = str(change["new"]).strip()
        if not self._is_showing:
            self._edit(lambda draft: with_pool_field(draft, number, field, text))

    def _remove(self, number: int) -> None:
        self._edit(lambda draft: without_pool(draft, number))
