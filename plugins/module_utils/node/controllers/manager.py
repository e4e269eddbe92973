# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The command ``controllers``: on every control plane of a cloud, of which one leads and runs the controllers.

What kops' programs kops-controller, dns-controller and kops-channels do for a cluster without a controller.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from ...base.errors import KopsError
from ...exchange.settings import ControllersSettings as Settings
from ...kubernetes.client import KubernetesClient
from ...kubernetes.connection import RetryPolicy
from .. import boot_file
from ..cloud.instance import Instance
from ..clouds import this_instance
from ..stores.by_scheme import StoreByScheme
from ..system import lock
from ..system.json_files import load
from ..system.waiting import say
from .controller import Controller, Work, run
from .lease import Election, Term, Times, boot_clock
from .table import CONTROLLERS

_MACHINE_ID = "/etc/machine-id"
# The API server is next door: where it does not answer at once, another attempt is better than waiting.
_PATIENCE = RetryPolicy(deadline=1.5, timeout=3)
_SOON, _LATER = 0.3, 1.0


@dataclass
class Manager:
    """A control plane's part. abandon: ends the process at once, as work that cannot be interrupted is under way."""

    settings: Settings
    identity: str
    instance: Instance
    controllers: Sequence[Controller] = CONTROLLERS
    times: Times = field(default_factory=Times)
    abandon: Callable[[], None] = lambda: os._exit(1)

    def __post_init__(self) -> None:
        self._stop = threading.Event()
        self._told = ""

    def stop(self) -> None:
        """End run(), from another thread or a signal's handler."""
        self._stop.set()

    def run(self) -> None:
        """Be a candidate, and lead when it is one's turn, until stop() is called."""
        pause, told = _SOON, self.identity
        election: Election | None = None
        while not self._stop.is_set():
            try:
                election = election or Election(self._client(), self.identity, self.times)
                until = election.attempt()
                self._say_once("")
                if until:
                    self._lead(election, until)
                elif election.leader not in ("", told):
                    say(f"{election.leader} leads")
                told, pause = election.leader or told, _SOON
                self._stop.wait(self.times.renewed if election.leader else _SOON)
            except KopsError as error:
                self._say_once(f"waiting for the API server: {error}")
                self._stop.wait(pause)
                pause = min(1.5 * pause, _LATER)
                self._renew_client(election)

    def _client(self) -> KubernetesClient:
        return KubernetesClient.from_kubeconfig(self.settings.kubeconfig, retry=_PATIENCE)

    def _renew_client(self, election: Election | None) -> None:
        """With the credentials that there are now: certificates are renewed."""
        if election is not None:
            with contextlib.suppress(KopsError):
                election.client.close()
                election.client = self._client()

    def _lead(self, election: Election, until: float) -> None:
        """Run the controllers, and renew the Lease, until that fails or the process is to end. Raises KopsError."""
        say(f"this control plane leads ({self.identity})")
        term = Term(until)
        # Before any of them runs: a controller without a client would be missing for the whole term.
        clients = [
            KubernetesClient.from_kubeconfig(self.settings.kubeconfig, admit=term.check) for _each in self.controllers
        ]
        threads = [
            threading.Thread(target=self._run, args=(each, client, term), name=each.name, daemon=True)
            for each, client in zip(self.controllers, clients)
        ]
        for thread in threads:
            thread.start()
        reason = self._renew(election, term)
        term.end()
        end = boot_clock() + self.times.duration - self.times.deadline
        for thread in threads:
            thread.join(max(0.0, end - boot_clock()))
        busy = [thread.name for thread in threads if thread.is_alive()]
        if busy and not self._stop.is_set():
            say(f"this control plane does not lead any more ({reason}), and ends what {', '.join(busy)} does")
            self.abandon()
        say(f"this control plane does not lead any more ({reason})")
        if not busy and self._stop.is_set():
            election.release()

    def _run(self, controller: Controller, client: KubernetesClient, term: Term) -> None:
        try:
            run(controller, Work(self.settings, client, self.instance, StoreByScheme(self.instance), term))
        finally:
            client.close()

    def _renew(self, election: Election, term: Term) -> str:
        """Renew the Lease as long as possible. Returns why it ended."""
        reason = ""
        while not self._stop.wait(_SOON if reason else self.times.renewed):
            try:
                until = election.attempt()
            except KopsError as error:
                reason = str(error)
            else:
                if not until:
                    return f"{election.leader or 'another one'} leads"
                term.extend(until)
                reason = ""
            if term.ended:
                return reason or "the machine stood still"
        return "it stops"

    def _say_once(self, text: str) -> None:
        if text and text != self._told:
            say(text)
        self._told = text


def identity_of(node: str) -> str:
    """The node, and its machine: names of nodes may be used again."""
    try:
        with open(_MACHINE_ID, encoding="ascii") as stream:
            machine = stream.read().strip()[:8]
    except OSError:
        machine = ""
    return f"{node}_{machine}" if machine else node


def run_controllers(path: str = Settings.FILE) -> None:
    """Run until the process is told to end. Raises ConfigError, KopsError."""
    settings = load(Settings, path)
    os.environ.update(boot_file.read(settings.boot).environment)
    manager = Manager(settings, identity_of(settings.node), this_instance(settings.cloud))
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda _number, _frame: manager.stop())
    # With it, a process knows that an earlier one with its identity is dead, and goes on with its Lease at once.
    with lock.held(settings.lock, wait=60, what="running the controllers of this node"):
        manager.run()
