# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Completion of kube-apiserver."""

from __future__ import annotations

from ...api.cluster import Cluster, ClusterSpec
from ...api.kube_apiserver import KubeAPIServerConfig
from ...api.questions import is_ipv6_only
from ...api.versions import Version
from ..context import Context, kubernetes_image
from ..filling import fill
from ..problems import required

_ADMISSION_PLUGINS = (
    "DefaultStorageClass",
    "DefaultTolerationSeconds",
    "LimitRanger",
    "MutatingAdmissionWebhook",
    "NamespaceLifecycle",
    "NodeRestriction",
    "ResourceQuota",
    "RuntimeClass",
    "ServiceAccount",
    "ValidatingAdmissionPolicy",
    "ValidatingAdmissionWebhook",
)
_MAIN_CLIENT_PORT = 4001
# Resources that an etcd cluster of that name keeps instead of "main", and its client port.
_OVERRIDES = {"events": ("/events", 4002), "leases": ("coordination.k8s.io/leases", 4004)}


def complete(cluster: Cluster, context: Context) -> None:
    """spec.kubeAPIServer. Raises ValidationError if there is no etcd cluster to serve from."""
    spec = cluster.spec
    server = spec.kube_api_server = spec.kube_api_server or KubeAPIServerConfig()
    members = next((len(etcd.etcd_members) for etcd in spec.etcd_clusters if etcd.name == "main"), 0)
    if not members:
        raise required("spec.etcdClusters", "needs a cluster named main with at least one member")
    fill(
        server,
        # One kube-apiserver runs beside each member of the main etcd cluster.
        api_server_count=members,
        storage_backend=f"etcd{Version.parse(spec.etcd_clusters[0].version or '').major}",
        kubelet_preferred_address_types=["InternalIP", "Hostname", "ExternalIP"],
    )
    _complete_access(spec, server)
    _complete_storage(spec, server, context)
    server.image = kubernetes_image("kube-apiserver", spec)
    if context.control_plane_version < Version(1, 33):
        server.cloud_provider = "external"
    server.log_level = 2
    server.secure_port = 443
    server.bind_address = "::" if is_ipv6_only(cluster) else "0.0.0.0"  # noqa: S104 - clients come from everywhere
    server.allow_privileged = True
    server.service_cluster_ip_range = spec.networking.service_cluster_ip_range
    server.enable_admission_plugins = [*_ADMISSION_PLUGINS, *server.append_admission_plugins]
    server.insecure_bind_address = None
    server.insecure_port = None
    if spec.metrics_server and spec.metrics_server.enabled:
        fill(server, enable_aggregator_routing=True)


def _complete_access(spec: ClusterSpec, server: KubeAPIServerConfig) -> None:
    if spec.authentication and spec.authentication.kopeio:
        server.authentication_token_webhook_config_file = "/etc/kubernetes/authn.config"  # noqa: S105 - a path
    if spec.authorization and spec.authorization.always_allow:
        server.authorization_mode = "AlwaysAllow"
    elif spec.authorization and spec.authorization.rbac:
        server.authorization_mode = "Node,RBAC"
    server.anonymous_auth = False
    server.requestheader_allowed_names = ["aggregator"]
    server.requestheader_extra_header_prefixes = ["X-Remote-Extra-"]
    server.requestheader_group_headers = ["X-Remote-Group"]
    server.requestheader_username_headers = ["X-Remote-User"]


def _complete_storage(spec: ClusterSpec, server: KubeAPIServerConfig, context: Context) -> None:
    scheme = "http" if context.has_feature("EtcdEventsHTTP") else "https"
    names = [etcd.name or "" for etcd in spec.etcd_clusters]
    server.etcd_servers = [f"https://127.0.0.1:{_MAIN_CLIENT_PORT}" for name in names if name == "main"]
    server.etcd_servers_overrides = [
        f"{_OVERRIDES[name][0]}#{scheme}://127.0.0.1:{_OVERRIDES[name][1]}" for name in names if name in _OVERRIDES
    ]
