"""What the one writer of YAML writes is read as it was meant, whatever the text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

import kueuelab
from kueuelab.errors import Problem
from kueuelab.live.clusters.layout import configuration_map
from kueuelab.live.snapshot import Snapshot
from kueuelab.manifests import load
from kueuelab.manifests.reading.documents import Source, read_documents
from kueuelab.manifests.writing import write_yaml
from kueuelab.model import ResourceFlavor

#: Text that YAML, Kubernetes or both take for something else, or that breaks a line.
HOSTILE = (
    *("y", "Y", "n", "N", "yes", "no", "on", "off", "true", "null", "~", "", " ", "Null"),
    *("1", "-1", "+1", "007", "0o17", "0x1f", "0b1", "1_000", "1e3", "1E3", ".5", "1.", ".inf"),
    *(".nan", "1:30", "190:20:30", "2026-01-01", "2026-01-01T00:00:00Z", "<<", "=", "-", "?"),
    *(":", "a: b", "a #b", "#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "'", '"', "\\"),
    *(
        "---",
        "...",
        "[",
        "]",
        "{",
        "}",
        ",",
        "\t",
        "a\tb",
        "a\n",
        "\na",
        "a\n\n",
        " a\nb ",
        "a\n b",
    ),
    *("a\r\nb", "\r", "\x85", "a\u2028b", "\ufeffa", "\x1b[31m", "\x00", "\x7f", "\u202eb", "é🙂"),
    *("a" * 2000, "a b " * 500, "a\n---\nkind: b\n", "\n", "# a\n", "  ", "a ", " a"),
)

texts = st.sampled_from(HOSTILE) | st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
scalars = (
    texts
    | st.booleans()
    | st.none()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4),
    max_leaves=12,
)
documents = st.lists(st.dictionaries(texts, values, min_size=1, max_size=4), min_size=1, max_size=3)


def read(text: str) -> Sequence[Any]:
    problems: list[Problem] = []
    found = [each.value for each in read_documents(Source("a.yaml", text), problems)]
    assert problems == []
    return found


@given(documents)
def test_what_is_written_is_read(written: list[dict[str, Any]]) -> None:
    assert read(write_yaml(written)) == written


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_text_is_read_back_as_name_and_value(text: str) -> None:
    written = [{text: text, "list": [text, {text: [text]}]}]
    assert read(write_yaml(written)) == written


@given(documents)
def test_both_emitters_write_what_is_read(written: list[dict[str, Any]]) -> None:
    # libyaml is not there in a browser.
    from kueuelab.manifests import writing

    class Plain(yaml.SafeDumper):
        ignore_aliases = writing._Dumper.ignore_aliases

    Plain.add_representer(str, writing._text)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(writing, "_Dumper", Plain)
        text = write_yaml(written)
    assert read(text) == written


@pytest.mark.parametrize("text", ["y", "n", "1e3", "0x1f", "null", "2026-01-01", "off", "007", ""])
def test_a_snapshot_with_hostile_names_and_labels_loads(text: str) -> None:
    flavor = {
        "apiVersion": "kueue.x-k8s.io/v1beta2",
        "kind": "ResourceFlavor",
        "metadata": {"name": text or "plain", "labels": {"app": text}, "annotations": {"n": text}},
        "spec": {"nodeLabels": {"y": text}},
    }
    snapshot = Snapshot("kind-lab", 0, (flavor,), ("one note\nkind: Secret",))
    (loaded,) = load(snapshot.as_yaml())
    assert isinstance(loaded, ResourceFlavor)
    assert loaded.metadata.name == (text or "plain")
    assert dict(loaded.metadata.labels) == {"app": text}
    assert dict(loaded.node_labels) == {"y": text}


def test_text_of_several_lines_is_written_as_people_do() -> None:
    assert "  controller_manager_config.yaml: |\n    kind: Configuration\n" in configuration_map(
        "kind: Configuration\n"
    )


def test_there_is_one_writer() -> None:
    package = Path(kueuelab.__file__).parent
    dumping = re.compile(r"yaml\.(safe_)?dump")
    found = [
        file.relative_to(package).as_posix()
        for file in package.rglob("*.py")
        if dumping.search(file.read_text("utf-8"))
    ]
    # The other one writes files that are damaged on purpose.
    assert sorted(found) == ["manifests/writing.py", "testing/mutations.py"]
