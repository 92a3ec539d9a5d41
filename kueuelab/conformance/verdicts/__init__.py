"""Recorded verdicts of the API server, compared with those of `kueuelab.manifests.server`."""

from kueuelab.conformance.verdicts.check import check_verdict_file
from kueuelab.conformance.verdicts.recording import is_verdict_file

__all__ = ["check_verdict_file", "is_verdict_file"]
