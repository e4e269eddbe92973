# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How droplets of DigitalOcean, and their Nodes, are named.

A file of its own, because each node program contains the names of its own cloud, and no others.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from .instance_ids import InstanceIds


@dataclass(frozen=True)
class DropletNames(InstanceIds):
    """An id of a droplet is its name, by which its Node is called, too; droplets of kops are called by their address.

    The cloud controller manager of DigitalOcean finds droplets by either.
    """

    def id_in(self, provider_id: str) -> str:
        """Nothing: a provider id (digitalocean://4711) has the droplet's number, which does not tell its name."""
        del provider_id
        return ""


DROPLETS = DropletNames(
    id_pattern=re.compile(r"[a-z0-9]([a-z0-9.-]*[a-z0-9])?-[0-9a-f]{8}"),
    address_pattern=re.compile(r"[0-9]{1,3}(\.[0-9]{1,3}){3}"),
)
