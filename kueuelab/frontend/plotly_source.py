"""plotly as the browser runs it: of the Python package, if that is installed."""

from __future__ import annotations

from importlib import resources
from importlib.util import find_spec

__all__ = ["plotly_source"]


def plotly_source() -> str:
    """Return the script, empty if plotly is not installed."""
    if find_spec("plotly") is None:
        return ""
    script = resources.files("plotly").joinpath("package_data", "plotly.min.js")
    return script.read_text("utf-8")
