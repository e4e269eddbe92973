# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification says of vSphere, and what is known of its vCenter."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...api.vsphere import VSphereSpec
from ...base.errors import KopsError
from ...cloud.vsphere import names
from ...cloud.vsphere.account import Account
from ..context import ModelContext

# Of an instance group: whether its machines are kept on different hosts.
ANTI_AFFINITY = "vsphere.kops.io/antiAffinity"


def spec(context: ModelContext) -> VSphereSpec:
    """spec.cloudProvider.vsphere."""
    return context.cluster.spec.cloud_provider.vsphere or VSphereSpec()


def account_of(context: ModelContext) -> Account:
    """The vCenter of the cluster. Raises KopsError if nobody has it."""
    if not isinstance(context.account, Account):
        raise KopsError("vCenter has not been asked which virtual machines there are")
    return context.account


def etcd_datastore(context: ModelContext) -> str:
    """The datastore that has the disks of etcd, as the specification says it."""
    return spec(context).etcd_datastore or spec(context).datastore or ""


def etcd_directory(context: ModelContext) -> str:
    """The directory there that they are in."""
    return names.directory(account_of(context).datastore(etcd_datastore(context)), context.name)


def is_kept_apart(group: InstanceGroup) -> bool:
    """Control planes are, unless the group says otherwise: with more machines than hosts, some could not start."""
    said = group.metadata.annotations.get(ANTI_AFFINITY)
    return group.spec.role == "ControlPlane" if said is None else said == "true"
