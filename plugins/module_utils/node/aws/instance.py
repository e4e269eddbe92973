# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The instance of AWS that the process runs on."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping

from ...base.errors import KopsError
from ...base.instance_ids import EC2
from ...exchange.document import MAX_PODS, POD_PREFIX, disk_of_fact
from ..system.machine import Machine
from . import identity, lifecycle
from .api import AWS
from .cluster_instances import AWSInstances
from .disks import disk_named
from .max_pods import max_pods
from .metadata import Metadata
from .node_names import own_name
from .pod_prefix import pod_prefix
from .route53 import HostedZone
from .volumes import MemberVolumes
from .web_identity import AUDIENCE, WebIdentity


class AWSInstance:
    """What booting asks of it."""

    def __init__(self) -> None:
        self.aws = AWS(Metadata())

    def facts(self) -> dict[str, str]:
        """Its name as a node is its id, as in kops."""
        instance, zone = (self.aws.told(f"meta-data/{path}") for path in ("instance-id", "placement/availability-zone"))
        return {
            "NODE_NAME": instance,
            "INTERNAL_IP": self.aws.find("meta-data/local-ipv4") or self.aws.told("meta-data/ipv6"),
            "PROVIDER_ID": EC2.provider_id(instance, zone),
        }

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        """As kops names nodes with useIPBasedNodeNames."""
        return own_name(self.aws, facts["NODE_NAME"], facts["INTERNAL_IP"])

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        """Disks by the names of launch templates, and what the network has for pods."""
        disks = {name: disk for name in names if (disk := disk_of_fact(name))}
        found = {name: disk_named(disk, machine.root) for name, disk in disks.items()}
        if MAX_PODS in names:
            found[MAX_PODS] = str(max_pods(self.aws))
        if POD_PREFIX in names:
            found[POD_PREFIX] = pod_prefix(self.aws, check=check)
        return found

    def is_prepared(self) -> bool:
        """Whether its autoscaling group wants it in the warm pool."""
        return lifecycle.is_prepared(self.aws)

    def tell_group(self, group: str, hook: str) -> bool:
        """Complete the lifecycle action of the autoscaling group."""
        return lifecycle.complete(self.aws, group, hook)

    def access_to(self, scheme: str) -> Metadata:
        """For S3: the credentials of its role, and where it is."""
        if scheme != "s3":
            raise KopsError(f"instances of AWS have no credentials for stores of the kind {scheme}://")
        return self.aws.metadata

    def cluster_disks(self, cluster: str) -> MemberVolumes:
        """The EBS volumes with the cluster's tag."""
        return MemberVolumes(self.aws, cluster)

    def cluster_instances(self, cluster: str) -> AWSInstances:
        """Those with the cluster's tag."""
        return AWSInstances(self.aws, cluster)

    def records(self, zone: str, *, private: bool, role: str, token: Callable[[str], str]) -> HostedZone:
        """Those of a hosted zone of Route 53."""
        credentials = WebIdentity(self.aws, role, functools.partial(token, AUDIENCE)).credentials if role else None
        return HostedZone(self.aws, zone, private=private, credentials=credentials)

    def proof(self, body: bytes) -> str:
        """A request to STS that only this instance can sign."""
        aws = self.aws
        return identity.token(body, aws.endpoint("sts"), aws.region, aws.metadata.credentials())
