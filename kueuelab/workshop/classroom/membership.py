"""The learner's side of a class: what is sent is kept until the server has stored it."""

from __future__ import annotations

import hashlib
import json
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self
from urllib.parse import urlsplit

from kueuelab.errors import InputError, KueueLabError, Problem
from kueuelab.files import read_json, write_json
from kueuelab.messages import Message
from kueuelab.workshop.classroom.attempt import CLASS_FORMAT, Attempt, checked_name, new_id

if TYPE_CHECKING:
    import httpx

__all__ = ["AT_ONCE", "ClassAddress", "Membership", "Sent"]

#: How many attempts one request has; together they stay below the server's limit for a request.
AT_ONCE: Final = 8

_SECONDS: Final = 10.0
#: A class lasts a day. After that no answer is sent without its address.
_SECONDS_REMEMBERED: Final = 24 * 3600
_TOKEN: Final = re.compile(r"[A-Za-z0-9_-]{16,128}")


@dataclass(frozen=True, slots=True)
class ClassAddress:
    """Where a class is, and the token that the instructor gives out with it.

    Examples
    --------
    >>> ClassAddress.parse("http://127.0.0.1:8765/0123456789abcdef").url
    'http://127.0.0.1:8765'
    >>> ClassAddress.parse("http://127.0.0.1:8765")
    Traceback (most recent call last):
    kueuelab.errors.InputError: ...
    """

    url: str
    token: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the address that a learner was given.

        Raises
        ------
        InputError
            If it is no such address.
        """
        try:
            parts = urlsplit(text.strip())
            known = parts.scheme in ("http", "https") and parts.hostname and parts.port != 0
        except ValueError:
            known = False
        above, _, token = parts.path.rstrip("/").rpartition("/") if known else ("", "", "")
        if not known or not _TOKEN.fullmatch(token) or parts.username is not None:
            hint = Message("workshop.class.address.hint")
            raise InputError(Problem(Message("workshop.class.address"), hint=hint))
        return cls(f"{parts.scheme}://{parts.netloc}{above}", token)


@dataclass(frozen=True, slots=True)
class Sent:
    """What came of sending.

    Attributes
    ----------
    stored
        How many attempts the server has stored now.
    kept
        How many are still in the learner's folder.
    refused
        Why the server does not want some; they are kept in another folder.
    problem
        Why the others were not sent; empty if all were.
    """

    stored: int = 0
    kept: int = 0
    refused: tuple[str, ...] = ()
    problem: str = ""


class Membership:
    """What a learner's folder knows of one class, and what it has not sent yet.

    Parameters
    ----------
    base
        The folder beside the learner's progress.
    address
        The address of the class. Its token names it: a server that moves is the same class.
    """

    def __init__(self, base: Path, address: ClassAddress) -> None:
        self.address = address
        digest = hashlib.sha256(address.token.encode()).hexdigest()[:16]
        self.folder = base / "class" / digest

    def __repr__(self) -> str:
        return f"<Membership of {self.address.url}: {len(self.kept)} kept>"

    @classmethod
    def all_in(cls, base: Path) -> Iterator[Self]:
        """Yield the memberships of a folder that have something to send."""
        for file in sorted(base.glob("class/*/member.json")):
            found = read_json(file, CLASS_FORMAT)
            membership = cls(base, ClassAddress(str(found["url"]), str(found["token"])))
            if membership.kept:
                yield membership

    @classmethod
    def last_in(cls, base: Path) -> Self | None:
        """Return the membership that was used last, ``None`` if none was in the last day."""
        last = base / "class" / "last"
        if not last.is_file() or time.time() - last.stat().st_mtime > _SECONDS_REMEMBERED:
            return None
        file = base / "class" / Path(last.read_text("utf-8").strip()).name / "member.json"
        if not file.is_file():
            return None
        found = read_json(file, CLASS_FORMAT)
        return cls(base, ClassAddress(str(found["url"]), str(found["token"])))

    @property
    def _last(self) -> Path:
        return self.folder.parent / "last"

    # --- the name --------------------------------------------------------------------------

    @property
    def others(self) -> tuple[str, ...]:
        """The other names that were used in this class from this account."""
        return tuple(name for name in self._member.get("learners", {}) if name != self.name)

    @property
    def name(self) -> str:
        """The name that the learner chose; empty as long as nothing was sent."""
        return str(self._member.get("name", ""))

    @property
    def _file(self) -> Path:
        return self.folder / "member.json"

    @property
    def _member(self) -> dict[str, Any]:
        return read_json(self._file, CLASS_FORMAT) if self._file.exists() else {}

    def join(self, name: str) -> None:
        """Choose a name, or another one; remember where the server is now.

        Raises
        ------
        InputError
            If it cannot be shown.
        """
        known, name = self._member, checked_name(name)
        # Each name is a learner of its own: several may use one account.
        learners = {known["name"]: known["learner"]} if known else {}
        learners |= known.get("learners", {})
        learners.setdefault(name, new_id())
        member = {
            "url": self.address.url,
            "token": self.address.token,
            "name": name,
            "learner": learners[name],
            "learners": learners,
        }
        if any(known.get(key) != value for key, value in member.items()):
            self.folder.mkdir(parents=True, exist_ok=True)
            write_json(self._file, member, CLASS_FORMAT)
            self._file.chmod(0o600)  # it has the token
        self._last.write_text(self.folder.name + "\n", "utf-8")

    # --- what is sent ----------------------------------------------------------------------

    def keep(self, exercise: str, passed: int, of: int, answer: str) -> Attempt:
        """Keep an attempt until it is sent.

        Raises
        ------
        InputError
            If the answer is too long to be sent.
        """
        member = self._member
        attempt = Attempt.from_data(
            {
                "id": new_id(),
                "learner": member["learner"],
                "name": member["name"],
                "exercise": exercise,
                "passed": passed,
                "of": of,
                "answer": answer,
            }
        )
        (self.folder / "kept").mkdir(parents=True, exist_ok=True)
        # The names sort in the order in which the attempts were made.
        file = self.folder / "kept" / f"{time.time_ns():020}-{attempt.id}.json"
        write_json(file, {"attempt": attempt.as_data()}, CLASS_FORMAT)
        return attempt

    @property
    def kept(self) -> tuple[Path, ...]:
        """The files of the attempts that the server has not stored yet, oldest first."""
        return tuple(sorted((self.folder / "kept").glob("*.json")))

    def send(self, transport: httpx.BaseTransport | None = None) -> Sent:
        """Send what is kept, oldest first; what the server has stored is kept no longer.

        Parameters
        ----------
        transport
            What carries requests; by default the network.

        Raises
        ------
        KueueLabError
            If httpx is not installed.
        """
        client = _client(transport)
        stored = 0
        refused: list[str] = []
        problem = ""
        with client:
            while not problem and (files := self.kept[:AT_ONCE]):
                attempts = {file: Attempt.from_data(_read(file)) for file in files}
                answer, problem = self._post(client, list(attempts.values()))
                known = 0
                for file, attempt in attempts.items():
                    if attempt.id in answer.get("stored", ()):
                        file.unlink(missing_ok=True)
                        stored += 1
                        known += 1
                    elif attempt.id in answer.get("refused", {}):
                        aside = self.folder / "refused"
                        aside.mkdir(exist_ok=True)
                        file.replace(aside / file.name)
                        refused.append(str(answer["refused"][attempt.id])[:500])
                        known += 1
                if not known and not problem:
                    problem = Message("workshop.class.no-server", url=self.address.url)
        return Sent(stored, len(self.kept), tuple(dict.fromkeys(refused)), problem)

    def _post(self, client: httpx.Client, attempts: list[Attempt]) -> tuple[dict[str, Any], str]:
        """Return what the server says, and why it does not store anything."""
        import httpx

        body = {
            "format": CLASS_FORMAT.name,
            "version": CLASS_FORMAT.version,
            "attempts": [each.as_data() for each in attempts],
        }
        url = self.address.url
        try:
            response = client.post(
                f"{url}/attempts",
                content=json.dumps(body, ensure_ascii=False).encode(),
                headers={
                    "Authorization": f"Bearer {self.address.token}",
                    "Content-Type": "application/json",
                },
            )
            answer: Any = response.json() if "json" in response.headers.get(_TYPE, "") else {}
        except (httpx.HTTPError, httpx.InvalidURL, OSError, ValueError) as error:
            why = f"{type(error).__name__}: {error}"
            return {}, Message("workshop.class.unreached", url=url, error=why)
        if not isinstance(answer, dict):
            answer = {}
        if response.status_code == 200:
            return answer, ""
        if response.status_code == 401:
            return {}, Message("workshop.class.token", url=url)
        said = str(answer.get("error", ""))[:500] or str(response.status_code)
        return {}, Message("workshop.class.not-stored", url=url, error=said)


_TYPE: Final = "content-type"


def _read(file: Path) -> Any:
    return read_json(file, CLASS_FORMAT).get("attempt")


def _client(transport: httpx.BaseTransport | None) -> httpx.Client:
    try:
        import httpx
    except ModuleNotFoundError as error:
        raise KueueLabError(
            Message("workshop.class.needs", package="httpx"),
            hint=Message("workshop.kernel.not-installed.hint"),
        ) from error
    # The class is in the same room: no proxy is asked, and none reads the answers.
    return httpx.Client(timeout=_SECONDS, trust_env=False, transport=transport)
