"""The kubeconfig, read as kubectl reads it: ``KUBECONFIG`` may name several files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, Final

import yaml
from lightkube.config.kubeconfig import KubeConfig
from lightkube.core.exceptions import ConfigError

from kueuelab.live.errors import LiveError
from kueuelab.messages import Message

__all__ = ["contexts", "kubeconfig"]

#: What names a file, which may be relative to that of the kubeconfig.
_FILES: Final = ("certificate-authority", "client-certificate", "client-key", "tokenFile")


def kubeconfig() -> KubeConfig:
    """Return the configuration of the environment.

    Raises
    ------
    LiveError
        If there is none, or it can't be read.
    """
    paths = [path for path in os.environ.get("KUBECONFIG", "").split(os.pathsep) if path]
    try:
        if len(paths) > 1:
            return KubeConfig.from_dict(_merged([Path(path).expanduser() for path in paths]))
        return KubeConfig.from_env()
    except (ConfigError, OSError, ValueError, KeyError, yaml.YAMLError) as error:
        line = (str(error).splitlines() or [""])[0]
        raise LiveError(
            Message("live.access.kubeconfig-unusable", line=line),
            "config",
            hint=Message("live.access.kubeconfig-unusable.hint"),
        ) from error


def contexts() -> tuple[str, ...]:
    """Return the names of the contexts of the kubeconfig."""
    return tuple(kubeconfig().contexts)


def _merged(paths: list[Path]) -> dict[str, Any]:
    """Merge several files: the first value counts, and files may be missing."""
    found: dict[str, Any] = {"clusters": [], "users": [], "contexts": []}
    for path in (path for path in paths if path.is_file()):
        read = yaml.safe_load(path.read_text("utf-8"))
        if not isinstance(read, dict):
            raise ConfigError(Message("live.access.not-kubeconfig", path=path))
        if read.get("current-context"):
            found.setdefault("current-context", read["current-context"])
        for part in ("clusters", "users", "contexts"):
            known = {each["name"] for each in found[part]}
            new = [each for each in read.get(part) or () if each["name"] not in known]
            found[part] += [_with_whole_paths(each, path.parent) for each in new]
    return found


def _with_whole_paths(entry: dict[str, Any], folder: Path) -> dict[str, Any]:
    return {
        key: value
        if not isinstance(value, dict)
        else {
            field: str(folder / inner) if field in _FILES and inner else inner
            for field, inner in value.items()
        }
        for key, value in entry.items()
    }
