"""The board of a class in a browser: it is read in light and dark, and stays up to date."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Final

import pytest
from class_server import servers
from pages import violations

from kueuelab import workshop
from kueuelab.workshop.classroom import Attempt, ClassAddress, Membership
from kueuelab.workshop.classroom.attempt import new_id
from kueuelab.workshop.classroom.store import ClassStore
from kueuelab.workshop.rechecking import Judgement

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser

NAMES: Final = (
    "Ada", "Ben", "Chiyo", "Dmitri", "Emeka", "Fatima", "Grace", "Hana", "Iván", "Jun", "Kofi",
    "<b>Lena</b>", "Mei", "Noor", "a-name-of-forty-characters-without-a-spac",
)  # fmt: skip
EXERCISES: Final = ("unreachable-quota", "within-a-team", "take-back")


def fill(folder: Path) -> None:
    """Store a class in which each learner is somewhere else."""
    store = ClassStore(folder)
    checks = {
        spec.name: [(case.id, check.id) for case in spec.cases for check in case.checks]
        for spec in workshop.specs()
    }
    for place, name in enumerate(NAMES):
        learner = new_id()
        for exercise in EXERCISES[: 1 + place % 3]:
            own = checks[exercise]
            solved = exercise != EXERCISES[place % 3] or place % 5 == 0
            failed = () if solved else (own[-1 - place % 2],)
            passed = len(own) - len(failed)
            answer = f"# {name}, {exercise}"
            attempt = Attempt(new_id(), learner, name[:40], exercise, passed, len(own), answer)
            store.add([attempt])
            problem = "this cannot be read" if place == 7 and not solved else ""
            store.judge(
                attempt,
                Judgement(problem=problem)
                if problem
                else Judgement(passed, len(own), tuple(failed)),
            )
    store.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_board_is_read_and_stays_up_to_date(
    page: Page, tmp_path: Path, pictures: Path, scheme: str
) -> None:
    fill(tmp_path / "class")
    wrong: list[str] = []
    page.on("pageerror", lambda error: wrong.append(str(error)))
    page.on("console", lambda line: wrong.append(line.text) if line.type == "error" else None)
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    page.set_viewport_size({"width": 1440, "height": 900})
    with servers() as serve:
        server = serve(tmp_path / "class")
        page.goto(server.board)
        page.get_by_role("rowheader", name="Ada").wait_for()
        page.screenshot(path=pictures / f"class-board-{scheme}.png", full_page=True)
        assert violations(page) == []
        # A name is a text, whatever it holds.
        page.get_by_role("rowheader", name="<b>Lena</b>").wait_for()

        member = Membership(tmp_path, ClassAddress.parse(server.address))
        member.join("Zoë")
        start = workshop.exercise("within-a-team").manifests
        member.keep("within-a-team", 7, 7, start.replace(": Never", ": LowerPriority"))
        assert not member.send().problem
        row = page.get_by_role("row", name="Zoë")
        row.get_by_text("solved", exact=True).wait_for()
        assert wrong == []

        page.set_viewport_size({"width": 400, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
        assert violations(page) == []
        page.screenshot(path=pictures / f"class-board-narrow-{scheme}.png")
        server.kill()
        page.get_by_role("alert").get_by_text("does not answer").wait_for()
