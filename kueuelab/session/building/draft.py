"""A draft of a scenario: its YAML, and edits that keep comments and order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeAlias

from kueuelab.errors import InputError, KueueLabError, Problem, UnknownObjectError
from kueuelab.manifests import load_scenario
from kueuelab.manifests.decode import DEFAULT_NAMESPACE, NAMESPACED_KINDS
from kueuelab.manifests.loading.node_pools import LEVELS
from kueuelab.manifests.reading.paths import parse_path
from kueuelab.manifests.scenario import SCENARIO_VERSION, ScenarioSpec
from kueuelab.messages import Message
from kueuelab.model import RELEASE
from kueuelab.session.building import text_edits
from kueuelab.session.building.yaml_lines import written
from kueuelab.session.building.yaml_nodes import Place, documents, value_at
from kueuelab.whatif.references import Reference

__all__ = ["KINDS", "Draft", "DraftObject", "Edit"]

#: What can be added, in the order in which it is offered.
KINDS: Final = (
    *("Cohort", "ClusterQueue", "LocalQueue", "ResourceFlavor"),
    *("AdmissionCheck", "WorkloadPriorityClass", "Topology"),
)
_DEFAULT_FLAVOR: Final = "default-flavor"
_CONTROLLER: Final = "kueue.x-k8s.io/provisioning-request"


#: Called with what makes the next draft of the one that is edited.
Edit: TypeAlias = "Callable[[Callable[[Draft], Draft]], object]"


@dataclass(frozen=True, slots=True)
class DraftObject:
    """An object that is written in a draft.

    Attributes
    ----------
    reference
        What it is known by.
    place
        Where it is in the text.
    value
        What is written.
    """

    reference: Reference
    place: Place
    value: Mapping[str, Any]

    def field(self, path: str) -> Any:
        """Return what a field says (``spec.cohortName``), ``None`` if it is not there."""
        return value_at(self.value, parse_path(path))


@dataclass(frozen=True, slots=True)
class Draft:
    """The text of a scenario, and edits on it. Each edit returns a new draft.

    Attributes
    ----------
    text
        The YAML of the scenario.
    name
        What its file is called in problems.
    base
        The folder that files named in it are relative to; without one, it names none.

    Examples
    --------
    >>> draft = Draft.new("two-teams").added("Cohort", "university")
    >>> draft = draft.added("ClusterQueue", "team-a", parent="university")
    >>> [str(each.reference) for each in draft.objects]
    ['Cohort/university', 'ResourceFlavor/default-flavor', 'ClusterQueue/team-a']
    >>> draft = draft.with_field("ClusterQueue/team-a", "spec.stopPolicy", "Hold")
    >>> draft["ClusterQueue/team-a"].field("spec.stopPolicy"), draft.problems
    ('Hold', ())
    """

    text: str
    name: str = "scenario.yaml"
    base: Path | None = None
    #: What follows from the text, once it was asked for.
    _known: dict[str, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @classmethod
    def new(cls, name: str = "new-cluster") -> Draft:
        """Return the draft of a scenario in which nothing is."""
        head = {"apiVersion": SCENARIO_VERSION, "kind": "Scenario", "metadata": {"name": name}}
        text = written({**head, "spec": {"manifests": [], "timeline": []}})
        return cls(text, f"{name}.yaml")

    @classmethod
    def of_file(cls, path: str | Path) -> Draft:
        """Return the draft of a file.

        Raises
        ------
        InputError
            If it cannot be read.
        """
        from kueuelab.files import read_bytes

        path = Path(path)
        try:
            text = read_bytes(path).decode("utf-8-sig")
        except UnicodeDecodeError:
            raise InputError(Problem(Message("session.open.not-text", file=path))) from None
        return cls(text.replace("\r\n", "\n"), path.name, path.parent)

    @classmethod
    def of_folder(cls, folder: str | Path) -> Draft:
        """Return the draft of the manifests of a folder: a dump, for example, as one text.

        It is a copy: the files of the folder stay as they are.

        Raises
        ------
        InputError
            If there are none, or one cannot be read.
        """
        folder = Path(folder)
        files = sorted(each for each in folder.rglob("*") if each.suffix in (".yaml", ".yml"))
        if not files:
            raise InputError(Problem(Message("session.build.no-manifests", folder=folder)))
        texts = [f"# {each.relative_to(folder)}\n{cls.of_file(each).text}" for each in files]
        joined = "---\n".join(text if text.endswith("\n") else f"{text}\n" for text in texts)
        return cls(joined, f"{folder.name}.yaml", folder)

    # --- what is in it -------------------------------------------------------------------

    @property
    def documents(self) -> tuple[Any, ...]:
        """What the documents of the text say; none while it is not YAML."""
        if "documents" not in self._known:
            self._known["documents"] = self._read()
        found: tuple[Any, ...] = self._known["documents"]
        return found

    def _read(self) -> tuple[Any, ...]:
        try:
            return documents(self.text)
        except KueueLabError:
            return ()

    @property
    def scenario(self) -> Place | None:
        """Where the scenario is; ``None`` in a text of manifests alone."""
        for number, document in enumerate(self.documents):
            if isinstance(document, dict) and document.get("kind") == "Scenario":
                return Place(number)
        return None

    @property
    def _listed(self) -> tuple[str, ...]:
        """Where the objects of the scenario are; of several clusters, those of the manager."""
        assert self.scenario is not None
        document = self.documents[self.scenario.document]
        manager = ("spec", "clusters", "manager")
        return (*(manager if value_at(document, manager) else ("spec",)), "manifests")

    @property
    def objects(self) -> tuple[DraftObject, ...]:
        """The objects at the start that have a name, in the order of the text."""
        if "objects" not in self._known:
            self._known["objects"] = self._named_objects()
        found: tuple[DraftObject, ...] = self._known["objects"]
        return found

    def _named_objects(self) -> tuple[DraftObject, ...]:
        found = []
        for place, value in self._written_objects():
            kind, meta = value.get("kind"), value.get("metadata")
            if isinstance(kind, str) and isinstance(meta, dict) and meta.get("name"):
                namespaced = kind in NAMESPACED_KINDS or meta.get("namespace")
                namespace = str(meta.get("namespace") or DEFAULT_NAMESPACE) if namespaced else ""
                reference = Reference(kind, namespace, str(meta["name"]))
                found.append(DraftObject(reference, place, value))
        return tuple(found)

    def _written_objects(self) -> Iterator[tuple[Place, Mapping[str, Any]]]:
        for number, document in enumerate(self.documents):
            if not isinstance(document, dict):
                continue
            listed: tuple[str, ...]
            if Place(number) == self.scenario:
                listed = self._listed
            elif isinstance(document.get("items"), list):
                listed = ("items",)
            else:
                yield Place(number), document
                continue
            items = value_at(document, listed)
            for index, item in enumerate(items if isinstance(items, list) else ()):
                if isinstance(item, dict):
                    yield Place(number, (*listed, index)), item

    def of_kind(self, kind: str) -> tuple[DraftObject, ...]:
        """Return the objects of a kind."""
        return tuple(each for each in self.objects if each.reference.kind == kind)

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of the objects of a kind."""
        return tuple(dict.fromkeys(each.reference.name for each in self.of_kind(kind)))

    @property
    def cohorts(self) -> tuple[str, ...]:
        """The names of all cohorts, with those that are only named by others."""
        found = dict.fromkeys(self.names("Cohort"))
        for kind, path in (("Cohort", "spec.parentName"), ("ClusterQueue", "spec.cohortName")):
            named = (each.field(path) for each in self.of_kind(kind))
            found |= dict.fromkeys(name for name in named if isinstance(name, str) and name)
        return tuple(found)

    def __getitem__(self, reference: str | Reference) -> DraftObject:
        wanted = str(reference)
        for each in self.objects:
            short = f"{each.reference.kind}/{each.reference.name}"
            if wanted in (str(each.reference), short):
                return each
        kind, _, name = wanted.partition("/")
        raise UnknownObjectError(kind, name, self.names(kind))

    # --- what is wrong with it -----------------------------------------------------------

    @property
    def _loaded(self) -> tuple[ScenarioSpec | None, tuple[Problem, ...]]:
        if "loaded" not in self._known:
            self._known["loaded"] = self._load()
        found: tuple[ScenarioSpec | None, tuple[Problem, ...]] = self._known["loaded"]
        return found

    def _load(self) -> tuple[ScenarioSpec | None, tuple[Problem, ...]]:
        try:
            # A text that could be a path is one of a single line.
            text = f"{self.text}\n\n"
            if self.base is not None:
                return load_scenario(text, name=self.name, base=self.base), ()
            # Without a folder it names no file of this machine.
            with TemporaryDirectory() as nothing:
                return load_scenario(text, name=self.name, base=Path(nothing)), ()
        except InputError as error:
            return None, tuple(error.problems)

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What is wrong with it: each problem has its object, field and line."""
        return self._loaded[1]

    @property
    def spec(self) -> ScenarioSpec | None:
        """The scenario; ``None`` while there are problems."""
        return self._loaded[0]

    # --- edits ---------------------------------------------------------------------------

    def with_text(self, text: str) -> Draft:
        """Return the draft with another text."""
        return self if text == self.text else replace(self, text=text)

    def with_field(self, reference: str | Reference, path: str, value: Any) -> Draft:
        """Return the draft with another value in a field; ``None`` removes the field."""
        place = self[reference].place / parse_path(path)
        return self.with_value(place, value)

    def with_value(self, place: Place, value: Any) -> Draft:
        """Return the draft with another value at a place; ``None`` removes it."""
        if value is None:
            return self.with_text(text_edits.without(self.text, place))
        return self.with_text(text_edits.with_value(self.text, place, value))

    def with_item(self, place: Place, item: Any) -> Draft:
        """Return the draft with one more item at the end of a list."""
        return self.with_items(place, [item])

    def with_items(self, place: Place, items: Sequence[Any], *, inline: bool = False) -> Draft:
        """Return the draft with more items at the end of a list."""
        return self.with_text(text_edits.with_items(self.text, place, items, inline=inline))

    def with_names(self, places: Iterable[Place], name: str) -> Draft:
        """Return the draft with another name at places."""
        return self.with_text(text_edits.with_names(self.text, places, (), name))

    def value_at(self, place: Place) -> Any:
        """Return what is at a place, ``None`` if nothing is."""
        return value_at(self.documents[place.document], place.path)

    def added(self, kind: str, name: str, *, parent: str = "", namespace: str = "") -> Draft:
        """Return the draft with one more object, with values that work.

        Parameters
        ----------
        kind, name
            What is added. A ClusterQueue gets 10 cpu of the first flavor; where there is no
            flavor, one is added too.
        parent
            The cohort of a ClusterQueue or Cohort; the ClusterQueue of a LocalQueue.
        namespace
            Of a LocalQueue; ``default`` if omitted.

        Raises
        ------
        KueueLabError
            If the name is empty or used already.
        """
        self.check_name(kind, name, namespace)
        draft = self
        spec: dict[str, Any] = {}
        metadata = {"name": name} | ({"namespace": namespace} if namespace else {})
        value: dict[str, Any] = {
            "apiVersion": RELEASE.api_version,
            "kind": kind,
            "metadata": metadata,
        }
        match kind:
            case "Cohort":
                spec = {"parentName": parent} if parent else {}
            case "ClusterQueue":
                if not self.names("ResourceFlavor"):
                    draft = self.added("ResourceFlavor", _DEFAULT_FLAVOR)
                quota = {"name": "cpu", "nominalQuota": 10}
                flavor = {"name": draft.names("ResourceFlavor")[0], "resources": [quota]}
                group = {"coveredResources": ["cpu"], "flavors": [flavor]}
                spec = {"cohortName": parent} if parent else {}
                spec |= {"namespaceSelector": {}, "resourceGroups": [group]}
            case "LocalQueue":
                spec = {"clusterQueue": parent}
            case "AdmissionCheck":
                spec = {"controllerName": _CONTROLLER}
            case "WorkloadPriorityClass":
                value["value"] = 100
            case "Topology":
                spec = {"levels": [{"nodeLabel": label} for label in LEVELS.values()]}
        if spec:
            value["spec"] = spec
        return draft.with_object(value)

    def with_object(self, value: Mapping[str, Any]) -> Draft:
        """Return the draft with one more object, which is written behind the others."""
        if self.scenario is None:
            return self.with_text(text_edits.with_document(self.text, value))
        return self.with_item(self.scenario / self._listed, value)

    def check_name(self, kind: str, name: str, namespace: str = "") -> None:
        """Check a name for something new.

        Raises
        ------
        KueueLabError
            If it is empty or used already.
        """
        if not name:
            raise KueueLabError(Message("session.build.no-name"))
        home = (namespace or DEFAULT_NAMESPACE) if kind in NAMESPACED_KINDS else ""
        if any(each.reference == Reference(kind, home, name) for each in self.objects):
            raise KueueLabError(Message("session.build.name-used", kind=kind, name=name))

    def moved(self, reference: str | Reference, parent: str) -> Draft:
        """Return the draft with a ClusterQueue or Cohort in another cohort (``""``: in none).

        A LocalQueue moves to another ClusterQueue.

        Raises
        ------
        KueueLabError
            If a cohort would be its own ancestor.
        """
        kind, _, name = self[reference].reference
        if kind == "Cohort" and name in self.ancestors(parent):
            raise KueueLabError(Message("session.build.own-ancestor", name=name, parent=parent))
        field = {"Cohort": "spec.parentName", "ClusterQueue": "spec.cohortName"}.get(
            kind, "spec.clusterQueue"
        )
        return self.with_field(reference, field, parent or None)

    def ancestors(self, cohort: str) -> tuple[str, ...]:
        """Return a cohort and those above it."""
        parents = {
            each.reference.name: each.field("spec.parentName") for each in self.of_kind("Cohort")
        }
        found: list[str] = []
        while cohort and cohort not in found:
            found.append(cohort)
            cohort = str(parents.get(cohort) or "")
        return tuple(found)
