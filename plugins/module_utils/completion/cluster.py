# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""From the spec that a user wrote to one that leaves nothing open: a pure function.

Source: upup/pkg/fi/cloudup/populate_cluster_spec.go, spec_builder.go and pkg/loader of kops.
"""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import urlsplit

from ..api import codec
from ..api.cluster import Cluster
from ..api.facts import CloudFacts
from ..api.instance_group import InstanceGroup
from ..api.kube_controller_manager import KubeControllerManagerConfig
from ..api.kubelet import KubeletConfigSpec
from ..api.topology import TopologySpec
from ..base.errors import KopsError
from ..channels.loader import DEFAULT_CHANNEL
from .access import complete_access
from .addresses import parse_network
from .assignments import perform_assignments
from .context import Context
from .etcd_members import check_etcd_members
from .filling import fill
from .pipeline import COMPONENTS
from .problems import invalid, required
from .settings import Settings

_MAX_ROUNDS = 10
_SERVICE_RANGES = {4: "100.64.0.0/13", 6: "fd00:5e4f:ce::/108"}
# State stores that nodes cannot read from.
_UNREADABLE_STORES = ("http", "https", "metadata", "sshfs")
_FLATCAR_VOLUME_PLUGINS = "/var/lib/kubelet/volumeplugins/"


def complete_cluster(
    cluster: Cluster, groups: Sequence[InstanceGroup], *, facts: CloudFacts, settings: Settings
) -> Cluster:
    """The completed cluster; what is given stays as it is.

    groups: the cluster's instance groups as the user wrote them.
    Raises ValidationError where something cannot be inferred or contradicts the cloud. It does not validate otherwise:
    that is to be done before and after.
    """
    # Merging leaves out the fields that no manifest carries any more, which a copy would keep.
    completed = codec.merge(Cluster(), cluster)
    _place_flatcar_volume_plugins(completed, groups)
    _assign_pod_and_service_ranges(completed)
    _fill_defaults(completed)
    perform_assignments(completed, facts=facts, settings=settings)
    check_etcd_members(completed)
    _complete_config_store(completed)
    completed.spec.kubernetes_version = (completed.spec.kubernetes_version or "").strip().removeprefix("v")
    complete_access(completed, groups, facts)
    _derive_control_plane_kubelet(completed)
    completed = _complete_components(completed, Context.of(completed, facts.region, settings))
    topology = cluster.spec.networking.topology
    completed.spec.networking.topology = codec.copy(topology) if topology else None
    if completed.spec.kube_dns is not None:
        # kops settles this while it builds the addons, hence after everything else.
        fill(completed.spec.kube_dns, provider="CoreDNS")
    return completed


def _place_flatcar_volume_plugins(cluster: Cluster, groups: Sequence[InstanceGroup]) -> None:
    """Flatcar's /usr, where the kubelet would look for volume plugins, is read-only."""
    if any("flatcar" in (group.spec.image or "").lower() for group in groups):
        cluster.spec.kubelet = cluster.spec.kubelet or KubeletConfigSpec()
        fill(cluster.spec.kubelet, volume_plugin_directory=_FLATCAR_VOLUME_PLUGINS)


def _assign_pod_and_service_ranges(cluster: Cluster) -> None:
    """Pods get the upper half of the range that is not masqueraded, services a fixed range."""
    networking = cluster.spec.networking
    if not networking.non_masquerade_cidr:
        return
    network = parse_network("spec.networking.nonMasqueradeCIDR", networking.non_masquerade_cidr)
    cluster.spec.kube_controller_manager = cluster.spec.kube_controller_manager or KubeControllerManagerConfig()
    if not networking.pod_cidr and network.version == 4:
        if network.prefixlen == network.max_prefixlen:
            raise invalid("spec.networking.nonMasqueradeCIDR", "has no room for pods", str(network))
        networking.pod_cidr = str(list(network.subnets(prefixlen_diff=1))[1])
    fill(networking, service_cluster_ip_range=_SERVICE_RANGES[network.version])


def _fill_defaults(cluster: Cluster) -> None:
    if not cluster.metadata.name:
        raise required("metadata.name", "must be given")
    networking = cluster.spec.networking
    networking.topology = networking.topology or TopologySpec(dns="Public")
    fill(cluster.spec, channel=DEFAULT_CHANNEL)


def _complete_config_store(cluster: Cluster) -> None:
    """Keypairs and secrets are kept below the cluster's own directory in the state store."""
    store = cluster.spec.config_store
    if not store.base:
        raise required("spec.configStore.base", "must be given")
    for key, url in (("base", store.base), ("keypairs", store.keypairs), ("secrets", store.secrets)):
        if url and urlsplit(url).scheme in _UNREADABLE_STORES:
            raise invalid(f"spec.configStore.{key}", "must be a store that the cluster's nodes can read", url)
    base = store.base.rstrip("/")
    fill(store, keypairs=f"{base}/pki", secrets=f"{base}/secrets")


def _derive_control_plane_kubelet(cluster: Cluster) -> None:
    """The control plane's kubelet has the settings of all kubelets, and its own over them."""
    spec = cluster.spec
    derived = codec.copy(spec.kubelet) if spec.kubelet else KubeletConfigSpec()
    if spec.control_plane_kubelet is not None:
        codec.merge(derived, spec.control_plane_kubelet)
    spec.control_plane_kubelet = derived


def _complete_components(cluster: Cluster, context: Context) -> Cluster:
    """Run all components until nothing changes; what the user has set is put back after each round."""
    current = cluster
    for _round in range(_MAX_ROUNDS + 1):
        following = codec.copy(current)
        for complete in COMPONENTS:
            complete(following, context)
        codec.merge(following, cluster)
        if following == current:
            return current
        current = following
    raise KopsError(f"cluster {context.cluster_name}: completion did not settle within {_MAX_ROUNDS} rounds")
