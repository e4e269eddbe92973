# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the definition of an addon is asked with: the cluster, and all that is known around it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..api import questions
from ..api.additional import AdditionalObject
from ..api.cloud import Cloud
from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..api.instance_group import InstanceGroup
from ..completion.assets import remap_image
from ..iam.names import service_account_role
from ..kubernetes.addons.pruned import NAME_LABEL
from .launch import Launch


@dataclass(frozen=True)
class AddonContext:
    """What conditions, builders and permissions of addons look at.

    cluster, groups: completed. nodes: how many nodes there are; None: as many as the groups have at least.
    features: kops' feature flags that are on. additional: the user's own objects from the state store.
    cilium_keys: what the cluster's secret ciliumpassword holds, keys of IPsec; empty without one.
    region, account_id, partition: of the cloud account; "" where there is none.
    launches: gives how Karpenter launches the instances of groups; none where only conditions or images are asked for.
    credentials: variables of the environment with those of the cloud, where manifests are written. Addons put them into
        Secrets, as kops does.
    """

    cluster: Cluster
    groups: Sequence[InstanceGroup]
    nodes: int | None = None
    features: frozenset[str] = frozenset()
    additional: Sequence[AdditionalObject] = ()
    cilium_keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    region: str = ""
    account_id: str = ""
    partition: str = ""
    launches: Callable[[], Sequence[Launch]] = tuple
    credentials: Mapping[str, str] = field(default_factory=dict, repr=False)

    @property
    def cloud(self) -> Cloud:
        """The cloud that the cluster is on."""
        return cloud_of(self.cluster)

    @property
    def node_count(self) -> int:
        """How many nodes the cluster has, or at least."""
        if self.nodes is not None:
            return self.nodes
        return sum(group.spec.min_size or 0 for group in self.groups if group.spec.role != "Bastion")

    @property
    def provided(self) -> frozenset[str]:
        """Names of the addons that the user's own objects say they are."""
        metadata = [obj.data.get("metadata", {}) for obj in self.additional]
        return frozenset((each.get("labels") or {}).get(NAME_LABEL, "") for each in metadata)

    @property
    def uses_service_account_roles(self) -> bool:
        """Whether pods get IAM roles of their own (IRSA) instead of using their node's."""
        return questions.uses_service_account_roles(self.cluster)

    def groups_of(self, role: str) -> list[InstanceGroup]:
        """The instance groups of a role."""
        return [group for group in self.groups if group.spec.role == role]

    @property
    def controller_replicas(self) -> int:
        """How many replicas a controller of the cluster has: a second one where the control plane has several groups.

        Source: ControlPlaneControllerReplicas of kops' templates, whatever its argument.
        """
        return 2 if len(self.groups_of("ControlPlane")) > 1 else 1

    @property
    def api_internal_name(self) -> str:
        """The name by which nodes reach the API server."""
        return f"api.internal.{self.cluster.metadata.name}"

    @property
    def cloud_labels(self) -> str:
        """The tags of what the cluster makes in its cloud, as programs take them: name=value, sorted, with commas."""
        labels = [f"{name}={value}" for name, value in self.cluster.spec.cloud_labels.items()]
        return ",".join(sorted([f"KubernetesCluster={self.cluster.metadata.name}", *labels]))

    def image(self, name: str) -> str:
        """An image, from where spec.assets says."""
        return remap_image(name, self.cluster.spec.assets)

    def role_arn(self, service_account: str, namespace: str) -> str:
        """The ARN of a service account's IAM role."""
        role = service_account_role(service_account, namespace, str(self.cluster.metadata.name))
        return f"arn:{self.partition}:iam::{self.account_id}:role/{role}"
