"""Which release of Kueue a cluster runs, and whether the lab decides as that release does."""

from __future__ import annotations

from typing import Final

from kueuelab.live.api import ClusterApi
from kueuelab.live.errors import LiveError
from kueuelab.manifests.loading.dumped_version import version_of_image
from kueuelab.messages import Message
from kueuelab.model import RELEASE, Release

__all__ = ["DEPLOYMENT", "NAMESPACE", "difference", "installed_version"]

#: Where a release installs Kueue.
NAMESPACE: Final = "kueue-system"
DEPLOYMENT: Final = "kueue-controller-manager"


def installed_version(api: ClusterApi) -> str:
    """Return the version of Kueue that runs in a cluster, ``""`` if it cannot be read.

    It is the tag of the image of Kueue's Deployment.

    Raises
    ------
    LiveError
        If the cluster does not answer.
    """
    try:
        found = api.get(f"/apis/apps/v1/namespaces/{NAMESPACE}/deployments/{DEPLOYMENT}")
    except LiveError as error:
        if error.trouble not in ("forbidden", "missing"):
            raise
        return ""
    template = (found.get("spec") or {}).get("template") or {}
    containers = (template.get("spec") or {}).get("containers") or ()
    return next((version_of_image(str(each.get("image") or "")) for each in containers), "")


def difference(version: str, cluster: str, release: Release = RELEASE) -> str:
    """Return a sentence if a cluster runs another release than the lab models, else ``""``.

    Parameters
    ----------
    version
        The version in the cluster; ``""`` if it is not known.
    cluster
        What to call the cluster.
    release
        The release that the lab models.

    Examples
    --------
    >>> print(difference("v0.18.1", "kind-lab"))
    Kueue in 'kind-lab' is v0.18.1; the lab decides as v0.19.2 does. Decisions can differ
    >>> difference("v0.19.2", "kind-lab")
    ''
    """
    if version in ("", release.version):
        return ""
    minor = ".".join(version.split(".")[:2])
    names = {"cluster": cluster, "version": version, "lab": release.version}
    if minor == release.minor:
        return Message("live.release.other-patch", **names)
    return Message("live.release.other-minor", **names)
