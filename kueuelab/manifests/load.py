"""`load`: manifests from anywhere; `read_object`, `load_configuration`: one thing at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kueuelab.collector import without_collection
from kueuelab.errors import InputError, Problem
from kueuelab.manifests.decode import DEFAULT_NAMESPACE
from kueuelab.manifests.loading.items import Findings, Item, items_of
from kueuelab.manifests.loading.loader import Loader
from kueuelab.manifests.loading.newest import starting_where_objects_end
from kueuelab.manifests.loading.scenarios import ScenarioReader
from kueuelab.manifests.loading.sources import AnySource, documents_of
from kueuelab.manifests.reading.documents import Document
from kueuelab.manifests.result import Manifests
from kueuelab.manifests.scenario import ScenarioSpec
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.messages import Message
from kueuelab.model import Configuration, ModelObject, Release

__all__ = ["load", "load_configuration", "load_scenario", "read_object"]


def load(
    *sources: AnySource,
    namespace: str = DEFAULT_NAMESPACE,
    configuration: Configuration | None = None,
    name: str = "",
    base: Path | None = None,
    keep_going: bool = False,
    existing: AnySource = (),
) -> Manifests:
    """Load Kubernetes manifests and Kueue's Configuration.

    Parameters
    ----------
    *sources : path, text, bytes, stream, mapping or sequence of these
        Files, folders (their ``.yaml``, ``.yml`` and ``.json`` files in order of name),
        YAML or JSON text with any number of documents, open files, parsed manifests.
    namespace : str, optional
        Where namespaced objects belong that name no namespace.
    configuration : Configuration, optional
        What decides how jobs become Workloads, unless the sources hold a Configuration.
    name : str, optional
        What to call a text that has no name, in problems.
    base : Path, optional
        The folder that paths are relative to.
    keep_going : bool, optional
        Return what was understood, with the problems, instead of raising them.
    existing : path, text, mapping or sequence of these, optional
        What a cluster has already: manifests of the same kinds and names are judged as
        updates of these, all others as new. What is wrong in these themselves is passed over.

    Returns
    -------
    Manifests
        Objects of the model by kind, jobs turned into Workloads, and notes.

    Raises
    ------
    InputError
        With all problems together; what was understood is its ``understood``.

    Examples
    --------
    >>> manifests = load('''
    ... apiVersion: kueue.x-k8s.io/v1beta1
    ... kind: ClusterQueue
    ... metadata: {name: research}
    ... spec: {cohort: university}
    ... ''')
    >>> manifests.cluster_queues[0].cohort_name
    'university'
    >>> for note in manifests.notes:
    ...     print(note.message)
    This version is deprecated. Use v1beta2 instead.
    converted from v1beta1 to v1beta2; spec.cohort -> spec.cohortName
    >>> load({"kind": "ClusterQueue", "metadata": {"name": "research"}}, keep_going=True)
    <Manifests empty, 1 problems>
    >>> load("kind: ClusterQueue, metadata: {name: research}")
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...
    """
    loader = Loader(namespace=namespace, configuration=configuration)
    _take_existing(loader, existing, base)
    _fill(loader, sources, name, base)
    for item in loader.scenarios:
        mistake = Mistake(
            ("kind",),
            Message("manifests.load.is-scenario"),
            Message("manifests.load.is-scenario.hint"),
        )
        loader.findings.add(item, mistake)
    manifests = loader.finish()
    if not keep_going:
        manifests.raise_problems()
    return manifests


def _take_existing(loader: Loader, existing: AnySource, base: Path | None) -> None:
    """Tell the loader what there is already, and what is wrong with that."""
    problems: list[Problem] = []
    known = Loader()
    for document in documents_of(existing, problems, base=base):
        known.add_documents([document])
        for item in items_of(document.value, document, (), Findings()):
            loader.verdicts.set_existing(item.obj)
    loader.add_problems((*problems, *known.finish().problems))


def _fill(loader: Loader, sources: tuple[AnySource, ...], name: str, base: Path | None) -> None:
    def documents() -> Iterator[Document]:
        for source in sources:
            problems: list[Problem] = []
            for document in documents_of(source, problems, name=name, base=base):
                yield document
                loader.add_problems(problems)
                problems.clear()
            loader.add_problems(problems)

    with without_collection(circles=False):
        # What can be read once is nothing that another one refers to.
        is_all = all(isinstance(source, Iterator) for source in sources)
        loader.add_documents(documents(), is_all=is_all)


def load_scenario(
    *sources: AnySource,
    namespace: str = DEFAULT_NAMESPACE,
    configuration: Configuration | None = None,
    name: str = "",
    base: Path | None = None,
    existing: AnySource = (),
    allow_outside: bool = False,
    served_only: bool = False,
    release: Release | None = None,
) -> ScenarioSpec:
    """Load a scenario file; plain manifests and dumps are scenarios without a timeline.

    Where nothing says when the scenario starts, it starts at the newest time that stands in
    its objects (created, or changed a condition): a dump goes on where the cluster was.

    Parameters
    ----------
    *sources : path, text, bytes, stream, mapping or sequence of these
        As for `load`. Objects that stand next to a scenario in its file belong to it.
    namespace : str, optional
        Where namespaced objects belong that name no namespace.
    configuration : Configuration, optional
        What decides where the sources hold no Configuration.
    name : str, optional
        What to call a text that has no name, in problems.
    base : Path, optional
        The folder that files are relative to; the folder of the scenario by default.
    existing : path, text, mapping or sequence of these, optional
        What a cluster has already, as for `load`.
    allow_outside : bool, optional
        Whether the scenario may name files outside of its folder.
    served_only : bool, optional
        Whether manifests are refused whose version the server no longer serves (v1alpha1), as
        ``kubectl apply`` is. Otherwise they are read as what they were once, with a note.
    release : Release, optional
        The release of Kueue that decides, whatever ``kueueVersion`` of the scenario says.

    Raises
    ------
    InputError
        With all problems together; what was understood is its ``understood``.

    Examples
    --------
    >>> spec = load_scenario('''
    ... apiVersion: kueuelab/v1
    ... kind: Scenario
    ... metadata: {name: one-job}
    ... spec:
    ...   timeline:
    ...   - {at: 0s, submit: {job: job-0, queue: team-a, requests: {cpu: 200m}, runs: 10m}}
    ...   - {at: 9s, finish: job-0}
    ...   expect:
    ...   - {at: 5s, workload: job-0, is: pending}
    ... ''')
    >>> spec.timeline[0].workloads[0].key, spec.timeline[0].runs, spec.timeline[1].workload
    ('default/job-0', 600000000000, 'default/job-0')
    """
    loader = Loader(
        namespace=namespace,
        configuration=configuration,
        served_only=served_only,
        release=release,
    )
    _take_existing(loader, existing, base)
    _fill(loader, sources, name, base)
    for item in loader.scenarios[1:]:
        mistake = Mistake(
            ("kind",),
            Message("manifests.load.two-scenarios"),
            Message("manifests.load.two-scenarios.hint"),
        )
        loader.findings.add(item, mistake)
    if loader.scenarios:
        first = loader.scenarios[0]
        reader = ScenarioReader(first, loader, namespace, base, allow_outside=allow_outside)
        spec = reader.read()
        loader.summarise()
        problems, notes = loader.findings.results()
    else:
        manifests = loader.finish()
        problems, notes = manifests.problems, manifests.notes
        spec = ScenarioSpec(
            name=_name_of(sources, name),
            configuration=loader.configuration,
            manifests=replace(manifests, notes=(), problems=()),
        )
    spec = starting_where_objects_end(replace(spec, notes=notes))
    if problems:
        raise InputError(problems, understood=spec)
    return spec


def _name_of(sources: tuple[AnySource, ...], name: str) -> str:
    """Return the name of a scenario that has none of its own: its file's."""
    if name:
        # <stdin> is where it comes from, and no name.
        return "" if name.startswith("<") else Path(name).stem
    if len(sources) == 1 and isinstance(sources[0], str | Path):
        text = str(sources[0])
        return "" if "\n" in text or ": " in text else Path(text).stem
    return ""


