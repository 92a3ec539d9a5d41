"""What Kueue keeps in memory only is followed from the decisions that were seen."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from stand_in import shared

sys.path.insert(0, str(Path(__file__).parents[1] / "simulation"))
from simulation_lab import Lab, flavor, local, make_lab, queue, work

from kueuelab.live.decisions import ObservedDecision
from kueuelab.live.kueue_configuration import installed_configuration
from kueuelab.live.mirror import Mirror
from kueuelab.live.observed_changes import observed_decisions
from kueuelab.live.recordings import mirror_of
from kueuelab.live.redecide import Redecider
from kueuelab.live.snapshot import Snapshot
from kueuelab.live.verdict import Verdict
from kueuelab.live.why import lab_of, verdict_on
from kueuelab.manifests.encode import encode_object
from kueuelab.messages import english
from kueuelab.model import RELEASE, Workload, WorkloadStatus
from kueuelab.trace.dump_summary import differences, dump_summary
from kueuelab.whatif.pending import pending

VERSION = "kueue.x-k8s.io/v1beta2"
LOWER = {"withinClusterQueue": "LowerPriority"}
SKIPPED = "Workload no longer fits after processing another workload"
OBJECTS = (
    flavor("fa"),
    flavor("fb"),
    queue("a", "1", "fa fb", cohortName="all"),
    queue("b", "1", "fa fb", cohortName="all"),
    queue("c", "1", "fb", cohortName="all"),
    *(local(f"{name}-lq", name) for name in "abc"),
)


class Followed:
    """A lab in the place of Kueue, and a mirror that follows it."""

    def __init__(self, *objects: dict[str, Any], **configuration: Any) -> None:
        self.lab: Lab = make_lab(*(objects or OBJECTS), **configuration)
        self.written: list[str] = []
        self.lab.cluster.plane.on_write = self.written.append
        self.mirror = self.connected()

    def connected(self) -> Mirror:
        """Return a mirror that begins with what is there now."""
        cluster = self.lab.cluster
        mirror = Mirror(cluster.configuration, cluster.now)
        mirror.load([encode_object(obj) for obj in cluster.objects])
        mirror.load([self.body(key) for key in cluster.workloads])
        return mirror

    def body(self, key: str) -> dict[str, Any]:
        state = self.lab.cluster.workloads[key]
        conditions = tuple(state.conditions.values())
        status = WorkloadStatus(conditions=conditions, admission=state.admission)
        return encode_object(replace(state.obj, status=status))

    def show(self) -> None:
        """Show what was written since the last time."""
        keys, self.written[:] = list(dict.fromkeys(self.written)), []
        for key in keys:
            self.mirror.feed(self.lab.cluster.now, "MODIFIED", self.body(key))

    def arrive(self, name: str, cpu: str, queue_name: str) -> None:
        self.lab.create(work(name, cpu, queue_name=queue_name))
        self.show()

    def cycle(self) -> None:
        self.lab.cluster.cycle()
        self.show()

    def skip(self, *, fill: bool) -> None:
        """Let `two` be skipped on fa because of `one`; with `fill`, fb has no quota left."""
        if fill:
            self.arrive("fill", "3", "c-lq")
            self.cycle()
        self.arrive("one", "2", "a-lq")
        self.arrive("two", "2", "b-lq")
        self.cycle()
        assert self.lab.condition("two", "QuotaReserved").endswith(SKIPPED)

    def end(self, name: str) -> None:
        self.lab.cluster.finish(f"default/{name}")
        self.show()

    def decided(self) -> list[str]:
        self.mirror.settle()
        return [str(decision).split("default/", 1)[1] for decision in self.mirror.decisions]


def test_a_search_is_resumed_after_the_flavor_at_which_the_last_attempt_ended() -> None:
    followed = Followed()
    followed.skip(fill=False)
    followed.end("one")
    followed.cycle()
    assert followed.decided()[-1] == (
        "two is admitted to b (cpu on fb) — agrees with Kueue, which resumes the search "
        "after flavor fa, where the last attempt ended"
    )
    found = followed.mirror.decisions[-1]
    assert (found.resumed_after, found.is_certain) == (("fa",), True)


def test_a_message_that_names_later_flavors_only_agrees() -> None:
    followed = Followed()
    followed.skip(fill=True)
    followed.end("one")
    followed.cycle()
    assert "flavor fa" not in followed.lab.condition("two", "QuotaReserved")
    assert [decision.agrees for decision in followed.mirror.decisions] == [True] * 4
    assert followed.mirror.decisions[-1].resumed_after == ("fa",)


def test_the_attempt_after_it_begins_at_the_first_flavor_again() -> None:
    followed = Followed()
    followed.skip(fill=True)
    followed.end("one")
    followed.cycle()
    followed.end("fill")
    followed.cycle()
    assert followed.decided()[-1] == "two is admitted to b (cpu on fa) — agrees with Kueue"


def test_what_was_before_the_connection_is_unknown_and_the_verdict_says_so() -> None:
    followed = Followed()
    followed.skip(fill=False)
    followed.end("one")
    followed.mirror = followed.connected()
    followed.cycle()
    assert followed.decided() == [
        "two is admitted to b (cpu on fb) — agrees with Kueue if its last attempt ended at "
        "flavor fa; no object shows where it ended"
    ]
    assert not followed.mirror.decisions[0].is_certain


def test_a_memory_that_the_last_message_rules_out_is_not_assumed() -> None:
    """Nothing was skipped, so an admission to the second flavor differs."""
    followed = Followed()
    followed.arrive("two", "2", "b-lq")
    followed.lab.cluster.cycle()
    body = followed.body("default/two")
    body["status"]["admission"]["podSetAssignments"][0]["flavors"] = {"cpu": "fb"}
    followed.mirror.feed(followed.lab.cluster.now, "MODIFIED", body)
    assert followed.decided() == [
        "two is admitted to b (cpu on fb) — differs: the lab would admit it to b (cpu on fa)"
    ]


@pytest.mark.parametrize("gate", ["FlavorFungibility", "FlavorFungibilityPreserveScanProgress"])
def test_without_its_feature_gate_kueue_remembers_nothing(gate: str) -> None:
    followed = Followed(featureGates={gate: False})
    followed.skip(fill=False)
    followed.end("one")
    followed.lab.wait(3)
    followed.lab.cluster.cycle()
    body = followed.body("default/two")
    assert body["status"]["admission"]["podSetAssignments"][0]["flavors"] == {"cpu": "fa"}
    body["status"]["admission"]["podSetAssignments"][0]["flavors"] = {"cpu": "fb"}
    followed.mirror.feed(followed.lab.cluster.now, "MODIFIED", body)
    assert not followed.mirror.decisions[-1].agrees


def test_a_head_whose_message_stays_the_same_is_assumed_and_named() -> None:
    """It reserves the quota that it can't reclaim; nothing is written about it again."""
    followed = Followed(
        flavor("fa"),
        queue("a", "2", "fa", cohortName="all"),
        queue("b", "2", "fa", cohortName="all"),
        queue("c", "0", "fa", cohortName="all"),
        *(local(f"{name}-lq", name) for name in "abc"),
    )
    lab = followed.lab
    followed.arrive("low", "3", "c-lq")
    followed.cycle()
    followed.arrive("large", "2", "a-lq")
    followed.cycle()
    assert "1 more needed" in lab.condition("large", "QuotaReserved")
    lab.wait(60)
    other = queue("c", "0", "fa", cohortName="all", preemption=LOWER)
    lab.apply(other)
    assert lab.pending("a") == ["large"]
    followed.mirror.feed(lab.cluster.now, "MODIFIED", {"apiVersion": VERSION, **other})
    followed.arrive("small", "1", "b-lq")
    followed.cycle()
    assert lab.condition("small", "QuotaReserved").endswith(SKIPPED)
    assert followed.decided()[-1] == (
        f"small waits: {SKIPPED} — agrees with Kueue if default/large was in the same cycle; "
        "its message stayed the same, so nothing was written about it"
    )


