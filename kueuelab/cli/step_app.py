"""The stepper as a full-screen program of the terminal, on Textual."""

from __future__ import annotations

from typing import Any, Final

from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import Container, ScrollableContainer
from textual.events import Click, Resize
from textual.screen import ModalScreen
from textual.widgets import Footer, Input, Static

from kueuelab.cli.stepper import Stepper
from kueuelab.printable import escaped

__all__ = ["StepApp"]

#: From this width on, all panes are side by side; below, the chosen one is shown.
_WIDE: Final = 110
_PANES: Final = ("picture", "queues", "decision")

#: Keys that move, and the move; what is shown of them in the help is in the catalogue.
_MOVES: Final = (
    ("n", "forward"),
    ("b", "back"),
    ("c", "next_cycle"),
    ("C", "previous_cycle"),
    ("e", "next_entry"),
    ("E", "previous_entry"),
    ("p", "next_preemption"),
    ("P", "previous_preemption"),
    ("w", "next_about"),
    ("W", "previous_about"),
    ("g", "start"),
    ("G", "end"),
)
#: Keys that would scroll a pane instead.
_MOVES_FIRST: Final = (
    ("right", "forward"),
    ("left", "back"),
    ("home", "start"),
    ("end", "end"),
)
#: Moves that the last line has: the others are in the help.
_IN_FOOTER: Final = ("forward", "back", "next_cycle", "next_preemption")


