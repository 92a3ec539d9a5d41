"""Branches of a run, and what would admit a workload."""
