"""``kueuelab scenarios``: list, search, description, JSON."""

from __future__ import annotations

import json

from typer.testing import CliRunner

import kueuelab as kl
from kueuelab.cli import app

runner = CliRunner()
EVERY = {*kl.scenarios.names(), *kl.scenarios.names("multikueue")}


def test_every_scenario_is_listed_with_its_title() -> None:
    said = runner.invoke(app, ["scenarios"])
    assert said.exit_code == 0
    rows = [line.split(maxsplit=1) for line in said.stdout.splitlines() if line.startswith("  ")]
    assert {name for name, _ in rows} == EVERY
    names = [name for name, _ in rows]
    assert names.index("topology-2-preferred") < names.index("topology-10-fragmentation")
    assert "Reclaiming what another queue borrowed" in dict(rows)["reclaim-1-take-back"]


def test_a_name_describes_one() -> None:
    said = runner.invoke(app, ["scenarios", "reclaim-1-take-back"]).stdout
    description = kl.scenarios.load("reclaim-1-take-back").spec.description
    assert " ".join(description.split()) in " ".join(said.split())
    assert said.splitlines()[-1].startswith("Run it: kueuelab run reclaim-1-take-back")
    assert "reclaim-2" not in said


def test_a_dump_is_found_by_its_name() -> None:
    assert "kueuelab pending two-teams" in runner.invoke(app, ["scenarios"]).stdout
    said = runner.invoke(app, ["scenarios", "two-teams-later"])
    assert (said.exit_code, said.stderr) == (0, "")
    assert said.stdout.startswith("Dumps of clusters: two-teams-later.")


def test_words_search_titles_and_descriptions() -> None:
    found = json.loads(runner.invoke(app, ["scenarios", "RACK", "node", "--json"]).stdout)
    assert 0 < len(found) < len(EVERY)
    for each in found:
        text = " ".join(each.values()).lower()
        assert "rack" in text
        assert "node" in text


def test_no_scenario_is_an_answer_with_its_own_exit_code() -> None:
    said = runner.invoke(app, ["scenarios", "no-such-word"])
    assert (said.exit_code, said.stdout) == (1, "")
    assert "no scenario has these words: no-such-word" in said.stderr
    as_json = runner.invoke(app, ["scenarios", "no-such-word", "--json"])
    assert (as_json.exit_code, json.loads(as_json.stdout)) == (1, [])