class _Help(ModalScreen[None]):
    """All keys; any of them closes it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self._text = text

    def compose(self) -> ComposeResult:
        """Show the keys."""
        yield ScrollableContainer(Static(self._text, markup=False), id="keys")

    def on_key(self, event: Any) -> None:
        """Close it, except for keys that scroll."""
        if event.key not in ("up", "down", "pageup", "pagedown"):
            event.stop()
            self.dismiss()

    def on_click(self, _: Click) -> None:
        """Close it."""
        self.dismiss()


class StepApp(App[None]):
    """Steps through a run.

    Parameters
    ----------
    stepper
        The run, at the place to begin with.
    """

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    #sentence { height: auto; min-height: 3; max-height: 40%; padding: 0 1;
                background: $primary-background; text-style: bold; }
    #panes { height: 1fr; layout: grid; grid-size: 2 2; grid-columns: 1fr 1fr; grid-rows: 1fr 1fr; }
    .pane { border: round $surface-lighten-2; padding: 0 1; }
    .pane:focus { border: round $accent; }
    #picture { row-span: 2; }
    #picture-text, #queues-text { width: auto; }
    .narrow #panes { grid-size: 1 1; grid-columns: 1fr; grid-rows: 1fr; }
    .narrow .pane { display: none; }
    .narrow .chosen { display: block; row-span: 1; }
    #status { height: 1; padding: 0 1; color: $text-warning; }
    #prompt { display: none; height: 3; }
    #prompt.asking { display: block; }
    _Help { align: center middle; }
    #keys { width: 72; max-width: 100%; height: auto; max-height: 100%; padding: 0 1;
            border: round $accent; background: $surface; }
    """

    def __init__(self, stepper: Stepper) -> None:
        super().__init__()
        self._stepper = stepper
        self._say = stepper.words.text
        self._chosen = "picture"
        self._question = ""
        self._searched = ""

    @property
    def stepper(self) -> Stepper:
        """The cursor over the run."""
        return self._stepper

    def compose(self) -> ComposeResult:
        """Put the sentence above, the panes below it, and the keys last."""
        yield Static(id="sentence", markup=False)
        with Container(id="panes"):
            for number, name in enumerate(_PANES, start=1):
                pane = ScrollableContainer(
                    Static(id=f"{name}-text", markup=False), id=name, classes="pane"
                )
                pane.border_title = f"{number} {self._say(f'cli.step.pane.{name}')}"
                yield pane
        yield Input(id="prompt")
        yield Static(id="status", markup=False)
        yield Footer(show_command_palette=False)

    def on_mount(self) -> None:
        """Bind the keys, with their names in the reader's language, and show the first place."""
        for keys, move in _MOVES:
            self._bind(keys, f"move('{move}')", f"cli.step.key.{move}", shown=move in _IN_FOOTER)
        for key, move in _MOVES_FIRST:
            self._bind(key, f"move('{move}')", f"cli.step.key.{move}", shown=False, first=True)
        self._bind("colon", "ask('go')", "cli.step.key.go", shown=True)
        self._bind("slash", "ask('search')", "cli.step.key.search", shown=True)
        for number, name in enumerate(_PANES, start=1):
            self._bind(str(number), f"choose('{name}')", "cli.step.key.pane", shown=False)
        self._bind("tab", "next_pane", "cli.step.key.pane", shown=False, first=True)
        self._bind("question_mark", "help", "cli.step.key.help", shown=True)
        self._bind("q", "quit", "cli.step.key.quit", shown=True)
        self.action_choose("picture")
        self._show()

    def _bind(self, keys: str, action: str, name: str, *, shown: bool, first: bool = False) -> None:
        short = ".short" if shown else ""
        bindings: list[BindingType] = list(
            Binding.make_bindings(
                [Binding(keys, action, self._say(f"{name}{short}"), show=shown, priority=first)]
            )
        )
        for binding in bindings:
            assert isinstance(binding, Binding)
            self._bindings.key_to_bindings.setdefault(binding.key, []).append(binding)
        self.refresh_bindings()

    # --- what is shown -----------------------------------------------------------------------

    def _show(self) -> None:
        head, _, details = self._stepper.decision.partition("\n")
        sentence, _, details = details.partition("\n")
        self._put("sentence", f"{head}\n{sentence}")
        self._put("decision-text", details or self._say("cli.step.no-details"))
        self._put("picture-text", self._stepper.picture)
        self._put("queues-text", self._stepper.queues)

    def _put(self, place: str, text: str) -> None:
        self.query_one(f"#{place}", Static).update(escaped(text))

    def _tell(self, text: str = "") -> None:
        self._put("status", text)

    def on_resize(self, event: Resize) -> None:
        """Show one pane at a time where there is no room for all."""
        self.screen_stack[0].set_class(event.size.width < _WIDE, "narrow")

    # --- what keys do ------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave the keys to a question while it is asked."""
        asking = bool(self.query("#prompt.asking"))
        return not (asking and action in ("move", "next_pane"))

    def action_move(self, name: str) -> None:
        """Move to another step."""
        moved = self._stepper.move(name)
        self._tell("" if moved else self._say("cli.step.no-further"))
        self._show()

    def action_choose(self, name: str) -> None:
        """Choose a pane: it gets the keys that scroll."""
        self._chosen = name
        for each in _PANES:
            self.query_one(f"#{each}").set_class(each == name, "chosen")
        self.query_one(f"#{name}").focus()

    def action_next_pane(self) -> None:
        """Choose the next pane."""
        self.action_choose(_PANES[(_PANES.index(self._chosen) + 1) % len(_PANES)])

    def action_ask(self, question: str) -> None:
        """Ask for a place to go to, or for a text to search."""
        self._question = question
        prompt = self.query_one("#prompt", Input)
        prompt.placeholder = self._say(f"cli.step.ask.{question}")
        prompt.value = self._searched if question == "search" else ""
        prompt.add_class("asking")
        prompt.focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Go there, or search."""
        text = event.value
        self._answered()
        if not text.strip():
            return
        if self._question == "search":
            self._searched = text
        found = (self._stepper.search if self._question == "search" else self._stepper.go)(text)
        self._tell("" if found else self._say(f"cli.step.not-found.{self._question}", text=text))
        self._show()

    def on_key(self, event: Any) -> None:
        """Leave a question without an answer; without one, leave."""
        if event.key == "escape":
            event.stop()
            if self.query_one("#prompt").has_class("asking"):
                self._answered()
            else:
                self.exit()

    def _answered(self) -> None:
        self.query_one("#prompt").remove_class("asking")
        self.action_choose(self._chosen)

    def action_help(self) -> None:
        """Show all keys."""
        lines = [self._say("cli.step.help-title"), ""]
        named = [*_MOVES, (":", "go"), ("/", "search"), ("Tab 1 2 3", "pane"), ("?", "help")]
        for keys, name in [*named, ("q Esc", "quit")]:
            text = self._say(f"cli.step.key.{name}")
            keys = " ".join([*(key for key, move in _MOVES_FIRST if move == name), keys])
            lines.append(f"  {keys:<10}  {text}")
        lines += ["", self._say("cli.step.help-mouse")]
        self.push_screen(_Help(escaped("\n".join(lines))))
