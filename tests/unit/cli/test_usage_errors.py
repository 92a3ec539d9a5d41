"""A wrong call is reported in English as Typer words it, and in the language that is asked for."""

from __future__ import annotations

import pytest
import typer
from typer.testing import CliRunner

from kueuelab.cli.app import app
from kueuelab.cli.usage_errors import usage_errors_in
from kueuelab.messages import Catalog, english

GERMAN = Catalog(
    "de",
    {"cli.usage.invalid": "{name}: {why}", "cli.usage.too-large": "höchstens {most}"},
    english(),
)


def said(error: typer.BadParameter, words: Catalog) -> str:
    with pytest.raises(typer.BadParameter) as raised, usage_errors_in(words):
        raise error
    return raised.value.format_message()


def test_the_parts_of_a_sentence_are_in_the_language_too() -> None:
    text = "Input should be less than or equal to 65535"
    error = typer.BadParameter(text, param_hint="'--port'")
    assert said(error, GERMAN) == "'--port': höchstens 65535"


def test_a_sentence_that_is_not_known_stays_as_it_is() -> None:
    error = typer.BadParameter("something new", param_hint="'--port'")
    assert said(error, GERMAN) == "'--port': something new"


@pytest.mark.parametrize("named", [["--language", "en-XA"], ["--language=en-XA"]])
def test_the_language_is_known_although_the_call_cannot_be_read(named: list[str]) -> None:
    result = CliRunner().invoke(app, [*named, "--bogus"])
    assert result.exit_code == 2
    assert "[!!Ñö šûçĥ öþťîöñ: --bogus!!]" in result.stderr


def test_in_english_it_is_as_typer_words_it() -> None:
    assert "No such option: --bogus" in CliRunner().invoke(app, ["--bogus"]).stderr
