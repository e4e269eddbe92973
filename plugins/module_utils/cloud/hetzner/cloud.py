# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One project of Hetzner Cloud: reads that are made once, and writes that are sent once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Mapping, Sequence
from typing import Any

from ...base.errors import KopsError
from ...engine.task import AnswerLost, TryAgainLater
from ..errors import NoLogin
from ..reads import StoredReads
from . import names
from .actions import Actions, running_in
from .errors import NOT_FOUND, TOKEN, TOO_MANY, code_of, explain, is_unknown, refused
from .kinds import ACTION, Kind
from .sending import Answer, NotTheAPI, SentBefore, send

Described = Mapping[str, Any]
ENDPOINT = "HCLOUD_ENDPOINT"
_PAGE = 50
# Seconds for which what was read of objects that are being made is good enough.
_MOMENT = 0.8
# So often a read is made that breaks off; and so long it waits while the token has no requests left.
_READS, _PATIENCE = 5, 900.0
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
LIMITED = "the token has no requests left, of which Hetzner Cloud allows 3600 an hour"


class HetznerCloud(StoredReads):
    """A client. region: a network zone, such as eu-central. store: URL of the cluster's directory, if it is known.

    A read waits while the token has no requests left, and tells it; a write raises TryAgainLater with the same words.
    """

    def __init__(self, region: str, cluster_name: str, store: str = "") -> None:
        super().__init__()
        self.region, self.cluster_name, self.store = region, cluster_name, store.rstrip("/")
        self.actions = Actions(self._read_actions)
        self._connection: Any = None
        self._lock_of_connection, self._lock_of_latest = threading.Lock(), threading.Lock()
        self._latest: dict[Kind, tuple[float, dict[int, Described]]] = {}
        # Of objects that this run has made: the actions that are not over.
        self._settling: dict[tuple[Kind, int], list[int]] = {}
        # When the token has requests again, by the monotonic clock.
        self._open_at = 0.0

    @property
    def own(self) -> str:
        """The label selector for what is the cluster's."""
        return names.selector(names.of_cluster(self.cluster_name))

    @property
    def connection(self) -> Any:
        """The client of the official library, opened on first use. Raises NoLogin."""
        with self._lock_of_connection:
            if self._connection is None:
                self._connection = _connected()
            return self._connection

    # -- reads --------------------------------------------------------------------------------------------------

    def read(self, kind: Kind, **query: Any) -> list[dict[str, Any]]:
        """All objects of a kind that a query leaves, as the API describes them. Raises KopsError."""
        doing, found = f"read each {kind.word}", list[dict[str, Any]]()
        page: int | None = 1
        while page is not None:
            options = {**query, "page": page, "per_page": _PAGE}
            try:
                answer = self._asked(kind.collection, doing, options)
            except Answer as answered:
                raise refused(answered.status, answered.body, doing) from answered
            if kind.listed not in answer:
                raise explain(NotTheAPI(kind.collection), doing)
            found += answer[kind.listed]
            page = ((answer.get("meta") or {}).get("pagination") or {}).get("next_page")
        return found

    def get(self, kind: Kind, identifier: int) -> dict[str, Any] | None:
        """An object as it is now; None if it is not there. Raises KopsError."""
        try:
            answer = self._asked(f"{kind.collection}/{identifier}", f"look for {kind.word} {identifier}", {})
        except Answer:
            return None
        return dict(answer[kind.key])

    def latest(self, kind: Kind, identifier: int) -> Described | None:
        """An object of the cluster as it was a moment ago; None if it was not there. Whoever waits shares a reading."""
        with self._lock_of_latest:
            read_at, found = self._latest.get(kind, (-_MOMENT, {}))
            # What is not in it may have been made since.
            if identifier not in found or time.monotonic() - read_at > _MOMENT:
                read = self.read(kind, label_selector=self.own)
                read_at, found = time.monotonic(), {int(each["id"]): each for each in read}
                self._latest[kind] = read_at, found
        return found.get(identifier)

    def _read_actions(self, identifiers: Sequence[int]) -> list[dict[str, Any]]:
        return self.read(ACTION, id=list(identifiers))

    def _asked(self, path: str, doing: str, query: Mapping[str, Any]) -> dict[str, Any]:
        """The answer to a request that only reads. Raises Answer for what is not there, else KopsError."""
        client = self.connection
        from requests import RequestException

        tries, pause, end = 0, _FIRST_PAUSE, time.monotonic() + _PATIENCE
        while True:
            try:
                return send(client, "GET", path, params=query)
            except Answer as answer:
                if answer.status == NOT_FOUND:
                    raise
                if answer.status == TOO_MANY and time.monotonic() < end:
                    pause = max(pause, answer.seconds_for_one())
                    self.tell(f"waiting: {LIMITED}: trying again in {pause:.0f} seconds")
                elif not is_unknown(answer.status, code_of(answer.body)) or tries >= _READS:
                    raise refused(answer.status, answer.body, doing) from answer
                else:
                    tries += 1
            except (RequestException, SentBefore) as error:
                if tries >= _READS:
                    raise explain(error, doing) from error
                tries += 1
            except KopsError:
                raise
            except Exception as error:
                raise explain(error, doing) from error
            time.sleep(pause)
            pause = min(pause * 2, _LONGEST_PAUSE)

    # -- writes -------------------------------------------------------------------------------------------------

    def make(self, kind: Kind, properties: Mapping[str, Any]) -> dict[str, Any]:
        """Make an object, and give what the API says of it: `settle` says when it is there."""
        doing = f"make {kind.word} {properties.get('name', '')}".strip()
        answer = self.ask("POST", kind.collection, properties, doing)
        made = dict(answer[kind.key])
        self._settling[kind, int(made["id"])] = running_in(answer)
        return made

    def settle(self, kind: Kind, identifier: int, name: str) -> None:
        """Raise TryAgainLater while an object that this run has made is not there; KopsError if it never will be."""
        if not self.actions.are_over(self._settling.get((kind, identifier), ()), f"make {kind.word} {name}"):
            raise TryAgainLater(f"{kind.word} {name} is being made")

    def change(self, kind: Kind, identifier: int, properties: Mapping[str, Any]) -> None:
        """Change properties of an object. Of labels, those that are not given are taken away."""
        self.ask("PUT", f"{kind.collection}/{identifier}", properties, f"change {kind.word} {identifier}")

    def act(self, kind: Kind, identifier: int, action: str, properties: Mapping[str, Any], doing: str) -> None:
        """Have something done with an object, and wait until it is. action: as the API calls it."""
        answer = self.ask("POST", f"{kind.collection}/{identifier}/actions/{action}", properties, doing)
        self.actions.finish(running_in(answer), doing)

    def delete(self, kind: Kind, identifier: int) -> None:
        """Delete an object, and wait until it is gone; one that is gone is deleted."""
        doing = f"delete {kind.word} {identifier}"
        self.actions.finish(running_in(self.ask("DELETE", f"{kind.collection}/{identifier}", None, doing)), doing)

    def ask(self, method: str, path: str, body: Any, doing: str) -> dict[str, Any]:
        """The answer to a request that writes. What is to be deleted and is not there has an empty one.

        Raises AnswerLost if nobody knows whether it was carried out, TryAgainLater for what passes, else KopsError.
        """
        client = self.connection
        from requests import RequestException

        if time.monotonic() < self._open_at:
            raise TryAgainLater(f"cannot {doing} yet: {LIMITED}")
        try:
            return send(client, method, path, **({} if body is None else {"json": dict(body)}))
        except Answer as answer:
            if method == "DELETE" and answer.status == NOT_FOUND:
                return {}
            if is_unknown(answer.status, code_of(answer.body)):
                raise AnswerLost(f"{doing}: HTTP {answer.status}") from answer
            if answer.status == TOO_MANY:
                self._open_at = time.monotonic() + answer.seconds_for_one()
                raise TryAgainLater(f"cannot {doing} yet: {LIMITED}") from answer
            raise refused(answer.status, answer.body, doing) from answer
        except (RequestException, SentBefore) as error:
            raise AnswerLost(f"{doing}: the answer is lost ({error})") from error
        except KopsError:
            raise
        except Exception as error:
            raise explain(error, doing) from error


def described(cloud: HetznerCloud, kind: Kind) -> list[dict[str, Any]]:
    """All objects of a kind that the project has."""
    return cloud.read(kind)


def own(cloud: HetznerCloud, kind: Kind) -> list[dict[str, Any]]:
    """The objects of a kind that have the label of the cluster."""
    return cloud.read(kind, label_selector=cloud.own)


def _connected() -> Any:
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise NoLogin(f"there is no token for Hetzner Cloud: set {TOKEN}")
    try:
        from hcloud import Client
    except ImportError as error:
        raise explain(error) from error
    endpoint = os.environ.get(ENDPOINT, "").rstrip("/")
    elsewhere: dict[str, Any] = {"api_endpoint": endpoint} if endpoint else {}
    return Client(token, application_name="kubeops.kops", **elsewhere)
