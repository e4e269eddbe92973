# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons: what they need, and what fits together. NodeTerminationHandler and others of AWS: cloud_provider.py."""

from __future__ import annotations

import re

from ..clouds import METAL, OPENSTACK, cloud_of
from ..cluster import Cluster
from ..fields import camel_case
from ..questions import cert_manager_enabled, uses_none_dns, uses_service_account_roles
from ..suggest import did_you_mean
from ..well_known_addons import METALLB, WELL_KNOWN, is_location
from .problems import Problems, duplicate, forbidden, invalid, one_of, required
from .syntax import validate_duration, validate_share

# A name server as cert-manager takes it.
_HOST_AND_PORT = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:]+\]):\d{1,5}")
EXPANDERS = ("least-waste", "random", "most-pods", "price", "priority")
EXTERNAL_DNS_PROVIDERS = ("", "dns-controller", "external-dns", "none")
# What kube-proxy's own option --ipvs-strict-arp sets; kops has no field for it.
_STRICT_ARP = ("net.ipv4.conf.all.arp_ignore=1", "net.ipv4.conf.all.arp_announce=2")
_LOCATION = f"must be the URL of a channel, or one of {', '.join(WELL_KNOWN)}"
_DELAYS = (
    *("max_node_provision_time", "new_pod_scale_up_delay", "scale_down_delay_after_add"),
    *("scale_down_unneeded_time", "scale_down_unready_time"),
)
_NEEDS_CERT_MANAGER = "needs spec.certManager.enabled: true"


def validate_addons(cluster: Cluster) -> Problems:
    """Every addon of the cluster."""
    spec = cluster.spec
    found = _validate_channels(cluster)
    found += _validate_autoscaler(cluster)
    found += _validate_external_dns(cluster)
    if spec.cert_manager is not None:
        found += [
            invalid(f"spec.certManager.nameservers[{index}]", server, "must be host:port, or a URL with https://")
            for index, server in enumerate(spec.cert_manager.nameservers)
            if not (server.startswith("https://") or _HOST_AND_PORT.fullmatch(server))
        ]
    if not cert_manager_enabled(cluster):
        if spec.metrics_server and spec.metrics_server.enabled and not spec.metrics_server.insecure:
            found.append(forbidden("spec.metricsServer.insecure", f"must be true; anything else {_NEEDS_CERT_MANAGER}"))
        if spec.snapshot_controller and spec.snapshot_controller.enabled:
            found.append(forbidden("spec.snapshotController.enabled", _NEEDS_CERT_MANAGER))
    if not uses_service_account_roles(cluster):
        needs_roles = "needs spec.iam.useServiceAccountExternalPermissions: true"
        if spec.karpenter and spec.karpenter.enabled:
            found.append(forbidden("spec.karpenter.enabled", needs_roles))
        if spec.cert_manager and spec.cert_manager.enabled and spec.cert_manager.hosted_zone_ids:
            found.append(forbidden("spec.certManager", f"hostedZoneIDs {needs_roles}"))
    return found


def _validate_channels(cluster: Cluster) -> Problems:
    found: Problems = []
    manifests = [addon.manifest or "" for addon in cluster.spec.addons]
    for index, manifest in enumerate(manifests):
        path = f"spec.addons[{index}].manifest"
        if not manifest:
            found.append(required(path, _LOCATION))
        elif manifest in manifests[:index]:
            found.append(duplicate(path, manifest))
        elif manifest.startswith("file://") and cloud_of(cluster) is not METAL:
            # In kops, a pod on the control plane reads it. On bare metal the controller does, once.
            found.append(invalid(path, manifest, "cannot be a file; put it in the state store"))
        elif not is_location(manifest) and manifest not in WELL_KNOWN:
            found.append(invalid(path, manifest, _LOCATION + did_you_mean(manifest, WELL_KNOWN)))
        elif manifest in WELL_KNOWN and cloud_of(cluster) is not METAL:
            found.append(forbidden(path, f"{manifest} is for bare metal: clouds have load balancers and volumes"))
    if METALLB in manifests:
        found += _validate_arp(cluster)
    return found


def _validate_arp(cluster: Cluster) -> Problems:
    """In mode ipvs, each node has all addresses of Services, and only the one that announces one may answer for it."""
    proxy = cluster.spec.kube_proxy
    if proxy is None or proxy.proxy_mode != "ipvs" or proxy.enabled is False:
        return []
    given = {line.replace(" ", "") for line in cluster.spec.sysctl_parameters}
    return [
        required("spec.sysctlParameters", f"must contain {line}: MetalLB needs it with spec.kubeProxy.proxyMode ipvs")
        for line in _STRICT_ARP
        if line not in given
    ]


def _validate_autoscaler(cluster: Cluster) -> Problems:
    autoscaler, path = cluster.spec.cluster_autoscaler, "spec.clusterAutoscaler"
    if autoscaler is None:
        return []
    found = one_of(f"{path}.expander", autoscaler.expander or None, EXPANDERS)
    for attribute in _DELAYS:
        text = getattr(autoscaler, attribute)
        found += validate_duration(text, f"{path}.{camel_case(attribute)}") if text else []
    share = autoscaler.scale_down_utilization_threshold
    found += validate_share(share, f"{path}.scaleDownUtilizationThreshold") if share else []
    if autoscaler.expander == "price" and cluster.spec.cloud_provider.gce is None:
        found.append(forbidden(f"{path}.expander", "price is available on GCE only"))
    if cloud_of(cluster) is OPENSTACK:
        found.append(forbidden(path, "is not available on OpenStack"))
    return found


def _validate_external_dns(cluster: Cluster) -> Problems:
    external, path = cluster.spec.external_dns, "spec.externalDNS"
    if external is None:
        return []
    found = one_of(f"{path}.provider", external.provider or "", EXTERNAL_DNS_PROVIDERS)
    if external.watch_namespace and external.watch_namespace != "kube-system":
        found.append(forbidden(f"{path}.watchNamespace", "can only be kube-system, or empty for all namespaces"))
    if external.provider == "external-dns" and uses_none_dns(cluster):
        found.append(forbidden(f"{path}.provider", "external-dns has nothing to do with DNS topology None"))
    return found
