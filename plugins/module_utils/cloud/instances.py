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
class Target:
    """An instance that a load balancer passes connections to. state: in the words of the cloud."""

    name: str
    healthy: bool
    state: str


@dataclass(frozen=True)
class CloudInstance:
    """An instance that should be a node, and may have to be replaced.

    name: its id, and that of its Node. by_address: that of its Node, if the cluster names nodes by their addresses.
    within: what keeps the number of instances, or did so before it was detached.
    state: one of those above. counted: whether its group counts it among those that it wants; not while it lets it go.
    outdated: why it is not what its group would start now; "" if it is, or if nobody has compared it.
    compared: whether its cloud can tell that.

    private_addresses, public_addresses: IPv4 first. power: what the cloud calls it, such as running or stopped; "" of
    an instance that only its group knows, as it begins or has just ended.
    healthy: whether its group takes it for healthy; None if it is in no group. standby: whether an administrator has
    taken it out of the service of its group for a while.
    """

    name: str
    within: str
    state: str = SERVING
    counted: bool = True
    outdated: str = ""
    compared: bool = True
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

    @property
    def addresses(self) -> tuple[str, ...]:
        """All of them, the best one to reach it by first."""
        return tuple(dict.fromkeys((*self.public_addresses, *self.private_addresses)))


@dataclass(frozen=True)
class InstancesOfGroup:
    """What the cloud has of an instance group.

    wanted: how many instances it keeps. keeps_number: whether it keeps any number; not of a group whose instances a
    program in the cluster starts (Karpenter).
    """

    wanted: int
    machines: Sequence[CloudInstance] = ()
    keeps_number: bool = True
