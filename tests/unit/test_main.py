"""The ``kueuelab`` command says what it needs where that is not installed."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from kueuelab.__main__ import main


def test_without_typer_one_sentence_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'typer'", name="typer")

    monkeypatch.setattr("kueuelab.__main__.importlib", SimpleNamespace(import_module=missing))
    assert main() == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.splitlines() == [
        "kueuelab: the command line needs typer, which is not installed; "
        "install it with: pip install 'kueuelab[cli]'"
    ]


def test_a_mistake_of_our_own_is_not_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError("No module named 'kueuelab.oops'", name="kueuelab.oops")

    monkeypatch.setattr("kueuelab.__main__.importlib", SimpleNamespace(import_module=missing))
    with pytest.raises(ModuleNotFoundError, match="oops"):
        main()


@pytest.mark.parametrize(("returned", "code"), [(None, 0), (0, 0), (1, 1)])
def test_the_exit_code_is_the_command_lines(
    monkeypatch: pytest.MonkeyPatch, returned: int | None, code: int
) -> None:
    cli = SimpleNamespace(main=lambda: returned)
    modules = SimpleNamespace(import_module=lambda name: cli)
    monkeypatch.setattr("kueuelab.__main__.importlib", modules)
    assert main() == code
