"""How the studio is served by Voila."""

from __future__ import annotations

import nbformat
import pytest
from jupyter_server.serverapp import ServerApp
from traitlets.config import Config

pytest.importorskip("voila", reason="Voila is not installed: pip install '.[lab]'")

from voila.execute import VoilaExecutor

from kueuelab.studio.served.extension import _studio_settings


@pytest.mark.parametrize(
    ("configured", "seconds"), [({}, 300), ({"VoilaExecutor": {"iopub_timeout": 7}}, 7)]
)
def test_what_a_cell_shows_may_come_late(configured: dict[str, object], seconds: int) -> None:
    settings = _studio_settings(ServerApp(config=Config(configured)))
    executor = VoilaExecutor(nbformat.v4.new_notebook(), config=settings["config"])
    assert executor.iopub_timeout == seconds
