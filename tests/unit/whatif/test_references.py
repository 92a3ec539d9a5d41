"""Objects by the names that people type, and what is said where there is none of a name."""

from __future__ import annotations

import pytest

from kueuelab.errors import InputError, UnknownObjectError
from kueuelab.manifests import read_object
from kueuelab.model import ClusterQueue, LocalQueue, ObjectMeta, Workload
from kueuelab.whatif.references import ObjectIndex, Reference, split

INDEX = ObjectIndex(
    [
        ClusterQueue(ObjectMeta("a")),
        *(LocalQueue(ObjectMeta("q", namespace), "a") for namespace in ("one", "two")),
        *(LocalQueue(ObjectMeta("r", namespace), "a") for namespace in ("default", "two")),
        LocalQueue(ObjectMeta("only", "two"), "a"),
    ]
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("cq/a", Reference("ClusterQueue", "", "a")),
        ("lq/one/q", Reference("LocalQueue", "one", "q")),
        ("lq/r", Reference("LocalQueue", "default", "r")),
        ("lq/only", Reference("LocalQueue", "two", "only")),
    ],
)
def test_a_name_is_enough_where_it_is_clear(text: str, found: Reference) -> None:
    assert INDEX.find(text) == found


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("cq/b", "there is no ClusterQueue named 'b'. There are: 'a'"),
        ("lq/b", "there is no LocalQueue named 'b'. There are: 'q', 'r', 'only'"),
        ("lq/one/r", "there is no LocalQueue named 'one/r'. Did you mean 'one/q'?"),
        ("lq/q", "there is no single LocalQueue named 'q'. There are: 'one/q', 'two/q'"),
    ],
)
def test_otherwise_it_is_said_what_there_is(text: str, said: str) -> None:
    with pytest.raises(UnknownObjectError) as caught:
        INDEX.find(text)
    assert str(caught.value) == said


def workload(namespace: str, name: str, job: str = "") -> Workload:
    owner = {"apiVersion": "batch/v1", "kind": "Job", "name": job, "uid": "1", "controller": True}
    metadata = {"name": name, "namespace": namespace, "ownerReferences": [owner] if job else []}
    version = "kueue.x-k8s.io/v1beta2"
    found = read_object({"apiVersion": version, "kind": "Workload", "metadata": metadata})
    assert isinstance(found, Workload)
    return found


def test_a_workload_goes_by_its_own_name_or_its_jobs() -> None:
    index = ObjectIndex(
        [workload("one", "x"), workload("two", "x"), workload("two", "job-y-1234", "y")]
    )
    assert index.find("wl/two/x") == Reference("Workload", "two", "x")
    assert index.find("job/y") == Reference("Workload", "two", "job-y-1234")


def test_what_was_dropped_is_still_known_by_name() -> None:
    x, y = workload("one", "x"), workload("one", "y")
    index = ObjectIndex([x, y])
    at_x, at_y, at_z = (Reference("Workload", "one", name) for name in "xyz")
    index.drop(at_x)
    index.drop(at_z)
    assert list(index) == [y]
    assert [index.is_gone(each) for each in (at_x, at_y, at_z)] == [True, False, False]
    assert index.names_of_all.key_of("x") == "one/x"
    with pytest.raises(UnknownObjectError):
        index.workload_names.key_of("x")
    index.put(x)
    assert index[at_x] is x
    assert not index.is_gone(at_x)


def test_references_and_their_keys() -> None:
    assert Reference.of(LocalQueue(ObjectMeta("q"), "a")) == Reference("LocalQueue", "default", "q")
    assert Reference.of(ClusterQueue(ObjectMeta("a"))) == Reference("ClusterQueue", "", "a")
    assert Reference("LocalQueue", "one", "q").key == "one/q"
    assert Reference("ClusterQueue", "", "a").key == "a"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Cluster-Queue/a", ("ClusterQueue", "", "a")),
        ("ClusterQueue/ns/a", ("ClusterQueue", "", "a")),
        ("queue/one/q", ("LocalQueue", "one", "q")),
        ("ns/one", ("Namespace", "", "one")),
        ("check/c", ("AdmissionCheck", "", "c")),
        ("rf/spot", ("ResourceFlavor", "", "spot")),
    ],
)
def test_kinds_may_be_short(text: str, found: tuple[str, str, str]) -> None:
    assert split(text) == found


@pytest.mark.parametrize("text", ["", "cq", "cq/", "lq/one/"])
def test_a_name_is_needed(text: str) -> None:
    with pytest.raises(InputError) as caught:
        split(text)
    (problem,) = caught.value.problems
    assert problem.message == f"'{text}' does not name an object"
    assert problem.hint == ("Write kind/name or kind/namespace/name, such as cluster-queue/team-a")


def test_a_kind_that_is_not_known_is_named() -> None:
    with pytest.raises(UnknownObjectError) as caught:
        split("clusterqeue/a")
    assert str(caught.value) == (
        "there is no kind named 'clusterqeue'. Did you mean 'ClusterQueue'?"
    )
