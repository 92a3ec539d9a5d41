"""Jobs as the loader hands them over."""

from __future__ import annotations

from job_samples import DATA, documents

from kueuelab.manifests import load


def test_the_runtime_of_a_trainjob_is_found_in_the_same_file() -> None:
    manifests = load(DATA / "trainjob.yaml")
    [workload] = manifests.workloads
    assert [pod_set.count for pod_set in workload.pod_sets] == [1, 4]


def test_a_group_that_is_not_complete_is_reported() -> None:
    manifests = load(documents("pod-group")[0])
    assert manifests.workloads == ()
    assert "fewer runnable pods than expected" in manifests.notes[0].message
