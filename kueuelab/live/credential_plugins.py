"""Which programs a kubeconfig may have run to get credentials.

The ``exec`` of a user of a kubeconfig names a program, its arguments and its environment. A
kubeconfig that was received names any program; only those that cloud providers ship run by
themselves, as they are found in ``PATH``. Another one runs if an environment variable names it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Final

from lightkube.config.models import UserExec

from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["ALLOWED_VARIABLE", "check_plugin"]

#: Names more commands that may run, with the path separator of the system between them.
ALLOWED_VARIABLE: Final = "KUEUELAB_CREDENTIAL_PLUGINS"
_KNOWN: Final = frozenset(
    {
        "aws",
        "aws-iam-authenticator",
        "doctl",
        "gke-gcloud-auth-plugin",
        "ibmcloud",
        "kubelogin",
        "oci",
        "tsh",
    }
)
#: Variables that may be set for a known program; none of them can hold the path of a file.
_VARIABLES: Final = frozenset(
    {
        "AAD_LOGIN_METHOD",
        "AAD_SERVICE_PRINCIPAL_CLIENT_ID",
        "AWS_DEFAULT_REGION",
        "AWS_PROFILE",
        "AWS_REGION",
        "AWS_STS_REGIONAL_ENDPOINTS",
        "AZURE_CLIENT_ID",
        "AZURE_TENANT_ID",
        "OCI_CLI_PROFILE",
        "USE_GKE_GCLOUD_AUTH_PLUGIN",
    }
)


def check_plugin(plugin: UserExec, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a program that is neither known nor named by an environment variable.

    Raises
    ------
    LiveError
        If it is refused; the error says what it would run, and how to allow it.

    Examples
    --------
    >>> check_plugin(UserExec("client.authentication.k8s.io/v1", "aws", args=["eks"]))
    >>> check_plugin(UserExec("client.authentication.k8s.io/v1", "./get-token"), {})
    Traceback (most recent call last):
    kueuelab.live.errors.LiveError: ...
    """
    if plugin.command in environment.get(ALLOWED_VARIABLE, "").split(os.pathsep):
        return
    given = {each.name for each in plugin.env or ()}
    if plugin.command in _KNOWN and given <= _VARIABLES:
        return
    shown = " ".join(
        (
            *(f"{each.name}={each.value}" for each in plugin.env or ()),
            plugin.command,
            *(plugin.args or ()),
        )
    )
    raise LiveError(
        Message("live.access.plugin", command=shown),
        "config",
        hint=Message("live.access.plugin.hint", variable=ALLOWED_VARIABLE, command=plugin.command),
    )
