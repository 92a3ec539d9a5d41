"""What the views show needs no notebook: a terminal steps without widgets and figures."""

from __future__ import annotations

import subprocess
import sys

import pytest

import kueuelab.widgets

#: What only ``pip install kueuelab[lab]`` brings.
LAB_ONLY = ("ipywidgets", "anywidget", "plotly", "networkx", "traitlets", "IPython", "notebook")

#: Runs a command with none of these to be found.
WITHOUT = f"""
import sys


class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {LAB_ONLY!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)


sys.meta_path.insert(0, Missing())
"""


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", WITHOUT + code], capture_output=True, text=True, check=False
    )


def test_the_terminal_steps_without_the_lab_extra() -> None:
    result = python(
        "from kueuelab.__main__ import main\n"
        "sys.argv = ['kueuelab', 'step', 'reclaim-1-take-back', '--keys', 'pb']\n"
        "main()\n"
    )
    assert result.returncode == 0, result.stderr
    assert "default/job-1 is preempted by default/job-2 (InCohortReclamation)" in result.stdout
    assert "borrows 300m" in result.stdout


def test_a_view_says_what_is_missing_only_when_it_is_asked_for() -> None:
    result = python(
        "import kueuelab as kl\n"
        "print(sorted(kl.widgets.__all__)[0])\n"
        "try:\n"
        "    kl.widgets.Stepper\n"
        "except ModuleNotFoundError as error:\n"
        "    print(error)\n"
    )
    first, error = result.stdout.splitlines()
    assert first == "Board", result.stderr
    assert error in ("No module named 'anywidget'", "No module named 'traitlets'")


@pytest.mark.parametrize("name", kueuelab.widgets.__all__)
def test_every_view_is_found_where_it_is_said_to_be(name: str) -> None:
    assert callable(getattr(kueuelab.widgets, name))
    assert name in dir(kueuelab.widgets)


def test_there_is_nothing_else() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Sttepper'"):
        _ = kueuelab.widgets.Sttepper
