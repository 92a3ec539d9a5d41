"""What lessons use: print a part of a run, compare runs in a table, ask for a prediction.

Each function does one thing that a lesson needs again and again, so that the cells of a notebook
show Kueue and no Python. They print plain text, or show a view.

Examples
--------
>>> import kueuelab as kl
>>> lab = kl.scenarios.load("within-cq-1-which-candidate")
>>> runs = kl.teaching.vary(lab, "job/urgent", kl.teaching.REQUESTED_CPU, (2, 8))
>>> kl.teaching.table(runs, kl.teaching.preempted)
   preempted
2  train-2
8  -
"""

from __future__ import annotations

from kueuelab.teaching.clusters import (
    broken,
    cpu_quotas,
    dispatched,
    hazards,
    life,
    moved,
    races,
    requested_cpu,
    rounds,
    runs_by_winner,
    where,
    without_faults,
)
from kueuelab.teaching.course import (
    progress,
)
from kueuelab.teaching.dumps import (
    agreement,
    messages_in_dump,
)
from kueuelab.teaching.jobs import job
from kueuelab.teaching.measures import (
    Measure,
    admitted,
    cpu_at,
    cpu_used,
    evictions,
    finished,
    first_placed,
    flavor_of,
    loop,
    mean_wait,
    placed,
    preempted,
    reasons,
    replaced,
    running,
    starts,
    waited,
    whole_hosts,
    work_lost,
)
from kueuelab.teaching.predictions import (
    predict,
    recall,
)
from kueuelab.teaching.printing import (
    domains,
    events,
    explain,
    kind,
    order,
    placements,
    quotas,
    racks,
    stories,
)
from kueuelab.teaching.recordings import (
    cluster_conditions,
    connecting_steps,
    judged_by,
    kept_decisions,
    played,
    where_jobs_run,
)
from kueuelab.teaching.releases import (
    gate_defaults,
    gates_that_matter,
    under,
    upgrade,
)
from kueuelab.teaching.sharing import (
    share_changes,
    share_chart,
    share_of,
    shares_compared,
    usage,
)
from kueuelab.teaching.variants import (
    NOMINAL_CPU,
    REQUESTED_CPU,
    combinations,
    cpu_quota,
    edited_text,
    grid,
    policies,
    reconfigured,
    table,
    variants,
    vary,
    weaker_policies,
)
from kueuelab.teaching.viewing import (
    choose,
)

__all__ = [
    "NOMINAL_CPU",
    "REQUESTED_CPU",
    "Measure",
    "admitted",
    "agreement",
    "broken",
    "choose",
    "cluster_conditions",
    "combinations",
    "connecting_steps",
    "cpu_at",
    "cpu_quota",
    "cpu_quotas",
    "cpu_used",
    "dispatched",
    "domains",
    "edited_text",
    "events",
    "evictions",
    "explain",
    "finished",
    "first_placed",
    "flavor_of",
    "gate_defaults",
    "gates_that_matter",
    "grid",
    "hazards",
    "job",
    "judged_by",
    "kept_decisions",
    "kind",
    "life",
    "loop",
    "mean_wait",
    "messages_in_dump",
    "moved",
    "order",
    "placed",
    "placements",
    "played",
    "policies",
    "predict",
    "preempted",
    "progress",
    "quotas",
    "races",
    "racks",
    "reasons",
    "recall",
    "reconfigured",
    "replaced",
    "requested_cpu",
    "rounds",
    "running",
    "runs_by_winner",
    "share_changes",
    "share_chart",
    "share_of",
    "shares_compared",
    "starts",
    "stories",
    "table",
    "under",
    "upgrade",
    "usage",
    "variants",
    "vary",
    "waited",
    "weaker_policies",
    "where",
    "where_jobs_run",
    "whole_hosts",
    "without_faults",
    "work_lost",
]
