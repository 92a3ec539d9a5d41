"""Labels and annotations of Kueue's API that jobs carry."""

from __future__ import annotations

from typing import Final

from kueuelab.workload.slices import ELASTIC_JOB as ELASTIC_JOB
from kueuelab.workload.slices import WORKLOAD_SLICE_NAME as WORKLOAD_SLICE_NAME

QUEUE_NAME: Final = "kueue.x-k8s.io/queue-name"
PRIORITY_CLASS: Final = "kueue.x-k8s.io/priority-class"
MAX_EXEC_TIME: Final = "kueue.x-k8s.io/max-exec-time-seconds"
PREBUILT_WORKLOAD: Final = "kueue.x-k8s.io/prebuilt-workload-name"
ADMISSION_GATED_BY: Final = "kueue.x-k8s.io/admission-gated-by"
PROVISIONING_PREFIX: Final = "provreq.kueue.x-k8s.io/"

MULTIKUEUE_ORIGIN: Final = "kueue.x-k8s.io/multikueue-origin"
MULTIKUEUE_ORIGIN_UID: Final = "kueue.x-k8s.io/multikueue-origin-uid"
MULTIKUEUE_CONTROLLER: Final = "kueue.x-k8s.io/multikueue"

JOB_UID: Final = "kueue.x-k8s.io/job-uid"
JOB_OWNER_GVK: Final = "kueue.x-k8s.io/job-owner-gvk"
JOB_OWNER_NAME: Final = "kueue.x-k8s.io/job-owner-name"
COMPONENT_INDEX: Final = "kueue.x-k8s.io/component-workload-index"
IS_GROUP_WORKLOAD: Final = "kueue.x-k8s.io/is-group-workload"

MIN_PARALLELISM: Final = "kueue.x-k8s.io/job-min-parallelism"
COMPLETIONS_EQUAL_PARALLELISM: Final = "kueue.x-k8s.io/job-completions-equal-parallelism"

MANAGED: Final = "kueue.x-k8s.io/managed"
POD_GROUP_NAME: Final = "kueue.x-k8s.io/pod-group-name"
POD_GROUP_TOTAL_COUNT: Final = "kueue.x-k8s.io/pod-group-total-count"
POD_GROUP_FAST_ADMISSION: Final = "kueue.x-k8s.io/pod-group-fast-admission"
POD_GROUP_SERVING: Final = "kueue.x-k8s.io/pod-group-serving"
POD_GROUP_POD_INDEX: Final = "kueue.x-k8s.io/pod-group-pod-index"
RETRIABLE_IN_GROUP: Final = "kueue.x-k8s.io/retriable-in-group"
ROLE_HASH: Final = "kueue.x-k8s.io/role-hash"
SUSPENDED_BY_PARENT: Final = "kueue.x-k8s.io/pod-suspending-parent"

ADMISSION_GATE: Final = "kueue.x-k8s.io/admission"
TOPOLOGY_GATE: Final = "kueue.x-k8s.io/topology"
ELASTIC_JOB_GATE: Final = "kueue.x-k8s.io/elastic-job"

REQUIRED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-required-topology"
PREFERRED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-preferred-topology"
UNCONSTRAINED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-unconstrained-topology"
SLICE_REQUIRED_TOPOLOGY: Final = "kueue.x-k8s.io/podset-slice-required-topology"
SLICE_SIZE: Final = "kueue.x-k8s.io/podset-slice-size"
SLICE_CONSTRAINTS: Final = "kueue.x-k8s.io/podset-slice-required-topology-constraints"
POD_SET_GROUP: Final = "kueue.x-k8s.io/podset-group-name"
POD_INDEX_OFFSET: Final = "kueue.x-k8s.io/pod-index-offset"

# What Kueue adds to the templates of a job that it starts.
POD_SET: Final = "kueue.x-k8s.io/podset"
CLUSTER_QUEUE_NAME: Final = "kueue.x-k8s.io/cluster-queue-name"
LOCAL_QUEUE_NAME: Final = "kueue.x-k8s.io/local-queue-name"
WORKLOAD: Final = "kueue.x-k8s.io/workload"

DEFAULT_LOCAL_QUEUE: Final = "default"
DEFAULT_PRIORITY_CLASS: Final = "default"
