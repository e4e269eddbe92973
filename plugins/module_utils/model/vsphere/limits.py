# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What vCenter, or a cluster there, would refuse of a specification: names, sizes, and what it cannot do without."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ...api.addresses import parse_address
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...cloud.vsphere import names
from ...cloud.vsphere.machine_types import EXAMPLE, read_type
from .etcd_disks import members_of

# A machine is called after its group, with seven characters more, and its Node, and its host, after the machine.
LONGEST_GROUP = 56
# What a host can be called.
_GROUP = re.compile(r"[a-z0-9]([a-z0-9-]*[a-z0-9])?")


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What would be refused of a specification; it need not be completed."""
    name, known = str(cluster.metadata.name), list(groups)
    found = []
    if len(name) > names.LONGEST:
        message = f"is the name of a folder, for which vCenter takes {names.LONGEST} characters, not {len(name)}"
        found.append(FieldError("Invalid", "metadata.name", message, name))
    found += _api(cluster)
    for group in known:
        found += _of_group(cluster, group)
    return found


def _api(cluster: Cluster) -> Iterator[FieldError]:
    """Machines get their addresses by DHCP, and vSphere has neither DNS nor load balancers."""
    name = cluster.spec.api.public_name or ""
    if parse_address(name) is None:
        message = (
            "has to be the address of the Kubernetes API: a free one, which control planes hold by turns, or with"
            " spec.api.loadBalancer that of a load balancer of yours"
        )
        yield FieldError("Invalid" if name else "Required", "spec.api.publicName", message, name)


def _of_group(cluster: Cluster, group: InstanceGroup) -> Iterator[FieldError]:
    own = str(group.metadata.name)
    if len(own) > LONGEST_GROUP or not _GROUP.fullmatch(own):
        message = f"hosts are named after it: at most {LONGEST_GROUP} small letters, digits and hyphens"
        yield FieldError("Invalid", "metadata.name", message, own, group=own)
    if len(names.rule(own, str(cluster.metadata.name))) > names.LONGEST:
        message = f"with the cluster's name it is that of a rule, for which vCenter takes {names.LONGEST} characters"
        yield FieldError("Invalid", "metadata.name", message, own, group=own)
    if group.spec.role == "Bastion":
        message = "virtual machines have no addresses in the world, and nothing between them is closed"
        yield FieldError("Invalid", "spec.role", message, "Bastion", group=own)
    if group.spec.machine_type and read_type(group.spec.machine_type) is None:
        message = f"is no machine type of vSphere: name processors and memory, as {EXAMPLE}"
        yield FieldError("Invalid", "spec.machineType", message, group.spec.machine_type, group=own)
    sizes = (("minSize", group.spec.min_size), ("maxSize", group.spec.max_size))
    for key, size in sizes:
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)
    if group.spec.role == "ControlPlane":
        for etcd in cluster.spec.etcd_clusters:
            members = len(members_of(etcd, own))
            for key, size in sizes:
                if size is not None and size > members:
                    message = f"etcd cluster {etcd.name} has {members} members in this group, and each machine is one"
                    yield FieldError("Invalid", f"spec.{key}", message, size, group=own)
