"""Texts that are not in the catalogue: which, where, and why.

A place is a module or folder of ``kueuelab``; ``::name`` means only what is in the function, class
or constant of that name.
"""

#: Rooms whose sentences are still in their code. This may only become shorter.
NOT_YET_MOVED = frozenset(
    {
        "__init__.py",
        "__main__.py",
        "bench",
        "conformance",
        "files",
        "live",
        "manifests",
        "model",
        "quantity.py",
        "queues",
        "quota",
        "scheduler",
        "simulation",
        "testing",
        "trace",
        "widgets",
        "workshop",
    }
)

#: What Kueue or Kubernetes says: shown to the letter, in any language.
VERBATIM: dict[str, str] = {
    "multikueue/adapters.py": "written by Kueue's job adapters",
    "multikueue/checks.py": "conditions of AdmissionChecks",
    "multikueue/connections.py": "conditions of MultiKueueClusters",
    "multikueue/dispatchers.py::nomination_refusal": "the API server's verdict",
    "multikueue/facts.py::_NOWHERE": "a condition of LocalQueues",
    "multikueue/facts.py::local_queue_condition": "a condition of LocalQueues",
    "multikueue/job_controller.py": "written by the job controller",
    "multikueue/job_integration.py": "written by Kueue's job reconciler",
    "multikueue/manager.py": "written by Kueue's workload reconciler",
    "multikueue/quota_automation.py": "conditions of ClusterQueues",
    "multikueue/reconciler.py": "written by Kueue's workload reconciler",
}

#: What looks like a sentence and is none, or is not for the readers of kueuelab.
NOT_SENTENCES: dict[str, str] = {
    "multikueue/facts.py::FactLog": "the format of recorded facts",
    "multikueue/facts.py::_changes": "the format of recorded facts",
}
