# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which server of OpenStack a request comes from: Nova and Neutron know it, and it is asked back.

Neutron lets a port send by its own addresses only.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ..cloud import challenge
from ..cloud.asked_back import AskedBack, IsAnswered, Known
from ..cloud.identity import Refused
from .api import NEUTRON, NOVA, OpenStack
from .marks import CLUSTER, CLUSTER_TAG, GROUP, ROLE, WORKER, metadata_of

SCHEME = "x-kubeops-openstack"
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_RUNNING = ("ACTIVE", "BUILD")


class ServerVerifier(AskedBack):
    """Tells servers of one cluster, by their uuid."""

    cloud: ClassVar[str] = "OpenStack"
    scheme: ClassVar[str] = SCHEME
    form: ClassVar[re.Pattern[str]] = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

    def __init__(self, openstack: OpenStack, cluster: str, is_answered: IsAnswered = challenge.is_answered) -> None:
        super().__init__(is_answered)
        self.openstack, self.cluster = openstack, cluster

    def known(self, server: str) -> Known:
        """A worker of the cluster as Nova knows it, and the addresses of its port as Neutron knows them."""
        answer = self.openstack.find(NOVA, f"/servers/{server}")
        described = (answer or {}).get("server") or {}
        metadata = metadata_of(described)
        if metadata.get(CLUSTER) != self.cluster:
            raise Refused(f"Nova knows no server {server} of the cluster")
        if metadata.get(ROLE) != WORKER or not _GROUP.fullmatch(metadata.get(GROUP, "")):
            raise Refused(f"server {server} is no worker")
        if described.get("status") not in _RUNNING:
            raise Refused(f"server {server} is {described.get('status')}")
        ports = self.openstack.get(NEUTRON, f"/ports?device_id={server}").get("ports") or ()
        tag = f"{CLUSTER_TAG}={self.cluster}"[:60]
        own = [each for each in ports if each.get("device_id") == server and tag in (each.get("tags") or ())]
        addresses = [str(each["ip_address"]) for port in own for each in port.get("fixed_ips") or ()]
        return Known(metadata[GROUP], str(described["name"]), addresses)
