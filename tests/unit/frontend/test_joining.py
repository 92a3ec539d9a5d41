"""The modules are joined into one script that is the same wherever it is used."""

from __future__ import annotations

import gzip
import json
import re
from importlib import resources

import pytest
from fragments import document_in, parts, unpacked

from kueuelab import frontend, scenarios
from kueuelab.frontend.joining import (
    MODULES,
    STYLES,
    module_text,
    script,
    style,
    without_comments,
    wrapped,
)
from kueuelab.messages import english
from kueuelab.views.frame.document import Document

SOURCE = resources.files("kueuelab.frontend")
EVIL = "</script><script>window.hacked=1</script><!--<script>"


def source(name: str) -> str:
    return SOURCE.joinpath("modules", f"{name}.js").read_text("utf-8")


def imports(name: str) -> set[str]:
    return set(re.findall(r'from "\./(\w+)\.js";', source(name)))


def test_every_module_and_style_sheet_is_joined() -> None:
    names = {each.name for each in SOURCE.joinpath("modules").iterdir()}
    types = {"types.d.ts", "clusters.d.ts", "domains.d.ts"}
    assert names == {f"{name}.js" for name in MODULES} | types
    styles = {each.name for each in SOURCE.joinpath("styles").iterdir()}
    assert styles == {f"{name}.css" for name in STYLES}


@pytest.mark.parametrize("name", MODULES)
def test_a_module_imports_only_those_before_it(name: str) -> None:
    assert imports(name) <= set(MODULES[: MODULES.index(name)])


@pytest.mark.parametrize("name", MODULES)
def test_a_module_has_only_imports_and_exports_that_can_be_joined(name: str) -> None:
    text = source(name)
    assert text.count("\nimport ") + text.startswith("import ") == len(
        re.findall(r'^import \{[^}]*\} from "\./\w+\.js";$', text, re.MULTILINE)
    )
    assert " as " not in "".join(re.findall(r"^import [^;]*;", text, re.MULTILINE))
    exports = re.findall(r"^export (?:async )?(?:const|class|function) (\w+)", text, re.MULTILINE)
    assert text.count("\nexport ") + text.startswith("export ") == len(exports)
    assert len(source(name).splitlines()) < 400


def test_no_two_modules_export_the_same_name() -> None:
    names = [
        name
        for module in MODULES
        for name in re.findall(r"^const \{ (.*) \} = ", wrapped(source(module)), re.MULTILINE)[0:1]
        for name in name.split(", ")
    ]
    assert sorted(set(names)) == sorted(names)


def test_comments_are_left_out_and_texts_stay() -> None:
    text = 'a("// no comment");\n  // one\n/** two\n * lines */\nb(); // kept\n'
    assert without_comments(text) == 'a("// no comment");\nb(); // kept\n'


def test_what_is_sent_is_small() -> None:

    both = gzip.compress((frontend.script() + frontend.style()).encode())
    assert len(both) <= 150_000


def test_a_part_of_a_page_is_small_and_the_same_each_time() -> None:
    text = frontend.fragment({"name": EVIL}, "<p>still</p>", "board-1")
    assert text == frontend.fragment({"name": EVIL}, "<p>still</p>", "board-1")
    assert document_in(text) == {"name": EVIL}
    assert 'data-board="board-1"' in text
    assert "<p>still</p>" in text
    assert EVIL not in text
    assert len(text) <= 80_000
    # They are in the state of each widget, and of each board.
    assert len(frontend.widget_module()) <= 3_000
    assert len(frontend.link_module()) <= 3_000


def test_a_page_holds_what_is_joined_and_names_no_other_place() -> None:
    everything = {"topologies": True, "view": "multikueue"}
    text = frontend.page(everything)
    assert frontend.script() in text
    assert frontend.style() in text
    modules, _ = parts(frontend.fragment(everything, ""))
    assert modules == unpacked(frontend.modules().text)
    assert frontend.script() in modules["script"]
    assert modules["style"] == frontend.style()
    without = frontend.script(topologies=False, clusters=False, groups=False)
    assert without in parts(frontend.fragment({}, ""))[0]["script"]
    text = frontend.page({"name": EVIL})
    assert without in text
    assert not re.findall(r"""\s(?:src|href)\s*=\s*["']|https?://(?!www\.w3\.org)""", text)
    assert text.count("</script>") == 2
    match = re.search(r'<script type="application/json" id="run">(.*?)</script>', text, re.DOTALL)
    assert match is not None
    assert json.loads(match[1]) == {"name": EVIL}


def test_the_words_of_a_document_are_those_that_the_modules_say() -> None:
    table = english().table(frontend.said())
    assert table["messages"]["frontend.next"] == "Next"


def test_modules_are_left_out_that_only_topologies_or_several_clusters_need() -> None:
    assert "function drawParts" in script()
    assert "function drawParts" not in script(groups=False)
    for name, has_groups in (("concurrent-race", True), ("reclaim-1-take-back", False)):
        document = Document(scenarios.load(name).run()).as_data()
        assert ("function drawParts" in frontend.page(document)) == has_groups
        first = document["chunks"]["0"]
        of_a_long_run = {**document, "chunks": {"0": first}, "steps": 2 * document["chunk"]}
        assert "function drawParts" in frontend.page(of_a_long_run)
    assert "function drawParts" in frontend.page({"view": "comparison"})
    assert {"class DomainsPanel" in script(), "class LanesPanel" in script()} == {True}
    assert "class DomainsPanel" not in script(topologies=False)
    assert "class LanesPanel" not in script(clusters=False)
    assert "class Picture" in script(topologies=False, clusters=False)
    assert ".kl-domains" not in style(topologies=False)
    assert ".kl-lane-chip" not in style(clusters=False)
    # The view of domains says that there are none.
    for document in ({"view": "topology"}, {"topologies": True}):
        assert "class DomainsPanel" in frontend.page(document)


@pytest.mark.parametrize(
    ("left_out", "names"),
    [
        ({"topologies": False}, ("domain_", "panel_domains")),
        ({"clusters": False}, ("panel_lanes", "panel_jobs", "panel_sequence")),
    ],
)
def test_sentences_are_left_out_with_the_modules_that_say_them(
    left_out: dict[str, bool], names: tuple[str, ...]
) -> None:
    found = set(frontend.said()) - set(frontend.said(**left_out))
    modules = "".join(module_text(name) for name in MODULES if not name.startswith(names))
    assert found
    for start in {name.rpartition(".")[0] + "." for name in found if name.count(".") == 2}:
        assert start not in modules
