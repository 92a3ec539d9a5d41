"""Verdicts on manifests, as the API server of a cluster with Kueue would give them.

The verdicts are those of a release of Kueue with the feature gates of the cluster. `judge`
goes through the server's stages in its order: decoding, Kueue's defaulting webhooks, schemas
and their rules, Kueue's validating webhooks. What the kinds look like is written down in the
tables of `kueuelab.manifests.shapes`; rules among fields are small functions in `rules` and
`webhooks`.
"""

from kueuelab.manifests.server.judge import is_judged, judge
from kueuelab.manifests.server.problems import FieldError, FieldPath
from kueuelab.manifests.server.verdict import ClusterContents, Verdict

__all__ = ["ClusterContents", "FieldError", "FieldPath", "Verdict", "is_judged", "judge"]
