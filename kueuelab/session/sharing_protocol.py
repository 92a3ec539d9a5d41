"""What a page can ask about settings and links, and what the handler answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

__all__ = ["Link", "LinkText", "OpenLink", "Settings", "SharingCommand"]


@dataclass(frozen=True, slots=True)
class Settings:
    """Choose the language of the answers, and the release that decides what is opened from now on.

    What is ``null`` stays as it is.

    Attributes
    ----------
    release
        A release of Kueue; ``""``: the one that the input names, else the default one.
    """

    language: str | None = None
    release: str | None = None


@dataclass(frozen=True, slots=True)
class Link:
    """Ask for a branch as a part of an address: what was opened, and the changes that led to it."""

    branch: str = ""


@dataclass(frozen=True, slots=True)
class OpenLink:
    """Open what a link has.

    Attributes
    ----------
    link
        The answer to ``link``.
    """

    link: str


@dataclass(frozen=True, slots=True)
class LinkText:
    """The answer to ``link``.

    Attributes
    ----------
    source
        What ``open`` gets, of a packaged scenario without changes; else ``""``.
    link
        In its place: what ``openLink`` gets.
    """

    source: str
    link: str


SharingCommand: TypeAlias = Settings | Link | OpenLink
