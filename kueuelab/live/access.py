"""Access to a cluster through the kubeconfig: read-only, unless writing is allowed."""

from __future__ import annotations

from collections.abc import Collection

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["clean_command", "guard", "open_cluster"]


def guard(context: str, allowed: Collection[str] = ()) -> None:
    """Refuse to write to a cluster for which that was not allowed.

    Parameters
    ----------
    context
        The context of the kubeconfig.
    allowed
        Contexts that were named for it.

    Raises
    ------
    LiveError
        If it is neither a kind cluster nor named.

    Examples
    --------
    >>> guard("kind-lab")
    >>> guard("production")
    Traceback (most recent call last):
    kueuelab.live.errors.LiveError: ...
    """
    if not context.startswith("kind-") and context not in allowed:
        raise LiveError(
            Message("live.access.not-kind", context=context),
            "guarded",
            hint=Message("live.access.not-kind.hint", context=context),
        )


def clean_command(context: str) -> str:
    """Return the command that removes what a run left behind.

    Examples
    --------
    >>> clean_command("kind-lab")
    'kueuelab live clean --context kind-lab'
    >>> clean_command("east")
    'kueuelab live clean --context east --allow-context east'
    """
    command = f"kueuelab live clean --context {context}"
    return command if context.startswith("kind-") else f"{command} --allow-context {context}"


def open_cluster(
    context: str = "", *, writable: bool = False, allowed: Collection[str] = ()
) -> ClusterApi:
    """Return the API server behind a context; the current one if none is named.

    Raises
    ------
    LiveError
        If lightkube is missing, the kubeconfig cannot be used, or writing is not allowed.
    """
    try:
        from kueuelab.live.adapter import LightkubeApi
    except ImportError as error:
        hint = Message("live.access.no-client.hint")
        raise LiveError(Message("live.access.no-client"), "config", hint=hint) from error
    api = LightkubeApi(context, writable=writable)
    if writable:
        try:
            guard(api.context, allowed)
        except LiveError:
            api.close()
            raise
    return api
