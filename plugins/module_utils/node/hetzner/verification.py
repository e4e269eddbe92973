# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which server of Hetzner Cloud a request comes from: the API knows it, and it is asked back.

Requests may come through the load balancer of the API, which has an address of its own in the cluster's network.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ..cloud import challenge
from ..cloud.asked_back import AskedBack, IsAnswered, Known
from ..cloud.identity import Refused
from .api import Hetzner
from .marks import CLUSTER, GROUP, ROLE, RUNNING, WORKER, labels_of, private_addresses

SCHEME = "x-kubeops-hetzner"
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


class ServerVerifier(AskedBack):
    """Tells servers of one cluster, by their number."""

    cloud: ClassVar[str] = "Hetzner"
    scheme: ClassVar[str] = SCHEME
    form: ClassVar[re.Pattern[str]] = re.compile(r"[1-9][0-9]{0,18}")

    def __init__(self, hetzner: Hetzner, cluster: str, is_answered: IsAnswered = challenge.is_answered) -> None:
        super().__init__(is_answered)
        self.hetzner, self.cluster = hetzner, cluster

    def known(self, server: str) -> Known:
        """As the API describes it."""
        found = (self.hetzner.find(f"/servers/{server}") or {}).get("server") or {}
        labels = labels_of(found)
        if labels.get(CLUSTER) != self.cluster:
            raise Refused(f"Hetzner knows no server {server} of the cluster")
        if labels.get(ROLE) != WORKER or not _GROUP.fullmatch(labels.get(GROUP, "")):
            raise Refused(f"server {server} is no worker")
        if found.get("status") not in RUNNING:
            raise Refused(f"server {server} is {found.get('status')}")
        return Known(labels[GROUP], str(found["name"]), private_addresses(found), self._balancers())

    def _balancers(self) -> list[str]:
        """The addresses of the cluster's load balancers in its network."""
        found = self.hetzner.listed("load_balancers", {CLUSTER: self.cluster})
        return [address for each in found for address in private_addresses(each)]
