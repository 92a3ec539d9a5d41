"""Kinds of steps that only MultiKueue has; see :mod:`kueuelab.trace.multikueue_facts`."""

from kueuelab.trace.multikueue_facts import (
    CheckActivityChanged,
    ClusterNameRefused,
    ClustersNominated,
    CopyCreated,
    CopyRemoved,
    MultiKueueCheck,
    PreemptionGateOpened,
    RaceDrawn,
    RemoteJobCreated,
    StatusRefused,
    WorkerChosen,
    WorkerConnectionChanged,
)

__all__ = [
    "CheckActivityChanged",
    "ClusterNameRefused",
    "ClustersNominated",
    "CopyCreated",
    "CopyRemoved",
    "MultiKueueCheck",
    "PreemptionGateOpened",
    "RaceDrawn",
    "RemoteJobCreated",
    "StatusRefused",
    "WorkerChosen",
    "WorkerConnectionChanged",
]
