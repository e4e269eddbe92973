# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One account of DigitalOcean: requests, paging, reads that are made once, and writes that are sent once.

A thin client: the official library takes 0.7 seconds and 48 MB to import, for a handful of paths.
"""

from __future__ import annotations

import contextlib
import os
import re
import threading
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...base.errors import KopsError
from ...engine.task import AnswerLost
from ..errors import Exists, NoLogin
from ..pools.latest import Latest
from ..reads import StoredReads
from .errors import BUSY, NOT_FOUND, TOKEN_VARIABLE, UNKNOWN, explain, refused
from .kinds import ACTION, TAG, Kind
from .rate import RateLimit
from .states import COMPLETED, IN_PROGRESS

if TYPE_CHECKING:
    import requests

Described = Mapping[str, Any]
# The variable of doctl and of Terraform's provider that names another endpoint.
ENDPOINT_VARIABLE, _ENDPOINT = "DIGITALOCEAN_API_URL", "https://api.digitalocean.com"
_TOKEN = re.compile(r"[\x21-\x7e]+")
# The most that a page has.
_PAGE = 200
_CONNECT_SECONDS, _SECONDS = 10.0, 60.0
# Reads are tried again by the library, with growing pauses.
_ATTEMPTS, _BACKOFF_SECONDS, _CONNECTIONS = 5, 0.5, 32
# Refusals in a row for the rate, after each of which it was waited for as long as DigitalOcean says.
_REFUSALS = 100
# Seconds that an action may take, and the longest pause between two looks.
_DEADLINE, _LONGEST_PAUSE = 600.0, 5.0


class DigitalOceanCloud(StoredReads):
    """A client. region: slug. store: URL of the cluster's directory in the state store, if it is known."""

    def __init__(self, region: str, cluster_name: str, store: str = "") -> None:
        super().__init__()
        self.region, self.cluster_name, self.store = region, cluster_name, store.rstrip("/")
        self._rate = RateLimit(self._say)
        self._latest = Latest()
        self._session: requests.Session | None = None
        self._lock_of_session = threading.Lock()

    def _say(self, line: str) -> None:
        # Whoever listens comes later.
        self.tell(line)

    # -- reads ----------------------------------------------------------------------------------------------------

    def read(self, kind: Kind, **query: str) -> list[dict[str, Any]]:
        """All objects of a kind that a query leaves, over all pages. Raises KopsError."""
        found: list[dict[str, Any]] = []
        doing, page = f"read each {kind.word}", 1
        while True:
            answer = self._read(kind.path, doing, {**query, "per_page": str(_PAGE), "page": str(page)})
            if answer is None:
                return found
            more = answer.get(kind.many) or ()
            found += more
            if not more or not ((answer.get("links") or {}).get("pages") or {}).get("next"):
                return found
            page += 1

    def get(self, kind: Kind, identifier: str) -> dict[str, Any] | None:
        """An object as it is now; None if it is not there. Raises KopsError."""
        answer = self._read(f"{kind.path}/{identifier}", f"look for {kind.word} {identifier}", {})
        return None if answer is None else dict(answer[kind.one])

    def latest(self, kind: Kind, identifier: str, **query: str) -> Described | None:
        """An object as it was a moment ago; None if it was not there. Whoever waits shares the reading of a kind."""

        def read(kind: Kind) -> dict[str, Mapping[str, Any]]:
            return {str(each["id"]): each for each in self.read(kind, **query)}

        return self._latest.of(kind, identifier, read)

    # -- writes ---------------------------------------------------------------------------------------------------

    def make(self, kind: Kind, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Make an object, and give what DigitalOcean says of it."""
        doing = f"make {kind.word} {properties.get('name', '')}".strip()
        return dict(self.ask("POST", kind.path, properties, doing)[kind.one])

    def change(self, kind: Kind, identifier: str, properties: Mapping[str, Any], method: str = "PUT") -> None:
        """Change an object. method: PUT wants all of its properties, PATCH those that differ."""
        self.ask(method, f"{kind.path}/{identifier}", properties, f"change {kind.word} {identifier}")

    def delete(self, kind: Kind, identifier: str) -> None:
        """Delete an object; one that is gone is deleted."""
        self.ask("DELETE", f"{kind.path}/{identifier}", None, f"delete {kind.word} {identifier}")

    def act(self, kind: Kind, identifier: str, action: Mapping[str, Any]) -> None:
        """Let an object do something, and wait until it is done. action: its type, and what that needs."""
        doing = f"{action['type']} {kind.word} {identifier}"
        answer = self.ask("POST", f"{kind.path}/{identifier}/actions", action, doing)
        self.wait_for(answer[ACTION.one], doing)

    def wait_for(self, action: Mapping[str, Any], doing: str) -> None:
        """Wait until an action is done. Raises KopsError if it fails, or does not end."""
        end, pause = time.monotonic() + _DEADLINE, 0.2
        while action["status"] == IN_PROGRESS:
            if time.monotonic() > end:
                raise KopsError(f"cannot {doing}: action {action['id']} has not ended within {_DEADLINE:.0f} seconds")
            time.sleep(pause)
            pause = min(2 * pause, _LONGEST_PAUSE)
            action = self.get(ACTION, str(action["id"])) or action
        if action["status"] != COMPLETED:
            raise KopsError(f"cannot {doing}: DigitalOcean began it, and it failed (action {action['id']})")

    def tag(self, name: str, kind: Kind, identifiers: list[str]) -> None:
        """Give objects a tag, and leave those of others."""
        self.make_tag(name)
        self.ask("POST", f"{TAG.path}/{name}/resources", _resources(kind, identifiers), f"tag {kind.word} with {name}")

    def make_tag(self, name: str) -> None:
        """Make a tag that nothing has yet; one that is there stays."""
        with contextlib.suppress(Exists):
            self.ask("POST", TAG.path, {"name": name}, f"make tag {name}")

    def untag(self, name: str, kind: Kind, identifiers: list[str]) -> None:
        """Take a tag from objects; what has none stays so."""
        doing = f"take tag {name} from {kind.word}"
        self.ask("DELETE", f"{TAG.path}/{name}/resources", _resources(kind, identifiers), doing)

    def delete_tag(self, name: str) -> None:
        """Delete a tag, also from all that have it; one that is gone is deleted."""
        self.delete(TAG, name)

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None, doing: str) -> dict[str, Any]:
        """The answer to a request that writes; {} if it has none. Raises AnswerLost if nobody knows whether it was
        carried out, else KopsError.
        """
        import_requests()
        from requests import exceptions

        try:
            answer = self._send(method, path, {}, body)
        except KopsError:
            raise
        except (exceptions.ConnectTimeout, exceptions.ProxyError, exceptions.SSLError) as error:
            raise explain(error, doing) from error
        except (exceptions.ConnectionError, exceptions.Timeout, exceptions.ChunkedEncodingError) as error:
            raise AnswerLost(f"{doing}: the answer is lost ({type(error).__name__})") from error
        except exceptions.RequestException as error:
            raise explain(error, doing) from error
        if answer.status_code in UNKNOWN:
            raise AnswerLost(f"{doing}: HTTP {answer.status_code}")
        if method == "DELETE" and answer.status_code == NOT_FOUND:
            return {}
        return _content(answer, doing)

    # -- how ------------------------------------------------------------------------------------------------------

    def _read(self, path: str, doing: str, query: Mapping[str, str]) -> dict[str, Any] | None:
        import_requests()
        from requests import exceptions

        try:
            answer = self._send("GET", path, query, None)
        except exceptions.RequestException as error:
            raise explain(error, doing) from error
        return None if answer.status_code == NOT_FOUND else _content(answer, doing)

    def _send(
        self, method: str, path: str, query: Mapping[str, str], body: Mapping[str, Any] | None
    ) -> requests.Response:
        """What DigitalOcean says. What it refuses for the rate was not carried out, and is sent again."""
        session = self._opened()
        for _refusal in range(_REFUSALS):
            self._rate.wait()
            answer = session.request(
                method,
                endpoint() + path,
                params=query,
                json=body,
                timeout=(_CONNECT_SECONDS, _SECONDS),
                # The token is for this address.
                allow_redirects=False,
            )
            if answer.status_code != BUSY:
                break
            self._rate.exceeded(answer.headers)
        return answer

    def _opened(self) -> requests.Session:
        with self._lock_of_session:
            if self._session is None:
                self._session = _session()
            return self._session


def endpoint() -> str:
    """Where the API is."""
    return (os.environ.get(ENDPOINT_VARIABLE) or _ENDPOINT).rstrip("/")


def import_requests() -> Any:
    """The library. Raises NoLogin."""
    try:
        import requests
    except ImportError as error:
        text = f"the Python library {error.name} is missing: install it with 'pip install requests'"
        raise NoLogin(text) from error
    return requests


def _session() -> requests.Session:
    """A session whose requests carry the token. Raises NoLogin."""
    session: requests.Session = import_requests().Session()
    from requests.adapters import HTTPAdapter
    from urllib3.util.retry import Retry

    token = os.environ.get(TOKEN_VARIABLE, "").strip()
    if not token:
        raise NoLogin(f"there is no token for DigitalOcean: set {TOKEN_VARIABLE}")
    if not _TOKEN.fullmatch(token):
        # Libraries would say which header is wrong, with what is in it.
        raise NoLogin(f"what is in {TOKEN_VARIABLE} is no token: it has blanks, line ends or letters that none has")

    def authorize(request: requests.PreparedRequest) -> requests.PreparedRequest:
        request.headers["Authorization"] = f"Bearer {token}"
        return request

    # Not as a header of the session: a file .netrc would go before it.
    session.auth = authorize
    again = Retry(
        total=_ATTEMPTS,
        backoff_factor=_BACKOFF_SECONDS,
        status_forcelist=sorted(UNKNOWN),
        allowed_methods=frozenset({"GET"}),
        # What refuses a request for its rate is waited for by all threads together.
        respect_retry_after_header=False,
        raise_on_status=False,
    )
    for prefix in ("https://", "http://"):
        session.mount(prefix, HTTPAdapter(max_retries=again, pool_maxsize=_CONNECTIONS))
    return session


def _resources(kind: Kind, identifiers: list[str]) -> dict[str, Any]:
    return {"resources": [{"resource_id": each, "resource_type": kind.one} for each in identifiers]}


def _content(answer: requests.Response, doing: str) -> dict[str, Any]:
    """The answer as data. Raises KopsError for a refusal."""
    if answer.ok and answer.status_code < 300:
        try:
            return dict(answer.json()) if answer.content else {}
        except ValueError as error:
            raise KopsError(f"cannot {doing}: the answer is not DigitalOcean's; check DIGITALOCEAN_API_URL") from error
    raise refused(answer.status_code, answer.text, doing)
