# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""One leader among the control planes: a Lease, as client-go's leaderelection has it.

The leader renews the Lease. Whoever else sees it unchanged for longer than its duration takes it. No clock is compared
with that of another machine: each one measures how long it has seen no change. A leader that cannot renew stops before
the others may begin.
"""

from __future__ import annotations

import datetime
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ...kubernetes.client import KubernetesClient, KubernetesError
from ...kubernetes.controllers import LEASES, NAME, NAMESPACE

_API = "coordination.k8s.io/v1"
_NOT_FOUND, _CONFLICT = 404, 409


@dataclass(frozen=True)
class Times:
    """Times in seconds.

    duration: how long others see the Lease unchanged before they take it. deadline: how long a leader leads after its
    last renewal; the rest of the duration is for ending what it does. renewed: how often it renews, and others look.
    """

    duration: float = 15
    deadline: float = 10
    renewed: float = 4


class LostLease(Exception):
    """Another control plane may lead by now. No KopsError: nothing that handles errors of requests goes on after it."""


def boot_clock() -> float:
    """Seconds that also pass while the machine is suspended."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)


class Term:
    """The time for which a leader leads; its threads share it. It ends by end(), or if it is not extended."""

    def __init__(self, until: float, clock: Callable[[], float] = boot_clock) -> None:
        self._until, self._clock = until, clock
        self._ended = threading.Event()

    def extend(self, until: float) -> None:
        """The Lease was renewed."""
        self._until = until

    def end(self) -> None:
        """For good."""
        self._ended.set()

    @property
    def ended(self) -> bool:
        """Whether another one may lead."""
        return self._ended.is_set() or self._clock() >= self._until

    def check(self) -> None:
        """Raise LostLease if it has ended. The leader's clients call it before each request."""
        if self.ended:
            raise LostLease("this control plane does not lead any more")

    def wait(self, seconds: float) -> None:
        """Wait, but not longer than the term."""
        self._ended.wait(seconds)


class Election:
    """The Lease, as one candidate sees it.

    identity: of the candidate; at most one process at a time may have it. client: may be replaced by a newer one.
    leader: who leads, as far as it is known. name: of the Lease.
    """

    def __init__(
        self,
        client: KubernetesClient,
        identity: str,
        times: Times | None = None,
        clock: Callable[[], float] = boot_clock,
        name: str = NAME,
    ) -> None:
        self.client, self.identity, self.times, self._clock = client, identity, times or Times(), clock
        self._name = name
        # The Lease as it was last seen, and since when it has been so.
        self._seen: tuple[str, float] = ("", 0.0)
        self._version, self._duration = "", self.times.duration
        self.leader = ""

    def attempt(self) -> float:
        """Take the Lease, or renew it. Returns until when this candidate leads by the clock, 0 if it does not.

        Raises KopsError if that is not known.
        """
        if self.leader == self.identity and self._version:
            moment = self._clock()
            if self._write({"renewTime": _now()}, self._version):
                return moment + self.times.deadline
        found = self.client.find(f"{LEASES}/{self._name}")
        spec = (found or {}).get("spec") or {}
        version = str(found["metadata"]["resourceVersion"]) if found else ""
        if version != self._seen[0]:
            self._seen = (version, self._clock())
        self._version = version
        if found is not None:
            self.leader = str(spec.get("holderIdentity") or "")
            self._duration = float(spec.get("leaseDurationSeconds") or self.times.duration)
        # Whoever was seen to lead may do so for a while, even if somebody has deleted the Lease.
        if self.leader in ("", self.identity) or self._clock() - self._seen[1] > self._duration:
            return self._take(found)
        return 0

    def release(self) -> None:
        """Let another one lead at once. Raises KopsError."""
        if self.leader == self.identity and self._version:
            self._write({"holderIdentity": "", "renewTime": _now()}, self._version)

    def _take(self, found: dict[str, Any] | None) -> float:
        moment, spec = self._clock(), (found or {}).get("spec") or {}
        continued = spec.get("holderIdentity") == self.identity
        now = _now()
        taken: dict[str, Any] = {
            "holderIdentity": self.identity,
            "leaseDurationSeconds": max(1, round(self.times.duration)),
            "renewTime": now,
        }
        if not continued:
            transitions = int(spec.get("leaseTransitions") or 0) + (1 if found else 0)
            taken.update(acquireTime=now, leaseTransitions=transitions)
        if self._write(taken, self._version) if found else self._create(taken):
            self.leader = self.identity
            return moment + self.times.deadline
        self.leader = ""
        return 0

    def _create(self, spec: dict[str, Any]) -> bool:
        metadata = {"name": self._name, "namespace": NAMESPACE}
        body = {"apiVersion": _API, "kind": "Lease", "metadata": metadata, "spec": spec}
        return self._stored(lambda: self.client.post(LEASES, body))

    def _write(self, spec: dict[str, Any], version: str) -> bool:
        """Whether it was still the version that is known."""
        body = {"metadata": {"resourceVersion": version}, "spec": spec}
        return self._stored(lambda: self.client.patch(f"{LEASES}/{self._name}", body))

    def _stored(self, send: Callable[[], dict[str, Any]]) -> bool:
        self._version = ""
        try:
            self._version = str(send()["metadata"]["resourceVersion"])
        except KubernetesError as error:
            if error.status != _CONFLICT and not (error.status == _NOT_FOUND and self.leader == self.identity):
                raise
            return False
        return True


def _now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
