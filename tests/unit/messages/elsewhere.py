"""Texts that are not in the catalogue: which, where, and why.

A place is a module or folder of ``kueuelab``; ``::name`` means only what is in the function, class
or constant of that name.
"""

#: Rooms whose sentences are still in their code. This may only become shorter.
NOT_YET_MOVED: frozenset[str] = frozenset()

#: What Kueue or Kubernetes says: shown to the letter, in any language.
VERBATIM: dict[str, str] = {
    "conformance/multikueue/final.py::_check": "a condition of AdmissionChecks",
    "conformance/parts.py::ELASTIC_SLICES": "Kueue's name for a part of it",
    "conformance/parts.py::PARTS": "Kueue's names for parts of it",
    "conformance/verdicts/check.py::_judged": "the API server's verdict",
    "live/clusters/tools.py::_PRINTED_MISSING": "printed by kubectl",
    "live/clusters/tools.py::_PRINTED_UNKNOWN_KIND": "printed by kubectl",
    "live/clusters/tools.py::_PRINTED_WEBHOOK_FAILED": "printed by kubectl",
    "live/job_player.py": "written by the job controller and Kueue's job reconciler",
    "live/redact_messages.py": "messages of Kueue, to find names in them",
    "manifests/server": "the API server's verdicts and those of Kueue's webhooks",
    "manifests/shapes/rules/operation.py": "the verdicts of Kueue on its Configuration",
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
    "quantity.py": "Kubernetes' errors on quantities",
    "queues/manager.py::set_cohort": "why a workload is considered again, as Kueue logs it",
    "scheduler": "Kueue's messages on decisions",
    "simulation/adjust.py": "Kueue's messages on resources",
    "simulation/admissibility.py": "Kueue's message on namespaces",
    "simulation/admission_checks.py": "Kueue's messages on checks",
    "simulation/execution_time.py": "Kueue's messages on the execution time",
    "simulation/jobs.py": "Kueue's messages on jobs",
    "simulation/limit_ranges.py": "Kueue's messages on LimitRanges",
    "simulation/pods_ready.py": "Kueue's conditions and events",
    "simulation/preempt.py": "Kueue's conditions and events",
    "simulation/queue_status.py": "Kueue's conditions of queues",
    "simulation/reconcile.py": "Kueue's conditions and events",
    "simulation/scheduler_access.py": "Kueue's conditions and events",
    "simulation/status.py": "Kueue's conditions",
    "simulation/stop_policy.py": "Kueue's conditions",
    "simulation/unadmitted.py": "Kueue's conditions",
    "trace/situation.py::_WAITS_FOR_PODS": "Kueue's condition, to recognize it",
}

#: What looks like a sentence and is none, or is not for the readers of kueuelab.
NOT_SENTENCES: dict[str, str] = {
    "conformance/case_lines.py::_entry_lines": "the notation of records, compared line by line",
    "conformance/case_lines.py::_workload": "the notation of objects: names of fields and values",
    "conformance/case_lines.py::record_lines": "the notation of records, compared line by line",
    "conformance/multikueue/compare.py::_MUST_OCCUR": "values in recordings",
    "conformance/runner.py::NOT_MODELLED": "a verdict, for programs",
    "conformance/runner.py::Verdict": "verdicts, for programs",
    "frontend/joining.py::joined": "JavaScript",
    "frontend/modules/drawing.js": "paths of SVG",
    "frontend/modules/slides.js": "a media query and transforms",
    "frontend/pages.py::widget_module": "JavaScript",
    "live/access.py::clean_command": "a command line",
    "live/following.py::__repr__": "a repr",
    "live/live_run.py::__repr__": "a repr",
    "live/mirror.py::__repr__": "a repr",
    "live/redact_fields.py::Field": "a type",
    "manifests/loading/jobs.py::_report": "the beginning of a message, to recognize it",
    "multikueue/facts.py::FactLog": "the format of recorded facts",
    "multikueue/facts.py::_changes": "the format of recorded facts",
    "testing": "for developers of kueuelab: which invariant failed",
    "trace/breakpoints.py::EVENTS": "names that users give; the views have labels for them",
    "trace/breakpoints.py::MULTIKUEUE_EVENTS": "the same",
    "trace/diff.py::__repr__": "the repr of an object",
    "trace/schema.py": "descriptions in a JSON schema, for those who read files",
    "workshop/multikueue_case.py": "manifests, as a template",
    "widgets/board.py": "a type",
    "widgets/cohort_traces.py": "positions of texts in plotly",
    "widgets/multikueue_pane.py::_buttons": "the name of a fault, for programs",
    "views/faults.py::_Id": "names of faults, for programs",
}
