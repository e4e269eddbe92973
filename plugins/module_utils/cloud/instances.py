# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster as a cloud knows them, by instance group: what validation compares nodes with."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass


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
    """What the cloud has of an instance group. wanted: how many instances it keeps."""

    wanted: int
    instances: Sequence[Instance] = ()
