"""Config repositories: folders, kustomizations, Helm charts and what they render to."""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kueuelab.errors import InputError
from kueuelab.files import Kustomize, folders_used, parts_of, render
from kueuelab.manifests import cautions, load, load_scenario

ROOT = Path(__file__).parents[2] / "config_repositories"
OVERLAYS = ROOT / "kustomize" / "overlays"
EXAMPLES = Path(os.environ.get("KUEUELAB_KUEUE", "nowhere"))

needs_kubectl = pytest.mark.skipif(
    shutil.which("kubectl") is None and shutil.which("kustomize") is None,
    reason="neither kubectl nor kustomize is installed",
)

# JSON, which is YAML, too.
QUEUE = (
    '{{"apiVersion": "kueue.x-k8s.io/v1beta2", "kind": "ClusterQueue", '
    '"metadata": {{"name": "{name}"}}, "spec": {{"cohortName": "{cohort}"}}}}'
)


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return folder


def test_a_folder_is_read_with_the_folders_in_it() -> None:
    spec = load_scenario(ROOT / "folders")
    assert {kind: len(found) for kind, found in spec.manifests.objects.items()} == {
        "ClusterQueue": 1,
        "LocalQueue": 1,
        "ResourceFlavor": 1,
    }
    [queue] = spec.manifests.cluster_queues
    assert queue.resource_groups[0].flavors[0].resources[0].nominal == 16_000
    said = [text.replace(f"{ROOT}{os.sep}", "") for text in cautions(spec.notes)]
    assert said == [
        "folders/docs/mkdocs.yml: the file is left out: it has neither apiVersion nor kind",
        "folders/teams/ml/queue.yaml:3: ClusterQueue/ml: it replaces the object of the same name "
        "at folders/a-queue.yaml:3, as kubectl apply -f does",
    ]


NAMES = st.lists(
    st.lists(st.sampled_from(["a", "b", "c.d", "e"]), min_size=1, max_size=3).map("/".join),
    min_size=1,
    max_size=6,
    unique=True,
)


@settings(max_examples=60, deadline=None, database=None)
@given(NAMES, st.sampled_from([".yaml", ".yml", ".json"]))
def test_of_any_folder_the_last_file_holds(
    tmp_path_factory: pytest.TempPathFactory, names: list[str], ending: str
) -> None:
    folder = tmp_path_factory.mktemp("repository")
    files = [f"{name}{ending}" for name in names]
    write(folder, {file: QUEUE.format(name="q", cohort=f"c{n}") for n, file in enumerate(files)})
    taken = [part.path.relative_to(folder).as_posix() for part in parts_of(folder)]
    # As kubectl walks: names in each folder in order, whether of files or of folders.
    assert taken == sorted(files, key=lambda file: file.split("/"))
    manifests = load(folder)
    [queue] = manifests.cluster_queues
    assert queue.cohort_name == f"c{files.index(taken[-1])}"
    assert sum(note.is_caution for note in manifests.notes) == len(files) - 1


def test_links_to_folders_and_hidden_files_are_passed_over(tmp_path: Path) -> None:
    folder = write(tmp_path / "in", {".hidden.yaml": "a: 1", ".git/x.yaml": "a: 1"})
    write(tmp_path / "out", {"q.yaml": QUEUE.format(name="q", cohort="c")})
    (folder / "link").symlink_to(tmp_path / "out")
    (folder / "self").symlink_to(folder)
    with pytest.raises(InputError, match="the folder has no manifests"):
        load(folder)


def test_a_scenario_names_folders_below_it_only(tmp_path: Path) -> None:
    write(tmp_path / "secret", {"q.yaml": QUEUE.format(name="q", cohort="c")})
    folder = write(
        tmp_path / "mine",
        {
            "s.yaml": "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: s}\n"
            "spec: {manifests: [deep]}\n",
            "deep/er/q.yaml": QUEUE.format(name="q", cohort="c"),
        },
    )
    assert len(load_scenario(folder / "s.yaml").manifests.cluster_queues) == 1
    (folder / "deep/er/link.yaml").symlink_to(tmp_path / "secret/q.yaml")
    with pytest.raises(InputError, match="outside of the scenario's folder"):
        load_scenario(folder / "s.yaml")


