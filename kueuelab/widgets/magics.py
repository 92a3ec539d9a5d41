"""``%%kueue``: a cell with YAML runs, and shows its view."""

from __future__ import annotations

from typing import Any

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, magics_class
from IPython.core.magic_arguments import argument, magic_arguments, parse_argstring
from IPython.display import display

from kueuelab.errors import KueueLabError
from kueuelab.messages import Message, english, language_of

__all__ = ["KueueMagics"]


@magics_class
class KueueMagics(Magics):
    """What ``%load_ext kueuelab`` adds."""

    @magic_arguments()
    @argument("--name", default="run", help=Message("widgets.magic.name"))
    @argument("--until", type=float, default=None, help=Message("widgets.magic.until"))
    @argument("--language", default="en", help=Message("widgets.magic.language"))
    @argument("--quiet", action="store_true", help=Message("widgets.magic.quiet"))
    @cell_magic
    def kueue(self, line: str, cell: str) -> None:
        """Run the scenario, manifests or dump that a cell has as YAML, and show the run."""
        given = parse_argstring(self.kueue, line)
        if not given.name.isidentifier():
            raise UsageError(Message("widgets.magic.no-name", name=repr(given.name)))
        words = english()
        try:
            words = language_of(given.language)
            # The magic is the first line of the cell.
            run = _run(f"\n{cell}", given.until)
        except KueueLabError as error:
            raise UsageError(error.render(words)) from None
        assert self.shell is not None
        self.shell.user_ns[given.name] = run
        if not given.quiet:
            display(run.lab(language=words))


def _run(text: str, until: float | None) -> Any:
    from kueuelab.manifests import load_scenario
    from kueuelab.multikueue import MultiKueueScenario
    from kueuelab.whatif.clusters import MultiKueueLab
    from kueuelab.whatif.lab import Lab

    spec = load_scenario(text, name=Message("widgets.magic.cell"))
    lab: Lab | MultiKueueScenario = MultiKueueLab(spec) if spec.workers else Lab(spec)
    return lab.run(until=until)
