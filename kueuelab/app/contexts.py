"""The clusters that may be opened where there is a kubeconfig."""

from __future__ import annotations

from kueuelab.errors import KueueLabError

__all__ = ["contexts"]


def contexts() -> tuple[str, ...]:
    """Return the contexts of the kubeconfig; none where it cannot be read."""
    try:
        from kueuelab.live.kubeconfig import contexts as of_kubeconfig

        return of_kubeconfig()
    except (KueueLabError, ImportError):
        return ()