# --- kustomizations ----------------------------------------------------------------------


def fake(output: bytes = b"", code: int = 0, said: str = "", *, has: Sequence[str] = ("kubectl",)):  # type: ignore[no-untyped-def]
    """Return a program that is not there, and the calls of it."""
    calls: list[tuple[str, ...]] = []

    def run(args: Sequence[str]) -> tuple[int, bytes, str]:
        calls.append(tuple(args))
        return code, output, said

    return Kustomize(lambda name: f"/bin/{name}" if name in has else None, run), calls


@pytest.mark.parametrize(
    ("has", "called", "shown"),
    [
        (("kubectl", "kustomize"), ("/bin/kubectl", "kustomize"), "kubectl kustomize"),
        (("kustomize",), ("/bin/kustomize", "build"), "kustomize build"),
    ],
)
def test_which_program_renders(has: Sequence[str], called: tuple[str, str], shown: str) -> None:
    kustomize, calls = fake(b"kind: x", has=has)
    folder = OVERLAYS / "small"
    rendered = render(folder, kustomize)
    assert calls == [(*called, str(folder))]
    assert (rendered.command, rendered.content) == (f"{shown} {folder}", b"kind: x")


def test_without_a_program_it_is_said_how(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    folder = OVERLAYS / "small"
    with pytest.raises(InputError) as refused:
        load(folder)
    [problem] = refused.value.problems
    assert "neither kubectl nor kustomize is installed" in problem.message
    assert problem.hint == f"Render it first: kubectl kustomize {folder} | kueuelab COMMAND -"


def test_a_program_that_fails_says_why() -> None:
    kustomize, _ = fake(code=1, said="error: no such\n  field")
    with pytest.raises(InputError, match=r"kubectl kustomize .* fails: error: no such field"):
        render(OVERLAYS / "small", kustomize)


ELSEWHERE = "https://example.com/base"


@pytest.mark.parametrize(
    "text",
    [
        f"resources: [{ELSEWHERE}]",
        "resources: ['github.com/example/base?ref=v1']",
        f"components: [{ELSEWHERE}]",
        f"bases: [{ELSEWHERE}]",
        f"transformers: [{ELSEWHERE}]",
        f"crds: [{ELSEWHERE}]",
        f"patches: [{{path: {ELSEWHERE}}}]",
        f"openapi: {{path: {ELSEWHERE}}}",
        f"configMapGenerator: [{{name: a, files: ['k={ELSEWHERE}']}}]",
    ],
)
def test_nothing_is_fetched(tmp_path: Path, text: str) -> None:
    folder = write(
        tmp_path,
        {"a/kustomization.yaml": "resources: [../b]\n", "b/kustomization.yaml": text},
    )
    kustomize, calls = fake()
    with pytest.raises(InputError, match="not on this machine, and the lab fetches nothing"):
        render(folder / "a", kustomize)
    assert calls == []


@pytest.mark.parametrize("text", ["resources: {a: b}", "- a", "resources: [1, {a: b}]", ""])
def test_a_kustomization_of_a_strange_shape_is_left_to_the_program(
    tmp_path: Path, text: str
) -> None:
    folder = write(tmp_path, {"kustomization.yaml": text})
    assert list(folders_used(folder)) == [folder]


@pytest.mark.parametrize("text", ["a: [", "\0", "!!python/object:os.system {}"])
def test_a_kustomization_that_is_no_yaml(tmp_path: Path, text: str) -> None:
    folder = write(tmp_path, {"kustomization.yaml": text})
    with pytest.raises(InputError, match="this is not YAML"):
        load(folder)


@needs_kubectl
@pytest.mark.parametrize(("overlay", "quota"), [("small", 2_000), ("large", 64_000)])
def test_overlays_are_rendered(overlay: str, quota: int) -> None:
    spec = load_scenario(OVERLAYS / overlay)
    [queue] = spec.manifests.cluster_queues
    assert queue.resource_groups[0].flavors[0].resources[0].nominal == quota
    assert set(spec.manifests.objects) == {"ClusterQueue", "LocalQueue", "ResourceFlavor"}
    [said] = cautions(spec.notes)
    assert said == f"the manifests are those that kubectl kustomize {OVERLAYS / overlay} writes"


def test_alternatives_are_not_mixed() -> None:
    with pytest.raises(InputError) as refused:
        load(ROOT / "kustomize")
    [problem] = refused.value.problems
    assert "several kustomizations of the same base" in problem.message
    assert "overlays/large" in problem.message
    assert "overlays/small" in problem.message


@needs_kubectl
def test_one_overlay_among_its_bases_is_rendered_alone(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "kustomize", tmp_path / "all")
    shutil.rmtree(tmp_path / "all" / "overlays" / "small")
    [queue] = load(tmp_path / "all").cluster_queues
    assert queue.resource_groups[0].flavors[0].resources[0].nominal == 64_000


def test_a_kustomization_is_no_object() -> None:
    with pytest.raises(InputError) as refused:
        load(ROOT / "kustomize/base/kustomization.yaml")
    [problem] = refused.value.problems
    assert "is not an object" in problem.message
    assert f"kubectl kustomize {ROOT / 'kustomize/base'} | kueuelab COMMAND -" in problem.hint


def test_a_scenario_does_not_reach_a_base_outside_of_its_folder(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "kustomize", tmp_path / "all")
    scenario = (
        "apiVersion: kueuelab/v1\nkind: Scenario\nmetadata: {name: s}\nspec: {manifests: [small]}\n"
    )
    write(tmp_path / "all" / "overlays", {"s.yaml": scenario})
    with pytest.raises(InputError, match="outside of the scenario's folder"):
        load_scenario(tmp_path / "all" / "overlays" / "s.yaml")


# --- Helm --------------------------------------------------------------------------------


def test_what_helm_writes_is_read() -> None:
    spec = load_scenario(ROOT / "helm" / "output.yaml")
    assert set(spec.manifests.objects) == {"ResourceFlavor", "ClusterQueue"}
    [said] = cautions(spec.notes)
    assert "CronJob/nightly: it is left out: the Jobs that it makes are queued" in said


def test_a_chart_has_to_be_rendered(tmp_path: Path) -> None:
    template = "{{- if .Values.queues }}\nkind: ClusterQueue\n{{- end }}\n"
    folder = write(tmp_path, {"chart/Chart.yaml": "name: q\n", "chart/templates/q.yaml": template})
    with pytest.raises(InputError) as refused:
        load(folder)
    [problem] = refused.value.problems
    assert "Helm chart" in problem.message
    assert f"helm template {folder / 'chart'} | kueuelab COMMAND -" in problem.hint


# --- Kueue's own examples ----------------------------------------------------------------


@pytest.mark.skipif(not EXAMPLES.is_dir(), reason="KUEUELAB_KUEUE names no checkout of Kueue")
def test_the_examples_of_kueue_are_read() -> None:
    files = [
        file
        for folder in ("examples", "site/static/examples")
        for file in sorted((EXAMPLES / folder).rglob("*.yaml"))
    ]
    assert len(files) >= 70
    refused = {}
    for file in files:
        try:
            load_scenario(file, served_only=True)
        except InputError as error:
            refused[file.name] = [problem.field for problem in error.problems]
    # The check of this ClusterQueue is for a flavor that the queue does not have.
    assert refused == {
        "minimal-cq.yaml": ["spec.admissionChecksStrategy.admissionChecks[0].onFlavors[0]"]
    }
