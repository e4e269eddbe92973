# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Facts in a report of a cluster, as data. None is secret, and none depends on the time of reading.

Times are texts such as 2026-05-08T12:00:00Z; "" is one that is not known. How long ago they are, readers compute.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

# How bad a problem is: the cluster is not as it should be; it soon will not be; it could be better.
ERROR, WARNING, NOTICE = "error", "warning", "notice"
SEVERITIES = (ERROR, WARNING, NOTICE)
# The reason for a part that was not asked for, which is no fault.
NOT_ASKED = "it was not asked for"


@dataclass(frozen=True)
class ClusterFacts:
    """The cluster by its specification. cloud: its title.

    recommended, required: the version that the channel recommends next, and the oldest one that it accepts, if the
    cluster's is older; else "". advised: whether the channel could be asked. updated_by: the version of kops whose
    objects it has; "" if it was never updated.
    """

    name: str
    cloud: str
    region: str
    state_store: str
    created: str
    kubernetes_version: str
    channel: str
    recommended: str = ""
    required: str = ""
    advised: bool = True
    updated_by: str = ""


@dataclass(frozen=True)
class GroupFacts:
    """An instance group. wanted: as many instances as there should be; None if that is not said.

    specified: whether the specification has it. min_size, max_size: None where it does not say.
    """

    name: str
    role: str
    zones: Sequence[str] = ()
    min_size: int | None = None
    max_size: int | None = None
    wanted: int | None = None
    machine_type: str = ""
    image: str = ""
    specified: bool = True


@dataclass(frozen=True)
class NodeFacts:
    """An instance, a node, or both. name: of its node, or else the id of its instance. instance: "" on bare metal.

    health, power, reasons: as operations/status/instances.py has them. state: WarmPool, TAKEN_OUT or "". outdated:
    whether a rolling update would replace it, or drain it. cordoned: since when one has cordoned it. address: the
    first one inside the network.
    """

    name: str
    instance: str
    instance_group: str
    role: str
    zone: str
    health: str
    version: str
    outdated: bool
    reasons: Sequence[str] = ()
    state: str = ""
    power: str = ""
    cordoned: str = ""
    machine_type: str = ""
    address: str = ""
    launched: str = ""


@dataclass(frozen=True)
class KeyFacts:
    """A keyset, or the key of encryption at rest. made, expires: of the key pair that signs.

    trusted, distrusted: numbers of key pairs. next_step: of a rotation that was begun, as a sentence; "" for none.
    """

    name: str
    made: str = ""
    expires: str = ""
    trusted: int = 0
    distrusted: int = 0
    next_step: str = ""


@dataclass(frozen=True)
class BackupFacts:
    """The backups of an etcd cluster. every: seconds between two. size: bytes of the last one. oldest: its time."""

    etcd: str
    place: str
    count: int
    oldest: str
    last: str
    size: int
    every: int
    late: bool


@dataclass(frozen=True)
class AddonFacts:
    """An addon. status: as operations/status/addons.py has it."""

    name: str
    id: str
    channel: str
    status: str


@dataclass(frozen=True)
class Change:
    """Change of one object by an update. fields: names of fields that would change, without their values."""

    action: str
    kind: str
    name: str
    fields: Sequence[str] = ()
    reason: str = ""


@dataclass(frozen=True)
class PlanFacts:
    """Changes by an update. counts: how many objects, by action; and how many are unchanged."""

    id: str
    counts: dict[str, int]
    changes: Sequence[Change] = ()


@dataclass(frozen=True)
class Unread:
    """A part of the report that is not there, and why."""

    what: str
    why: str


@dataclass(frozen=True)
class Difference:
    """One object that is not as it should be. where, what, reason, mend: as drift/finding.py has them.

    fields: names of fields that differ, without their values. told: whether another part of the report says it.
    """

    where: str
    what: str
    kind: str
    name: str
    fields: Sequence[str] = ()
    reason: str = ""
    mend: str = ""
    told: bool = False


@dataclass(frozen=True)
class DriftFacts:
    """Differences between store, cloud and cluster. unseen: parts that were not compared."""

    found: Sequence[Difference] = ()
    unseen: Sequence[Unread] = ()


@dataclass(frozen=True)
class Problem:
    """Something that should be done. message: follows kind and names. todo: what helps, in words.

    command: that does it or tells more; "" for none. instance_group: "" for none, or for several.
    """

    severity: str
    kind: str
    names: Sequence[str]
    message: str
    todo: str = ""
    command: str = ""
    instance_group: str = ""


@dataclass(frozen=True)
class Cell:
    """The nodes of an instance group in a zone, by their names."""

    zone: str
    nodes: Sequence[str] = ()


@dataclass(frozen=True)
class Row:
    """An instance group, with a cell for each zone of the topology. expected: zones that its specification names."""

    instance_group: str
    role: str
    cells: Sequence[Cell]
    expected: Sequence[str] = ()


@dataclass
class Report:
    """A report. Parts that could not be read are None, and unread says why. zones: columns of the topology, "" for
    nodes that are in none. warnings: of what was read, for the user.
    """

    cluster: ClusterFacts
    groups: list[GroupFacts]
    problems: list[Problem] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    zones: list[str] = field(default_factory=list)
    topology: list[Row] = field(default_factory=list)
    nodes: list[NodeFacts] | None = None
    keys: list[KeyFacts] | None = None
    backups: list[BackupFacts] | None = None
    addons: list[AddonFacts] | None = None
    plan: PlanFacts | None = None
    drift: DriftFacts | None = None

    def plain(self) -> dict[str, Any]:
        """The report as plain data, for results of modules."""
        return dataclasses.asdict(self)