def read_object(obj: Mapping[str, Any], *, namespace: str = DEFAULT_NAMESPACE) -> ModelObject:
    """Return the object of one parsed manifest that is no job, checked and converted.

    Raises
    ------
    InputError
        If anything is wrong with it.

    Examples
    --------
    >>> read_object(
    ...     {
    ...         "apiVersion": "kueue.x-k8s.io/v1beta2",
    ...         "kind": "LocalQueue",
    ...         "metadata": {"name": "team-a"},
    ...         "spec": {"clusterQueues": "research"},
    ...     }
    ... )
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...unknown field "spec.clusterQueues"...
    """
    objects = list(load(obj, namespace=namespace))
    if len(objects) != 1:
        raise InputError(
            Problem(
                Message("manifests.load.not-one-object", count=len(objects)),
                hint=Message("manifests.load.not-one-object.hint"),
            )
        )
    return objects[0]


def load_configuration(source: AnySource, *, name: str = "") -> Configuration:
    """Load Kueue's Configuration alone; ``apiVersion`` and ``kind`` may be left out.

    Raises
    ------
    InputError
        With all problems together.

    Examples
    --------
    >>> load_configuration("featureGates: {PartialAdmision: false}")
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...unrecognized feature gate: PartialAdmision...
    """
    loader = Loader()
    problems: list[Problem] = []
    for document in documents_of(source, problems, name=name):
        value = document.value
        if isinstance(value, Mapping) and "kind" not in value:
            loader.add_configuration(Item(value, document))
        else:
            loader.add_documents([document])
    loader.add_problems(problems)
    manifests = loader.finish()
    manifests.raise_problems()
    return manifests.configuration or Configuration()
