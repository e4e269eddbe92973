# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which server a request comes from: it comes from the address of its port, and is answered for there.

What a caller says of itself only tells for which server OpenStack is asked. Neutron lets a port send by its own
addresses only; pods of a server may have its address outwards, but cannot answer on a port of their host.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any

from ...base.errors import KopsError
from ..cloud.identity import Admission, Evidence, Identity, Refused, Unavailable
from . import challenge
from .api import NEUTRON, NOVA, OpenStack
from .marks import CLUSTER, CLUSTER_TAG, GROUP, ROLE, WORKER, metadata_of

_UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")
_RUNNING = ("ACTIVE", "BUILD")
_V4_IN_V6 = "::ffff:"

IsAnswered = Callable[[str, bytes, bytes, float], bool]


class ServerVerifier:
    """Tells servers of one cluster. is_answered: as challenge.is_answered, for tests."""

    def __init__(self, openstack: OpenStack, cluster: str, is_answered: IsAnswered = challenge.is_answered) -> None:
        self.openstack, self.cluster, self._is_answered = openstack, cluster, is_answered

    def identify(self, evidence: Evidence, admission: Admission) -> Identity:
        """See Verifier. What costs nothing is looked at first."""
        said = challenge.read_header(evidence.proof)
        if said is None or not _UUID.fullmatch(said[0]):
            raise Refused("the request carries no proof of identity")
        server, key = said
        admission.ask_cloud()
        try:
            described, addresses = self._known(server)
        except (OSError, KopsError, ValueError) as error:
            if isinstance(error, (Refused, Unavailable)):
                raise
            raise Unavailable(f"OpenStack: {error}") from error
        caller = evidence.caller[len(_V4_IN_V6) :] if evidence.caller.startswith(_V4_IN_V6) else evidence.caller
        if caller not in addresses:
            raise Refused(
                f"server {server} is at {', '.join(addresses) or 'no address'}, and the request from {caller}"
            )
        with admission.ask_caller() as seconds:
            try:
                is_answered = self._is_answered(caller, key, evidence.body, seconds)
            except OSError as error:
                raise Refused(f"server {server} does not answer for the request at {caller}: {error}") from error
        if not is_answered:
            raise Refused(f"server {server} at {caller} says that the request is not its own")
        return Identity(metadata_of(described)[GROUP], {"NODE_NAME": described["name"], "INTERNAL_IP": addresses[0]})

    def _known(self, server: str) -> tuple[Mapping[str, Any], list[str]]:
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
        return described, [str(each["ip_address"]) for port in own for each in port.get("fixed_ips") or ()]
