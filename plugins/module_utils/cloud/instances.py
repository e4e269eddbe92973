# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster as a cloud knows them, by instance group: what validation compares nodes with, and what a
rolling update replaces.
"""

from __future__ import annotations

import datetime
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

# States of a machine. In the service of its group; started beforehand, in a warm pool; taken out of its group by a
# rolling update, so that another one was started in its place; in no group, though it has the tag of one.
SERVING, WARM, DETACHED, STRAY = "serving", "warm", "detached", "stray"


@dataclass(frozen=True)
class Instance:
    """A machine that should be a node.

    name: its id, and that of its Node. by_address: that of its Node, if the cluster names nodes by their addresses.
    addresses: the best one to reach it by first.
    """

    name: str
    by_address: str = ""
    launched: datetime.datetime | None = None
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True)
class InstancesOfGroup:
    """Instances of a group in the cloud. wanted: how many instances it keeps."""

    wanted: int
    instances: Sequence[Instance] = ()


@dataclass(frozen=True)
class Target:
    """An instance that a load balancer passes connections to. state: in the words of the cloud."""

    name: str
    healthy: bool
    state: str


@dataclass(frozen=True)
class Machine:
    """An instance that may have to be replaced.

    name, by_address: as of Instance. within: what keeps the number of instances, or did so before it was detached.
    state: one of those above. outdated: why it is not what its group would start now; "" if it is.

    private_addresses, public_addresses: IPv4 first. power: what the cloud calls it, such as running or stopped.
    healthy: whether its group takes it for healthy; None if it is in no group. standby: whether an administrator has
    taken it out of the service of its group for a while.
    """

    name: str
    within: str
    state: str = SERVING
    outdated: str = ""
    by_address: str = ""
    launched: datetime.datetime | None = None
    private_addresses: tuple[str, ...] = ()
    public_addresses: tuple[str, ...] = ()
    zone: str = ""
    machine_type: str = ""
    power: str = ""
    healthy: bool | None = None
    standby: bool = False
    tags: Mapping[str, str] = field(default_factory=dict)
