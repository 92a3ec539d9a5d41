"""Manifests: YAML and JSON to the model and back."""
