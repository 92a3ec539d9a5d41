"""The fields of forms: each is a field of Kueue's, with a sentence and a page."""

from __future__ import annotations

import pytest

from kueuelab.manifests.shapes.tables import record_of
from kueuelab.messages import english
from kueuelab.model import RELEASE
from kueuelab.session.building.draft import KINDS, Draft
from kueuelab.session.building.fields import FIELDS, QUOTA_FIELDS, FormField, choices_of, page_of
from kueuelab.session.building.jobs import JobValues, jobs_of, with_job
from kueuelab.session.building.jobs import without_job as without
from kueuelab.session.building.quotas import quotas_of, with_quota

ALL = [(kind, field) for kind, fields in FIELDS.items() for field in fields]


def test_each_kind_that_can_be_added_has_a_form_and_a_page() -> None:
    assert set(FIELDS) == set(KINDS)
    assert all(page_of(kind).startswith("https://kueue.sigs.k8s.io/docs/") for kind in KINDS)


@pytest.mark.parametrize(("kind", "field"), ALL, ids=str)
def test_a_field_of_a_form_is_one_of_kueue_and_is_explained(kind: str, field: FormField) -> None:
    shape = record_of(RELEASE.api_version, kind)
    for name in field.path.split("."):
        shape = shape.fields[name].shape
    if field.form == "choice":
        assert choices_of(kind, field.path)
    sentence = english().text(field.meaning)
    assert sentence.endswith(".")


def test_the_fields_of_quota_are_explained() -> None:
    assert all(english().text(field.meaning) for field in QUOTA_FIELDS)


def with_queue() -> Draft:
    draft = Draft.new().added("ClusterQueue", "a").added("ClusterQueue", "b")
    return draft.added("LocalQueue", "a", parent="a").added("LocalQueue", "b", parent="b")


def test_a_job_keeps_its_comment_and_later_actions_follow_its_name() -> None:
    text = with_queue().text.replace("  timeline: []\n", "") + (
        "  timeline:\n"
        "  - {at: 0s, submit: {job: x, queue: a, requests: {cpu: 500m}}} # the first\n"
        "  - {at: 9s, finish: x}\n"
        "  expect:\n"
        "  - {at: 1s, workload: x, is: admitted}\n"
    )
    draft = Draft(text)
    (job,) = jobs_of(draft)
    values = JobValues("new", "b", "2s", "1m", 2, {"cpu": "1500m", "memory": "3Gi"}, 10)
    after = with_job(draft, values, job)
    assert after.problems == ()
    assert after.text.splitlines()[-4:] == [
        "  - {at: 2s, submit: {job: new, queue: b, requests: {cpu: 1500m, memory: 3Gi}, pods: 2,"
        " priority: 10, runs: 1m}} # the first",
        "  - {at: 9s, finish: new}",
        "  expect:",
        "  - {at: 1s, workload: new, is: admitted}",
    ]
    (again,) = jobs_of(after)
    assert again.values == values
    assert "new," not in without(after, again).text
    assert jobs_of(without(after, again)) == ()


def test_a_job_in_a_text_of_manifests_alone_makes_a_scenario() -> None:
    draft = Draft(
        "apiVersion: kueue.x-k8s.io/v1beta2\nkind: LocalQueue\nmetadata: {name: q}\n"
        "spec: {clusterQueue: c}\n",
        "queues.yaml",
    )
    after = with_job(draft, JobValues("x", "q"))
    assert after.problems == ()
    assert after.spec is not None
    assert after.spec.name == "queues"
    assert [job.values.job for job in jobs_of(after)] == ["x"]


def test_new_quota_keeps_groups_whole() -> None:
    draft = with_queue().added("ResourceFlavor", "spot")
    draft = with_quota(draft, "ClusterQueue/a", "spot", "cpu")
    draft = with_quota(draft, "ClusterQueue/a", "spot", "nvidia.com/gpu")
    assert draft.problems == ()
    found = [(each.flavor, each.resource) for each in quotas_of(draft, "ClusterQueue/a")]
    assert len(found) == len(set(found)) == 4
    place = next(each.place for each in quotas_of(draft, "ClusterQueue/a") if each.flavor == "spot")
    draft = draft.with_value(place / ("nominalQuota",), "3Gi")
    assert draft.problems == ()
