"""Pods as the API server defaults and validates them, in Jobs and on their own."""
