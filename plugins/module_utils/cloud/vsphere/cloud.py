# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One vCenter: what is read of it once and in bulk, and writes that are sent once."""

from __future__ import annotations

import atexit
import contextlib
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...base.errors import KopsError
from ...engine.task import AnswerLost
from ..errors import Missing
from ..pools.latest import Latest
from ..reads import StoredReads
from . import collecting
from .collecting import Described
from .errors import EXPIRED, explain, is_a, is_unknown, refused
from .login import Login, login, tls_context
from .tagging import Tagging
from .waiting import PATIENCE, PROPERTIES, Waiting

# So often a read is made that breaks off.
_READS = 4
_PAUSE = 0.5
SECONDS = 60


class VSphereCloud(StoredReads):
    """A client. Nothing is asked before it is used.

    server: a vCenter, by name or URL; "" is that of the login. datacenter: its name, or its path; "" is the only one.
    store: URL of the cluster's directory in the state store, if it is known.
    """

    def __init__(self, server: str, datacenter: str, cluster_name: str, store: str = "") -> None:
        super().__init__()
        self.server, self.datacenter = server, datacenter
        self.cluster_name, self.store = cluster_name, store.rstrip("/")
        self.tagging = Tagging(self.login)
        self.waiting = Waiting(self._read_tasks)
        # Whoever waits for objects shares readings.
        self.latest = Latest()
        self._instance: Any = None
        self._lock_of_connection = threading.Lock()

    @property
    def region(self) -> str:
        """Where the cluster is, as results name it."""
        return self.datacenter

    def login(self) -> Login:
        """Of the environment. Raises NoLogin."""
        return login(self.server)

    @property
    def instance(self) -> Any:
        """The library's ServiceInstance, opened on first use. Raises NoLogin."""
        with self._lock_of_connection:
            if self._instance is None:
                self._instance = _connected(self.login())
                atexit.register(self._leave)
            return self._instance

    @property
    def content(self) -> Any:
        """What vCenter has, as the library describes it."""
        return self.once(_content)

    def _leave(self) -> None:
        """End the sessions, of which vCenter takes a limited number."""
        with contextlib.suppress(Exception):
            self.tagging.leave()
        with contextlib.suppress(Exception):
            self._instance.content.sessionManager.Logout()

    def object(self, kind: str, identifier: str) -> Any:
        """An object of the library, whose methods can be called."""
        return collecting.managed(kind)(identifier, self.instance._stub)

    # -- reads --------------------------------------------------------------------------------------------------

    def below(
        self, kind: str, identifier: str, wanted: Mapping[str, Sequence[str]], doing: str
    ) -> list[dict[str, Any]]:
        """Objects below one of them, by one call. wanted: as of collecting.below(). Raises KopsError."""
        return self.question(doing, lambda: collecting.below(self.content, self.object(kind, identifier), wanted))

    def read(
        self, kind: str, identifiers: Sequence[str], properties: Sequence[str], doing: str
    ) -> list[dict[str, Any]]:
        """Objects of a kind, by one call. Those that are gone are left out. Raises KopsError."""

        def ask(asked: Sequence[str]) -> list[dict[str, Any]]:
            objects = [self.object(kind, each) for each in asked]
            return self.question(doing, lambda: collecting.these(self.content, objects, {kind: properties}))

        try:
            return ask(identifiers)
        except Missing:
            found = []
            for each in identifiers:
                with contextlib.suppress(Missing):
                    found += ask([each])
            return found

    def _read_tasks(self, identifiers: Sequence[str]) -> dict[str, Described]:
        found = self.read("Task", identifiers, PROPERTIES, "ask how tasks are getting on")
        return {str(each["id"]): each for each in found}

    def question(self, doing: str, ask: Callable[[], Any]) -> Any:
        """The answer to what only reads, and may be asked again. Raises KopsError."""
        for attempt in range(_READS):
            try:
                return self._asked(ask)
            except Exception as error:
                if not is_unknown(error) or attempt + 1 == _READS:
                    raise explain(error, doing) from error
            time.sleep(_PAUSE * attempt)
        raise KopsError(f"cannot {doing}")

    # -- writes -------------------------------------------------------------------------------------------------

    def _log_in_first(self) -> Any:
        """What fails here was not sent."""
        return self.instance

    def call(self, doing: str, act: Callable[[], Any]) -> Any:
        """What a method returns that writes. It is called once, but for a session that has ended.

        Raises AnswerLost if nobody knows whether it was carried out, TryAgainLater for what passes, else KopsError.
        """
        self._log_in_first()
        try:
            return self._asked(act)
        except KopsError:
            raise
        except Exception as error:
            if is_unknown(error):
                raise AnswerLost(f"{doing}: the answer is lost ({type(error).__name__})") from error
            raise explain(error, doing) from error

    def run(self, doing: str, start: Callable[[], Any], patience: float = PATIENCE) -> Any:
        """The result of a task that vCenter is asked to begin, once it is over; of an object, its id.

        Raises as call() does.
        """
        identifier = self.call(doing, start)._moId
        try:
            ended = self.waiting.finish(identifier, doing, patience)
        except AnswerLost:
            raise
        except KopsError as error:
            raise AnswerLost(f"{doing}: {error}") from error
        if isinstance(ended.error, KopsError):
            raise ended.error
        if ended.error is not None:
            raise refused(ended.error, doing)
        return ended.result

    def _asked(self, ask: Callable[[], Any]) -> Any:
        """Ask; and once more if the session has ended, since then nothing was done."""
        try:
            return ask()
        except Exception as error:
            if not is_a(error, EXPIRED):
                raise
        given = self.login()
        self.instance.content.sessionManager.Login(given.user, given.password, None)
        return ask()


def _content(cloud: VSphereCloud) -> Any:
    def ask() -> Any:
        return cloud.instance.RetrieveContent()

    return cloud.question("ask vCenter what it has", ask)


def _connected(given: Login) -> Any:
    """The library's ServiceInstance, logged in. Raises KopsError."""
    try:
        from pyVim.connect import SmartConnect
    except ImportError as error:
        raise explain(error) from error
    try:
        instance = SmartConnect(
            host=given.host,
            port=given.port,
            user=given.user,
            pwd=given.password,
            sslContext=tls_context(given),
            httpConnectionTimeout=SECONDS,
        )
    except Exception as error:
        raise explain(error, f"log in to vCenter {given.host}") from error
    return instance
