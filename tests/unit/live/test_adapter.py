"""The adapter against recorded exchanges: pages, watches, and everything that goes wrong."""

from __future__ import annotations

import json
from collections.abc import Iterator

import httpx2
import pytest
from stand_in import Replay, Stream, api

from kueuelab.live.api import WatchEvent
from kueuelab.live.errors import LiveError
from kueuelab.live.resources import JOBS, KUEUE, WORKLOADS

CLUSTER_QUEUES = next(resource for resource in KUEUE if resource.kind == "ClusterQueue")
LIST = "/apis/kueue.x-k8s.io/v1beta2/clusterqueues"


def answering(*answers: httpx2.Response | Exception) -> httpx2.MockTransport:
    left = list(answers)

    def answer(request: httpx2.Request) -> httpx2.Response:
        found = left.pop(0)
        if isinstance(found, Exception):
            raise found
        return found

    return httpx2.MockTransport(answer)


def test_objects_of_a_list_get_their_kind() -> None:
    listing = api(Replay.of("lightkube", 1)).list(CLUSTER_QUEUES)
    assert listing.resource_version
    assert {item["kind"] for item in listing.items} == {"ClusterQueue"}


def test_pages_are_put_together_and_an_expired_page_starts_over() -> None:
    replay = Replay.of("expired", 2, 1, 5)
    # A first page that leads to a token which has expired by then.
    replay.left[0] = json.loads(json.dumps(replay.left[0]))
    replay.left[0]["response"]["json"]["metadata"]["continue"] = "token"
    listing = api(replay).list(WORKLOADS)
    assert not replay.left
    assert "limit" not in replay.asked[-1].url.params
    assert len({item["metadata"]["uid"] for item in listing.items}) == len(listing.items) > 2


def test_a_watch_of_an_old_version_ends_in_expired() -> None:
    replay = Replay.of("expired", 4)
    with pytest.raises(LiveError) as caught:
        list(api(replay).watch(WORKLOADS, "300", 4))
    assert caught.value.trouble == "expired"
    assert replay.streams[0].closed


@pytest.mark.parametrize(
    ("step", "seen", "trouble"),
    [(1, 1, "cut"), (2, 1, "cut"), (3, 1, "cut"), (4, 1, "cut"), (5, 1, "timeout")],
)
def test_a_watch_that_is_cut_gives_what_came_whole(step: int, seen: int, trouble: str) -> None:
    replay = Replay.of("watch-cut", step)
    events: list[WatchEvent] = []
    with pytest.raises(LiveError) as caught:
        events.extend(_watch(replay))
    assert (len(events), caught.value.trouble) == (seen, trouble)
    assert replay.streams[0].closed


def _watch(replay: Replay) -> Iterator[WatchEvent]:
    # The recordings are of one namespace, the adapter watches all.
    for exchange in replay.left:
        exchange["request"]["path"] = WORKLOADS.path()
    return api(replay).watch(WORKLOADS, "1", 4)


def test_a_watch_in_small_pieces_is_whole() -> None:
    assert len(list(_watch(Replay.of("watch-cut", 6)))) == 5


def test_a_watch_that_the_server_cannot_convert() -> None:
    replay = Replay.of("kueue-down", 20)
    with pytest.raises(LiveError):
        list(_watch(replay))


def test_a_list_that_is_cut_is_read_again_and_then_given_up() -> None:
    cut = httpx2.Response(200, text='{"apiVersion":"v1","items":[{"a')
    whole = httpx2.Response(200, json={"kind": "List", "items": []})
    with pytest.raises(LiveError, match="is incomplete"):
        api(answering(cut)).list(CLUSTER_QUEUES)
    broken = httpx2.RemoteProtocolError("Server disconnected without sending a response.")
    assert api(answering(broken, whole)).list(CLUSTER_QUEUES).items == ()


def test_429_waits_as_long_as_the_server_says() -> None:
    waited: list[float] = []
    replay = Replay.of("throttled", 1, 5)
    assert api(replay, sleep=waited.append).get(CLUSTER_QUEUES.path())["items"]
    assert waited == [1.0]


def test_429_without_end_is_given_up() -> None:
    many = [httpx2.Response(429, headers={"retry-after": "9"}, text="slow down")] * 9
    waited: list[float] = []
    with pytest.raises(LiveError, match=r"no capacity for this client now. Try again after 9 s"):
        api(answering(*many), sleep=waited.append).list(CLUSTER_QUEUES)
    assert sum(waited) <= 20


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (7, "is not allowed to list nodes. Grant the verb"),
        (5, "is not allowed to list secrets in namespace kueue-system"),
        (15, "the API server does not accept the credentials"),
        (16, "system:anonymous is not allowed to list clusterqueues.kueue.x-k8s.io"),
    ],
)
def test_what_one_may_not_is_named(step: int, sentence: str) -> None:
    replay = Replay.of("auth", step)
    with pytest.raises(LiveError) as caught:
        api(replay).get(replay.left[0]["request"]["path"])
    assert sentence in str(caught.value)
    assert "s3cret" not in str(caught.value)


