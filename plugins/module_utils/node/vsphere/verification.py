# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which virtual machine a request comes from: vCenter says what it is, and it answers at its own address.

A load balancer before the API is the user's, and hides who asks; without one, control planes hold its address.

The machine's addresses are what VMware Tools say in the machine itself: whoever has root there may name another one,
but has to answer there. Which cluster and group it is of, guests cannot write.
"""

from __future__ import annotations

import re
from typing import ClassVar

from ..cloud import challenge
from ..cloud.asked_back import Anywhere, AskedBack, IsAnswered, Known
from ..cloud.identity import Refused
from .api import VCenter
from .cluster_instances import machines_of
from .marks import GROUP, ON, ROLE, WORKER

SCHEME = "x-kubeops-vsphere"
_GROUP = re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?")


class MachineVerifier(AskedBack):
    """Tells virtual machines of one cluster, by their uuid. behind_balancer: whether requests come through one."""

    cloud: ClassVar[str] = "vCenter"
    scheme: ClassVar[str] = SCHEME
    form: ClassVar[re.Pattern[str]] = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")

    def __init__(
        self,
        vcenter: VCenter,
        cluster: str,
        folder: str,
        *,
        behind_balancer: bool,
        is_answered: IsAnswered = challenge.is_answered,
    ) -> None:
        super().__init__(is_answered)
        self.vcenter, self.cluster, self.folder = vcenter, cluster, folder
        self.balancers = Anywhere() if behind_balancer else ()

    def known(self, server: str) -> Known:
        """As vCenter describes it."""
        machines = machines_of(self.vcenter, self.cluster, self.folder)
        found = [each for each in machines if each.uuid == server]
        if len(found) != 1:
            raise Refused(f"vCenter knows {len(found) or 'no'} virtual machines {server} of the cluster")
        machine = found[0]
        group = machine.marks.get(GROUP, "")
        if machine.marks.get(ROLE) != WORKER or not _GROUP.fullmatch(group):
            raise Refused(f"virtual machine {machine.name} is no worker")
        if machine.power != ON:
            raise Refused(f"virtual machine {machine.name} is {machine.power}")
        return Known(group, machine.name, machine.addresses, self.balancers)
