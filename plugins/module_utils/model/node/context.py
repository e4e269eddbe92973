# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a NodeConfig is computed from, and the questions that its parts ask of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...api import codec, questions
from ...api.additional import AdditionalObject
from ...api.cloud import Cloud
from ...api.clouds import METAL, cloud_of
from ...api.cluster import Cluster
from ...api.components import KubeProxyConfig
from ...api.containerd import ContainerdConfig
from ...api.instance_group import InstanceGroup
from ...api.kube_apiserver import KubeAPIServerConfig
from ...api.kube_controller_manager import KubeControllerManagerConfig
from ...api.kubelet import KubeletConfigSpec
from ...completion.addresses import service_address
from .files.assets import FileAsset

# Facts of a node, as its texts name them.
NODE_NAME = "@@NODE_NAME@@"
INTERNAL_IP = "@@INTERNAL_IP@@"
PROVIDER_ID = "@@PROVIDER_ID@@"
BINARIES = "@@BINARIES@@"
INTERFACE = "@@INTERFACE@@"
RESOLV_CONF = "@@RESOLV_CONF@@"

SRV = "/srv/kubernetes"
CA_FILE = f"{SRV}/ca.crt"
MANIFESTS = "/etc/kubernetes/manifests"
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class NodeContext:
    """A group's nodes of one architecture.

    cluster, group: completed. architecture: "amd64" or "arm64".
    secret_names: of the cluster's own secrets that there are (dockerconfig, encryptionconfig).
    additional_objects: the cluster's; the scheduler's configuration may be among them.
    api_addresses: where nodes reach the API server: the addresses of the control plane, or a load balancer's.
    etcd_addresses: etcd cluster -> the addresses of its members' nodes, for API servers elsewhere, unless DNS has them.
    workers: by what the cloud's instances prove to bootstrap servers which group they are of.
    virtual_address: of the API, held by one of the control planes; "" for none.
    files: what file_assets() lists for the architecture, with all checksums.
    warm_pool: what instances do that are prepared for the group; empty where it has no such pool.
    """

    cluster: Cluster
    group: InstanceGroup
    architecture: str = "amd64"
    secret_names: frozenset[str] = frozenset()
    additional_objects: Sequence[AdditionalObject] = ()
    api_addresses: tuple[str, ...] = ()
    etcd_addresses: Mapping[str, Sequence[str]] = field(default_factory=dict)
    features: frozenset[str] = frozenset()
    region: str = ""
    workers: Mapping[str, Any] = field(default_factory=dict)
    virtual_address: str = ""
    files: Sequence[FileAsset] = ()
    warm_pool: Mapping[str, Any] = field(default_factory=dict)

    # -- who it is ----------------------------------------------------------------------------------------------

    @property
    def name(self) -> str:
        """The cluster's name."""
        return str(self.cluster.metadata.name)

    @property
    def role(self) -> str:
        """ControlPlane, APIServer, Node or Bastion."""
        return str(self.group.spec.role)

    @property
    def is_control_plane(self) -> bool:
        """Whether it runs the control plane, etcd included."""
        return self.role == "ControlPlane"

    @property
    def has_api_server(self) -> bool:
        """Whether it serves the Kubernetes API."""
        return self.role in ("ControlPlane", "APIServer")

    @property
    def cloud(self) -> Cloud:
        """The cloud that the nodes are in."""
        return cloud_of(self.cluster)

    @property
    def on_metal(self) -> bool:
        """Whether nodes are bare-metal hosts of an inventory."""
        return self.cloud is METAL

    @property
    def has_provider_id(self) -> bool:
        """Whether the kubelet is told what the cloud calls its instance: elsewhere the cloud's controller says it."""
        is_instance = self.cloud.starts_nodes and not self.cloud.has_cloud_controller
        return is_instance or bool(self.cloud.instance_ids.provider_id_form)

    @property
    def is_ipv6_only(self) -> bool:
        """Whether pods have IPv6 addresses only."""
        return questions.is_ipv6_only(self.cluster)

    # -- names and addresses ------------------------------------------------------------------------------------

    @property
    def api_internal_name(self) -> str:
        """The name by which nodes reach the API server."""
        return f"api.internal.{self.name}"

    @property
    def api_url(self) -> str:
        """Where the node's own clients reach the API server: next door where there is one."""
        return f"https://{LOOPBACK if self.has_api_server else self.api_internal_name}"

    @property
    def kubernetes_service_address(self) -> str:
        """The address of the service `kubernetes`."""
        return service_address(self.cluster.spec, 1)

    # -- components, copies that a part may go on filling ---------------------------------------------------------

    def kubelet(self) -> KubeletConfigSpec:
        """The group's kubelet."""
        return codec.copy(self.group.spec.kubelet) if self.group.spec.kubelet else KubeletConfigSpec()

    def kube_proxy(self) -> KubeProxyConfig | None:
        """kube-proxy; None where the group's nodes have none."""
        networking = self.cluster.spec.networking
        if self.is_control_plane and networking.isolate_control_plane:
            return None
        configured = self.cluster.spec.kube_proxy
        if configured is None:
            return KubeProxyConfig()
        return None if configured.enabled is False else codec.copy(configured)

    def kube_api_server(self) -> KubeAPIServerConfig:
        """The API server."""
        configured = self.cluster.spec.kube_api_server
        return codec.copy(configured) if configured else KubeAPIServerConfig()

    def kube_controller_manager(self) -> KubeControllerManagerConfig:
        """The controller manager."""
        configured = self.cluster.spec.kube_controller_manager
        return codec.copy(configured) if configured else KubeControllerManagerConfig()

    @cached_property
    def containerd(self) -> ContainerdConfig:
        """containerd: the cluster's, the group's over it."""
        general, own = self.cluster.spec.containerd, self.group.spec.containerd
        merged = codec.copy(general) if general else ContainerdConfig()
        return codec.merge(merged, own) if own else merged

    @property
    def has_nvidia(self) -> bool:
        """Whether containerd serves the GPUs of the group's machines (completion has asked the cloud for them)."""
        gpu = self.containerd.nvidia_gpu
        return bool(gpu and gpu.enabled) and self.group.spec.node_labels.get("kops.k8s.io/gpu") == "1"

    @property
    def gvisor_platform(self) -> str:
        """The platform of gVisor on the group's nodes; "" where it is not asked for, which only a group can do."""
        own = self.group.spec.containerd
        if self.role != "Node" or own is None or own.gvisor is None or not own.gvisor.enabled:
            return ""
        return own.gvisor.platform or "systrap"

    def image(self, image: str | None) -> str:
        """The image for the node's architecture."""
        reference = image or ""
        return reference if self.architecture == "amd64" else reference.replace("-amd64", f"-{self.architecture}", 1)
