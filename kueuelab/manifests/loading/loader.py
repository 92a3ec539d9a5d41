"""The loader: manifests go in one by one, objects of the model come out together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from kueuelab.errors import Problem
from kueuelab.frozen import EMPTY
from kueuelab.manifests.decode import (
    CLUSTER_KINDS,
    DEFAULT_NAMESPACE,
    decode_object,
)
from kueuelab.manifests.jobs import REFERRED_KINDS, kind_of
from kueuelab.manifests.loading.configurations import (
    as_installed,
    configuration_in_config_map,
    note_defaults,
    read_configuration,
)
from kueuelab.manifests.loading.dumped_version import version_in
from kueuelab.manifests.loading.events import EVENT_VERSIONS, past_event
from kueuelab.manifests.loading.items import Findings, Item, items_of
from kueuelab.manifests.loading.jobs import JobsIn
from kueuelab.manifests.loading.left_out import LeftOut
from kueuelab.manifests.loading.verdicts import Verdicts
from kueuelab.manifests.reading.documents import Document, Source
from kueuelab.manifests.result import Manifests, PastEvent
from kueuelab.manifests.server import is_judged
from kueuelab.manifests.shapes.check import mistakes
from kueuelab.manifests.shapes.mistake import Mistake
from kueuelab.manifests.shapes.tables import checked_shape_of, known_versions
from kueuelab.manifests.versions import convert
from kueuelab.messages import Message, clauses, verbatim
from kueuelab.model import (
    RELEASE,
    Configuration,
    LocalQueue,
    ModelObject,
    Release,
    nearest_release,
)
from kueuelab.progress import counted

__all__ = ["Loader", "key_of"]

#: What an object is known by: kind, namespace (or nothing) and name.
Key = tuple[str, str, str]

#: A kustomization itself; a Kustomization of Flux has another group.
_KUSTOMIZE: Final = "kustomize.config.k8s.io/"
#: Kinds that may hold Kueue's Configuration.
_CONFIGURING: Final = ("Configuration", "ConfigMap")
_KUEUE_GROUPS: Final = ("kueue.x-k8s.io/", "config.kueue.x-k8s.io/", "kueuelab/")


def key_of(obj: ModelObject) -> Key:
    """Return what an object is known by."""
    return type(obj).__name__, obj.metadata.namespace, obj.metadata.name


class Loader:
    """Collects manifests; `finish` converts the jobs among them and gives the result.

    Parameters
    ----------
    namespace : str
        Where namespaced objects belong that name no namespace.
    configuration : Configuration, optional
        How jobs are converted where the manifests hold no Configuration.
    findings : Findings, optional
        Takes problems and notes.
    served_only : bool
        Whether manifests are refused whose version the server no longer serves. Otherwise they
        are read as what they were once.
    release : Release, optional
        The release of Kueue, if it is settled; otherwise a scenario may name one.
    """

    def __init__(
        self,
        *,
        namespace: str = DEFAULT_NAMESPACE,
        configuration: Configuration | None = None,
        findings: Findings | None = None,
        served_only: bool = False,
        release: Release | None = None,
    ) -> None:
        self.findings = findings if findings is not None else Findings()
        self.scenarios: list[Item] = []
        self._namespace = namespace
        self._served_only = served_only
        self._release = release
        self._default_configuration = configuration
        if release is not None:
            self._default_configuration = (configuration or Configuration()).of_release(release)
        self._configuration: Configuration | None = None
        self._objects: dict[Key, tuple[ModelObject, Item]] = {}
        self._jobs = JobsIn(self.findings, namespace)
        self.verdicts = Verdicts(self.findings, namespace, release or RELEASE)
        self._events: dict[PastEvent, None] = {}
        self._left_out = LeftOut(self.findings, namespace)
        self._repeated: Counter[str] = Counter()
        self._generated: Counter[str] = Counter()
        self._is_unique = False
        #: The names of several manifests, if it is known that no more come.
        self._named_again: set[tuple[object, object]] | None = None
        self._rendered: set[str] = set()
        self._no_manifests: set[str] = set()

    def empty_copy(self, configuration: Configuration | None = None) -> Loader:
        """Return a loader without objects that adds to the same findings."""
        return Loader(
            namespace=self._namespace,
            configuration=configuration,
            findings=self.findings,
            served_only=self._served_only,
            release=self._release,
        )

    @property
    def configuration(self) -> Configuration:
        """The Configuration that was loaded, or else the default."""
        return self._configuration or self._default_configuration or Configuration()

    def choose_release(self, release: Release) -> None:
        """Take the release of Kueue that a scenario names, unless one is settled."""
        if self._release is None:
            self._release = self.verdicts.release = release
            default = self._default_configuration or Configuration()
            self._default_configuration = default.of_release(release)
            if self._configuration is not None:
                self._configuration = self._configuration.of_release(release)

    def add_documents(self, documents: Iterable[Document], *, is_all: bool = False) -> None:
        """Take all manifests of some documents; a dump may say which version it was read from.

        Parameters
        ----------
        is_all : bool
            Whether no more manifests come, unless a scenario among these names some: what is
            written of an object is let go as soon as it is decoded, if no other has its name.
        """
        listed = list(documents)
        self._choose_release_of(listed)
        later = []
        for item in self._items_of(listed):
            # Kueue's webhooks refuse what its feature gates say.
            if item.obj.get("kind") in _CONFIGURING:
                self.add(item)
            else:
                later.append(item)
        if is_all and all(item.obj.get("kind") != "Scenario" for item in later):
            counts = Counter(map(_named, later))
            self._named_again = {each for each, count in counts.items() if count > 1}
        later.reverse()
        for _ in counted("checking", range(len(later))):
            self.add(later.pop())

    def _items_of(self, documents: list[Document]) -> Iterator[Item]:
        """Yield the manifests of documents, which are used up by it."""
        documents.reverse()
        while documents:
            document = documents.pop()
            yield from items_of(document.value, replace(document, value=None), (), self.findings)

    def _choose_release_of(self, documents: list[Document]) -> None:
        """Decide as the cluster did that the documents were read from, if they tell its version."""
        sources = (each.source.kueue_version for each in documents if each.source is not None)
        if version := next(filter(None, sources), ""):
            self.choose_release(nearest_release(version))
        elif self._release is None and (version := version_in(each.value for each in documents)):
            self.choose_release(nearest_release(version))
            release = self.verdicts.release.version
            message = Message("manifests.loader.dumped-version", version=version, release=release)
            self.findings.note(message, is_caution=release != version)

    def add_unique(self, item: Item) -> None:
        """Take a manifest that does not replace another of its name."""
        self._is_unique = True
        try:
            self.add(item)
        finally:
            self._is_unique = False

    def add(self, item: Item) -> None:
        """Take a manifest."""
        api_version, kind = item.obj.get("apiVersion"), item.obj.get("kind")
        source = item.document.source
        if source is not None and self._is_of_another_kind(item, source):
            return
        if not self._typed(item, "apiVersion", api_version) or not self._typed(item, "kind", kind):
            return
        assert isinstance(api_version, str)
        assert isinstance(kind, str)
        if is_judged(api_version, kind, self.verdicts.release):
            self._judge(item)
        elif is_judged(api_version, kind):
            if self._takes_forgotten(item, api_version, kind):
                self._judge(item)
        elif (shape := checked_shape_of(api_version, kind)) is not None:
            if found := mistakes(item.obj, shape):
                self.findings.add_all(item, found)
            elif not _is_forgotten(api_version) or self._takes_forgotten(item, api_version, kind):
                self._add_plain(item)
        elif kind == "Configuration" and api_version.startswith("config.kueue.x-k8s.io/"):
            release = self.verdicts.release
            note_defaults(item, self.findings, release)
            self.add_configuration(replace(item, obj=as_installed(item.obj, release)))
        elif api_version.startswith(_KUSTOMIZE):
            folder = Path(source.name).parent if source is not None else Path()
            message = Message("manifests.loader.kustomization")
            hint = Message("manifests.loader.kustomization.hint", folder=folder)
            self.findings.add(item, Mistake(("kind",), message, hint))
        elif kind == "Scenario" and api_version.startswith("kueuelab/"):
            self.scenarios.append(item)
        elif kind_of(api_version, kind) is not None:
            self._jobs.add(item)
        elif kind == "ConfigMap" and (inner := self._in_config_map(item)):
            self.add_configuration(inner)
        elif api_version.startswith(_KUEUE_GROUPS) or known_versions(kind):
            self._unknown(item, api_version, kind)
        elif (api_version.rpartition("/")[0], kind) in REFERRED_KINDS:
            self._jobs.refer_to(item.obj)
        elif kind == "Event" and api_version in EVENT_VERSIONS:
            event = past_event(item, self.findings)
            if event is not None:
                self._events.setdefault(event)
        else:
            self._left_out.add(item, api_version.rpartition("/")[0], kind)

    def _in_config_map(self, item: Item) -> Item | None:
        return configuration_in_config_map(item, self.findings, self.verdicts.release)

    def _is_of_another_kind(self, item: Item, source: Source) -> bool:
        """Tell whether a document of a folder is no manifest at all; say where one comes from."""
        if source.command and source.name not in self._rendered:
            self._rendered.add(source.name)
            message = Message("manifests.loader.rendered", command=source.command)
            self.findings.note(message, is_caution=True)
        if not source.in_folder or "apiVersion" in item.obj or "kind" in item.obj:
            return False
        if source.name not in self._no_manifests:
            self._no_manifests.add(source.name)
            message = Message("manifests.loader.no-manifest")
            self.findings.note(message, label=source.name, is_caution=True)
        return True

    def _judge(self, item: Item) -> None:
        """Take a manifest of a kind whose rules are known in full, if the server would."""
        before = self._before(item) or self._jobs.before(item)
        if before is not None and before.obj["apiVersion"] == item.obj["apiVersion"]:
            self.verdicts.set_existing(before.obj)
        obj = self.verdicts.judge(item, self.configuration.gates)
        if obj is None:
            if before is not None:
                self.findings.note_replaced(item, before, is_refused=True)
            return
        if kind_of(obj["apiVersion"], obj["kind"]) is not None:
            self._jobs.add(item)
            if obj["kind"] == "Pod" and (obj.get("spec") or {}).get("nodeName"):
                # It takes room on its node, whether it is a job or not.
                self._keep(decode_object(item.obj, namespace=self._namespace), item)
        else:
            self._add_object(item, obj)

    def _typed(self, item: Item, field: str, value: Any) -> bool:
        if isinstance(value, str) and value:
            return True
        hint = Message("manifests.items.not-a-manifest.hint")
        message = "Required value" if value is None else Message("manifests.loader.not-text")
        self.findings.add(item, Mistake((field,), message, hint))
        return False

    def _takes_forgotten(self, item: Item, api_version: str, kind: str) -> bool:
        """Say that the server does not know this version; tell whether it is read all the same."""
        release = self.verdicts.release
        if self._served_only:
            message = verbatim(f'no matches for kind "{kind}" in version "{api_version}"')
            hint = Message("manifests.loader.write-version", version=release.api_version)
            self.findings.add(item, Mistake(("apiVersion",), message, hint))
            return False
        message = Message(
            "manifests.loader.not-served",
            old=api_version,
            version=release.version,
            new=release.api_version,
        )
        self.findings.note(message, item, is_caution=True)
        return True

    def _unknown(self, item: Item, api_version: str, kind: str) -> None:
        versions = known_versions(kind, self.verdicts.release)
        hint = (
            Message("manifests.loader.write-version", version=versions[0])
            if versions
            else _closest_kind(kind)
        )
        message = verbatim(f'no matches for kind "{kind:.80}" in version "{api_version:.80}"')
        path = "apiVersion" if versions else "kind"
        self.findings.add(item, Mistake((path,), message, hint))

    def _add_plain(self, item: Item) -> None:
        """Take a manifest of Kubernetes itself, or of a version that servers have forgotten."""
        conversion = convert(item.obj)
        new = conversion.obj
        if not is_judged(new["apiVersion"], new["kind"]):
            self._add_object(item, item.obj)
            return
        self._note_conversion(item, conversion.changes)
        new_item = Item(new, item.document, item.prefix, item.label)
        obj = self.verdicts.judge(new_item, self.configuration.gates)
        if obj is not None:
            self._keep_named(item, obj)

    def _add_object(self, item: Item, obj: Mapping[str, Any]) -> None:
        if obj["apiVersion"] == "kueue.x-k8s.io/v1beta1":
            self._note_conversion(item, convert(item.obj).changes)
            obj = convert(obj).obj
        self._keep_named(item, obj)

    def _note_conversion(self, item: Item, changes: Iterable[str]) -> None:
        old = item.obj["apiVersion"].rpartition("/")[2]
        self.findings.note(
            clauses([Message("manifests.loader.converted", old=old), *changes]), item
        )

    def _keep_named(self, item: Item, obj: Mapping[str, Any]) -> None:
        if not obj["metadata"].get("name"):
            obj = self._with_generated_name(obj, item)
        self._keep(decode_object(obj, namespace=self._namespace), item)

    def _with_generated_name(self, obj: Mapping[str, Any], item: Item) -> dict[str, Any]:
        prefix = obj["metadata"]["generateName"]
        self._generated[prefix] += 1
        name = f"{prefix}{self._generated[prefix]}"
        self.findings.note(
            Message("manifests.loader.generated-name", prefix=repr(prefix), name=repr(name)),
            item,
        )
        return {**obj, "metadata": {**obj["metadata"], "name": name}}

    def _keep(self, obj: ModelObject, item: Item) -> None:
        """Keep an object; of two with one name the later one, as ``kubectl apply -f`` does."""
        key = key_of(obj)
        if self._named_again is not None and _named(item) not in self._named_again:
            item = replace(item, obj=EMPTY, called=item.label)
        before = self._objects.get(key)
        if before is None:
            self._objects[key] = (obj, item)
        elif obj.metadata.uid and obj.metadata.uid == before[0].metadata.uid:
            self._repeated[key[0]] += 1
        elif self._is_unique:
            message = Message("manifests.loader.duplicate-object", label=item.label)
            hint = Message("manifests.loader.duplicate-object.hint")
            self.findings.add(item, Mistake(("metadata", "name"), message, hint))
        else:
            self._objects[key] = (obj, item)
            self.findings.note_replaced(item, before[1])

    def _before(self, item: Item) -> Item | None:
        """Return the manifest of the same name that was kept, if there is one."""
        metadata = item.obj.get("metadata")
        if not isinstance(metadata, Mapping):
            return None
        kind, name = str(item.obj["kind"]), str(metadata.get("name") or "")
        for namespace in (str(metadata.get("namespace") or self._namespace), ""):
            if (found := self._objects.get((kind, namespace, name))) is not None:
                uid = metadata.get("uid")
                return None if uid and uid == found[0].metadata.uid else found[1]
        return None

    def add_configuration(self, item: Item) -> None:
        """Take Kueue's Configuration: what is written, without what an installed Kueue adds."""
        if self._configuration is not None:
            message = Message("manifests.loader.two-configurations")
            self.findings.add(
                item,
                Mistake(("kind",), message, Message("manifests.loader.two-configurations.hint")),
                label="Configuration",
            )
            return
        found = read_configuration(item, self.findings, self.verdicts.release)
        if found is not None and self._release is not None:
            found = found.of_release(self._release)
        self._configuration = found

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Take problems that came up while the documents were read."""
        for problem in problems:
            self.findings.add_problem(None, problem)

    def find(self, kind: str, name: str) -> ModelObject | None:
        """Return an object without a namespace that was loaded, ``None`` if there is none."""
        found = self._objects.get((kind, "", name))
        return None if found is None else found[0]

    @property
    def objects(self) -> tuple[ModelObject, ...]:
        """The objects so far, in the order in which they were written."""
        return tuple(obj for obj, _ in self._objects.values())

    def collect(self, present: Iterable[ModelObject] = (), *, strict: bool = False) -> Manifests:
        """Return what was loaded so far, jobs converted; without problems and notes.

        Parameters
        ----------
        present : iterable of objects, optional
            What else exists that jobs may refer to; manifests come before it.
        strict : bool, optional
            Whether it is a mistake if a job names what isn't there.
        """
        around = {key_of(obj): obj for obj in (*present, *self.objects)}
        configuration = self.configuration
        made, times = self._jobs.convert(around.values(), configuration, strict=strict)
        for workload, item in made:
            key = key_of(workload)
            if key not in around:
                around[key] = workload
                self._objects[key] = (workload, item)
            else:
                self._repeated["Workload"] += 1
        by_kind: dict[str, list[ModelObject]] = {}
        for obj in self.objects:
            by_kind.setdefault(type(obj).__name__, []).append(obj)
        if not any(kind == "Topology" for kind, _, _ in around):
            # Where pods run matters for placement alone.
            by_kind.pop("Pod", None)
        return Manifests(
            objects={kind: tuple(found) for kind, found in by_kind.items()},
            configuration=self._configuration,
            runs=times.sleeps,
            expected_runs=times.expected,
            deadlines=times.deadlines,
            events=tuple(self._events),
        )

    def finish(self) -> Manifests:
        """Return everything that was loaded, with the problems and the notes."""
        manifests = self.collect()
        self.summarise()
        problems, notes = self.findings.results()
        return replace(manifests, notes=notes, problems=problems)

    def summarise(self, present: Iterable[ModelObject] = ()) -> None:
        """Take note of what was left out; ``present`` is what else exists."""
        for kind, count in self._repeated.items():
            words = Message("manifests.loader.exists-already", count=count)
            self.findings.note(words, label=kind)
        queues = {obj.key for obj in (*present, *self.objects) if isinstance(obj, LocalQueue)}
        configuration = self.configuration
        self._left_out.report(configuration, queues)


def _named(item: Item) -> tuple[object, object]:
    metadata = item.obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, Mapping) else None
    return item.obj.get("kind"), name if isinstance(name, str) else None


def _is_forgotten(api_version: str) -> bool:
    """Tell whether Kueue served a version once and the release does not."""
    served = (RELEASE.api_version, *RELEASE.older_api_versions)
    return api_version.startswith(_KUEUE_GROUPS[0]) and api_version not in served


def _closest_kind(kind: str) -> str:
    from difflib import get_close_matches  # only a mistake needs it

    kinds = {name.lower(): name for name in (*CLUSTER_KINDS, "LocalQueue", "Workload")}
    close = get_close_matches(kind.lower()[:80], list(kinds), n=1)
    return Message("errors.unknown.close", name=kinds[close[0]]) if close else ""
