"""Gives Kueue the Configuration that a scenario needs, and restores the one that was there.

This is done on kind clusters that kueuelab created, and on no others. The ConfigMap keeps the
Configuration that was there as an annotation, so that one that a killed run left is found.
"""

from __future__ import annotations

from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

from kueuelab.live.access import clean_command
from kueuelab.live.api import ClusterApi
from kueuelab.live.clusters.layout import BEFORE, CONFIG_MAP, NAMESPACE
from kueuelab.live.clusters.runner import Runner
from kueuelab.live.clusters.tools import Tools
from kueuelab.live.errors import LiveError
from kueuelab.live.kueue_configuration import configuration_text, is_configured
from kueuelab.messages import Message
from kueuelab.model import Configuration

__all__ = ["KueueConfigurer", "is_of_scenario"]

_KIND: Final = "kind-"


def is_of_scenario(api: ClusterApi) -> bool:
    """Tell whether Kueue's Configuration is one of a scenario, which a run left."""
    path = f"/api/v1/namespaces/{NAMESPACE}/configmaps/{CONFIG_MAP}"
    try:
        return BEFORE in (api.get(path)["metadata"].get("annotations") or {})
    except LiveError as error:
        if error.trouble not in ("forbidden", "missing"):
            raise
        return False


class KueueConfigurer:
    """Configures Kueue for scenarios; a context manager, which restores what was there.

    Parameters
    ----------
    runner
        Runs kubectl.
    tell
        Called with what is being done.
    """

    def __init__(self, runner: Runner, tell: Callable[[str], None]) -> None:
        self._tools, self._tell = Tools(runner), tell
        #: What was there, by context.
        self._before: dict[str, str] = {}

    def __enter__(self) -> Self:
        """Begin; nothing is changed yet."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Restore what was there on every cluster, also after an error."""
        failed: LiveError | None = None
        for context in list(self._before):
            try:
                self.restore(context)
            except LiveError as wrong:
                self._tell_left(context)
                failed = failed or wrong
            except BaseException:
                self._tell_left(context)
                raise
        if failed is not None and error is None:
            raise failed

    def _tell_left(self, context: str) -> None:
        self._tell(Message("live.configure.left", context=context, command=clean_command(context)))

    def provide(self, api: ClusterApi, wanted: Configuration) -> bool:
        """Give Kueue of a cluster a Configuration, if it has another one; tell whether it had.

        A cluster that kueuelab did not create is left as it is.

        Raises
        ------
        LiveError
            If that fails.
        """
        context = api.context
        if is_configured(api, wanted) or not self._is_own(context):
            return False
        text = self._before.get(context)
        if text is None:
            # A run that was killed left what was there before it.
            there = self._tools.configuration_before(context)
            text = there or self._tools.configuration(context)
        given = configuration_text(text, wanted)
        self._tell(Message("live.configure.set", context=context))
        # Known before it is done: an interrupt may come in between.
        self._before[context] = text
        self._tools.configure(context, given, before=text)
        return True

    def restore(self, context: str) -> bool:
        """Give Kueue of a cluster the Configuration that it had; tell whether it has another one.

        Raises
        ------
        LiveError
            If that fails.
        """
        text = self._before.get(context) or self._tools.configuration_before(context)
        if not text or not self._is_own(context):
            return False
        self._tell(Message("live.configure.restore", context=context))
        self._tools.configure(context, text)
        self._before.pop(context, None)
        return True

    def _is_own(self, context: str) -> bool:
        if not context.startswith(_KIND):
            return False
        try:
            self._tools.require_own(context.removeprefix(_KIND))
        except LiveError as error:
            if error.trouble != "guarded":
                raise
            return False
        return True
