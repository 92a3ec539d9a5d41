"""What a branch was read from: another release reads it again, and findings have its lines."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from kueuelab.manifests import ScenarioSpec, load_scenario
from kueuelab.manifests.loading.sources import documents_of
from kueuelab.model import Release, release_named
from kueuelab.whatif.advice.places import Places

__all__ = ["OpenedInput"]


@dataclass(frozen=True, slots=True)
class OpenedInput:
    """A file or a text that was opened.

    Attributes
    ----------
    source
        A path, or a text.
    name
        What to call a text.
    has_folder
        Whether it may name files beside it. What a browser sent has no folder: it names no file
        of this machine.
    release
        The release that decides it; ``""`` for the one that it names, else the default one.
    address
        What was asked for: a packaged name, a path; ``""`` for a text.

    Examples
    --------
    >>> text = "{apiVersion: v1, kind: Namespace, metadata: {name: team-a}}"
    >>> OpenedInput(text, "a.yaml").spec().manifests
    <Manifests Namespace: 1>
    """

    source: Path | str = field(repr=False)
    name: str = ""
    has_folder: bool = True
    release: str = ""
    address: str = ""

    def spec(self, release: Release | None = None) -> ScenarioSpec:
        """Read it, as a release of Kueue does: the one that is given, or its own.

        Raises
        ------
        InputError
            If something is wrong with it.
        """
        if release is None and self.release:
            release = release_named(self.release)
        if self.has_folder:
            return load_scenario(self.source, name=self.name, release=release)
        with TemporaryDirectory() as nothing:
            return load_scenario(self.source, name=self.name, base=Path(nothing), release=release)

    def places(self) -> Places:
        """Return where its objects are written."""
        return Places(list(documents_of(self.source, [], name=self.name)))