def test_a_state_before_the_last_message_of_the_queue_is_not_gone_back_to() -> None:
    """Kueue writes the messages of a cycle before the next one begins."""
    followed = Followed()
    mirror = followed.mirror
    redecider: Redecider = mirror._redecider
    followed.skip(fill=True)
    earlier = redecider.state.mark
    followed.lab.wait(1)
    followed.arrive("three", "9", "b-lq")
    followed.end("one")
    followed.cycle()
    observed = mirror.decisions[-1].observed
    redecider.decide(replace(observed, message="something else"))
    assert min(redecider._marks(observed)) >= earlier - 1


def snapshot(followed: Followed) -> Snapshot:
    cluster = followed.lab.cluster
    objects = [encode_object(obj) for obj in cluster.objects]
    objects += [followed.body(key) for key in cluster.workloads]
    return Snapshot("kind-lab", cluster.now, tuple(objects))


def verdict(found: Snapshot, name: str) -> Verdict:
    lab = lab_of(found)
    run = lab.run(until=0)
    workload = next(each for each in lab.spec.manifests.workloads if each.name == name)
    return verdict_on(run, lab.spec, workload)


def test_a_dump_whose_message_names_later_flavors_only_is_not_a_difference() -> None:
    followed = Followed()
    followed.skip(fill=True)
    followed.end("one")
    followed.cycle()
    found = snapshot(followed)
    said = verdict(found, "two")
    assert said.is_ == "agrees"
    assert said.text == (
        "Kueue's message does not name flavor fa: its last attempt resumed a search that had "
        "ended there, which no object shows. From there the lab finds the same reason. Kueue's "
        "next attempt begins at the first flavor; it would admit the workload with cpu on fa in "
        "this state."
    )
    run = lab_of(found).run(until=0)
    assert differences(run.trace) == ()
    text = "\n".join(run.why("default/two").as_text().splitlines())
    assert "its last attempt resumed a search that had ended there" in text
    assert "DIFFERS" not in text
    assert any("for one workload" in line for line in dump_summary(run.trace, english()))
    assert "DIFFERS" not in pending(run, levers=False).as_text()


