# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a specification says of OpenStack, and what its instance groups say in annotations."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...api.openstack import OpenstackSpec
from ...base.errors import KopsError
from ...cloud.openstack import names
from ...cloud.openstack.account import Account
from ..context import ModelContext

_ANNOTATION = "openstack.kops.io/"
AFFINITY, SERVER_GROUP, ADDRESS_PAIR = "serverGroupAffinity", "serverGroupName", "allowedAddressPair/"
BOOT_VOLUME, BOOT_VOLUME_SIZE = "osVolumeBoot", "osVolumeSize"


def spec(context: ModelContext) -> OpenstackSpec:
    """spec.cloudProvider.openstack."""
    return context.cluster.spec.cloud_provider.openstack or OpenstackSpec()


def api_name(context: ModelContext) -> str:
    """The name of load balancer, listener and security group of the API."""
    return context.cluster.spec.api.public_name or names.api(context.name)


def has_balancer(context: ModelContext) -> bool:
    """Whether Octavia has a load balancer for the API."""
    return spec(context).loadbalancer is not None


def listeners_restrict(context: ModelContext) -> bool:
    """Whether that load balancer says itself who may connect, so that its port needs no security group."""
    return has_balancer(context) and account_of(context).listeners_restrict


def account_of(context: ModelContext) -> Account:
    """The project. Raises KopsError if nobody has it."""
    if not isinstance(context.account, Account):
        raise KopsError("OpenStack has not been asked what it can do")
    return context.account


def annotation(group: InstanceGroup, name: str) -> str | None:
    """An annotation of kops for OpenStack; None if the group has none."""
    return group.metadata.annotations.get(_ANNOTATION + name)


def annotations_with(group: InstanceGroup, prefix: str) -> list[str]:
    """The values of all annotations for OpenStack whose names begin so."""
    found = group.metadata.annotations.items()
    return [value for name, value in sorted(found) if name.startswith(_ANNOTATION + prefix)]