@pytest.mark.parametrize(
    ("flow", "step", "sentence", "times"),
    [
        ("tls", 1, "not signed by the trusted authority", 1),
        ("tls", 2, "refuses the connection", 4),
        ("tls", 3, "cannot be reached: [Errno -2] Name or service not known", 1),
        ("api-down", 3, "stopped answering at /apis", 1),
    ],
)
def test_no_answer_at_all(flow: str, step: int, sentence: str, times: int) -> None:
    replay = Replay.of(flow, *[step] * times)
    with pytest.raises(LiveError) as caught:
        api(replay).get(replay.left[0]["request"]["path"])
    assert sentence in str(caught.value)
    assert not replay.left


@pytest.mark.parametrize(
    ("step", "sentence"),
    [
        (3, "is not available: error trying to reach service"),
        (7, "Kueue's webhook does not answer. Check that Kueue is running"),
        (24, "is not available: service unavailable"),
    ],
)
def test_kueue_is_down(step: int, sentence: str) -> None:
    replay = Replay.of("kueue-down", step)
    with pytest.raises(LiveError) as caught:
        api(replay).get(replay.left[0]["request"]["path"])
    assert sentence in str(caught.value)
    assert caught.value.trouble == "unavailable"


def test_writing_while_kueue_is_down_names_the_webhook() -> None:
    replay = Replay.of("kueue-down", 10, 10, 10, 10)
    job = replay.left[0]["request"]["json"]
    job["metadata"]["namespace"] = "team-a"
    waited: list[float] = []
    with pytest.raises(LiveError, match=r"webhook \(mjob.kb.io\) does not answer"):
        api(replay, writable=True, sleep=waited.append).create(job)
    assert (replay.left, waited) == ([], [3.0, 3.0, 3.0])


def test_a_webhook_that_comes_up_is_waited_for() -> None:
    # Nothing was done when it could not be called, so it is asked again.
    replay = Replay.of("kueue-down", 10, 26)
    job = replay.left[0]["request"]["json"]
    job["metadata"]["namespace"] = "team-a"
    assert api(replay, writable=True).create(job)["kind"] == "Job"


def test_apply_asks_as_lightkube_does() -> None:
    replay = Replay.of("lightkube", 5)
    recorded = replay.left[0]["request"]
    api(replay, writable=True).apply(recorded["json"], force=True)
    request = replay.asked[0]
    assert dict(request.url.params) == recorded["query"]
    assert request.headers["content-type"] == "application/apply-patch+yaml"
    assert json.loads(request.content) == recorded["json"]


def test_a_conflict_names_the_fields() -> None:
    replay = Replay.of("lightkube", 7)
    recorded = replay.left[0]["request"]
    with pytest.raises(LiveError, match=r"Another manager owns .spec.queueingStrategy") as caught:
        api(replay, writable=True).apply(recorded["json"])
    assert caught.value.trouble == "conflict"


def test_deleting_what_is_gone_is_no_error() -> None:
    replay = Replay.of("lightkube", 15, 16)
    found = api(replay, writable=True)
    assert found.delete(JOBS, "lk", "team-a") is True
    assert found.delete(JOBS, "lk2", "team-a") is False


def test_nothing_is_written_unless_it_may_be() -> None:
    replay = Replay([])
    with pytest.raises(LiveError, match=r"kueuelab does not write to 'kind-lab'. Allow it"):
        api(replay).delete(JOBS, "lk", "team-a")
    assert not replay.asked


def test_a_write_is_sent_again_only_after_429() -> None:
    ok = httpx2.Response(201, json={"kind": "Job"})
    slow = httpx2.Response(429, headers={"retry-after": "1"}, text="slow down")
    job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "a", "namespace": "b"}}
    assert api(answering(slow, ok), writable=True).create(job) == {"kind": "Job"}
    broken = httpx2.RemoteProtocolError("gone")
    with pytest.raises(LiveError, match="was lost"):
        api(answering(broken, ok), writable=True).create(job)


def test_after_close_everything_says_so() -> None:
    found = api(answering(httpx2.Response(200, json={})))
    found.close()
    with pytest.raises(LiveError, match="the connection to 'kind-lab' was closed"):
        found.get("/version")


def test_an_unknown_context_names_those_that_exist() -> None:
    from stand_in import config

    from kueuelab.live.adapter import LightkubeApi

    with pytest.raises(LiveError, match=r"no context 'prod'. There are: kind-lab"):
        LightkubeApi("prod", config=config())


def test_leaving_a_watch_closes_its_stream() -> None:
    line = b'{"type":"ADDED","object":{"kind":"Workload"}}\n'
    stream = Stream([line, line])
    events = api(answering(httpx2.Response(200, stream=stream))).watch(WORKLOADS, "1", 4)
    next(events)
    events.close()  # type: ignore[attr-defined]
    assert stream.closed


def test_what_a_login_command_prints_stays_hidden() -> None:
    from lightkube.core.exceptions import ConfigError

    refused = ConfigError("Exec aws returned 1: token s3cret")
    with pytest.raises(LiveError) as caught:
        api(answering(refused)).get("/version")
    assert str(caught.value) == "the login for 'kind-lab' failed. Log in again"
    assert caught.value.__cause__ is None