def test_a_dump_of_a_workload_that_was_skipped_leaves_open_where_the_search_resumes() -> None:
    followed = Followed()
    followed.skip(fill=False)
    followed.end("one")
    found = snapshot(followed)
    said = verdict(found, "two")
    assert said.is_ == "undecided"
    assert "which no object shows" in said.text
    assert said.text.endswith("would admit the workload with cpu on fa in this state.")
    run = lab_of(found).run(until=0)
    assert differences(run.trace) == ()
    [line] = [line for line in run.why("default/two").sections[0].lines if line.rule == "lab"]
    assert line.verdict == "memory"
    assert line.text.startswith("Kueue skipped it because of another workload.")


#: The most decisions of six minutes of random load that may differ, of 3,244: 0.2 %.
_MOST_DIFFERENT = 6


def test_six_minutes_of_random_load_are_followed() -> None:
    """The one that differs was written more than 2 s after its cycle.

    Kueue's requests were throttled then, and a cycle's messages are written one after another.
    """
    mirror = mirror_of(shared("recorded/soak-6-min"), installed_configuration(RELEASE))
    differing = [str(decision) for decision in mirror.decisions if not decision.agrees]
    assert len(mirror.decisions) == 3244
    assert mirror.problems == {}
    assert len(differing) <= _MOST_DIFFERENT, differing
    assert sum(bool(decision.resumed_after) for decision in mirror.decisions) > 200
    assert sum(not decision.is_certain for decision in mirror.decisions) < 40


def test_wrong_decisions_among_them_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the admissions, every fifth is shown with the other flavor: most of those differ."""
    folder, wrong, count = shared("recorded/soak-6-min"), [], 0

    def changed(before: Workload, after: Workload, time: int) -> Iterator[ObservedDecision]:
        nonlocal count
        for each in observed_decisions(before, after, time):
            count += bool(each.cluster_queue)
            if each.cluster_queue and count % 5 == 0:
                other = {"fa": "fb", "fb": "fa"}
                flavors = tuple(
                    (name, pods, {r: other[f] for r, f in given.items()})
                    for name, pods, given in each.flavors
                )
                each = replace(each, flavors=flavors)
                wrong.append((*each.subject, each.time))
            yield each

    monkeypatch.setattr("kueuelab.live.mirror.observed_decisions", changed)
    decisions = mirror_of(folder, installed_configuration(RELEASE)).decisions
    found = [d for d in decisions if (*d.observed.subject, d.observed.time) in wrong]
    assert len(found) == len(wrong) > 30
    assert sum(not decision.agrees for decision in found) > 0.7 * len(wrong)
