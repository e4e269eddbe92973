# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which of several servers is the one of its place in a group.

Nova may make a server after its controller was killed and started again, which then has made another one. Both name the
same port, which one of them gets.
"""

from __future__ import annotations

from collections.abc import Sequence

from . import names
from .cloud import Described, OpenStackCloud
from .resources.owned import Owned


def of_place(cloud: OpenStackCloud, name: str, servers: Sequence[Described]) -> list[Described]:
    """The one that has the port of the place; all, as long as none has it. servers: the cluster's of this name."""
    ports = [each for each in Owned(cloud).ports() if names.server_of_port(str(each["name"])) == name]
    holders = {each.get("device_id") for each in ports} - {"", None}
    return [each for each in servers if each["id"] in holders] or list(servers)
