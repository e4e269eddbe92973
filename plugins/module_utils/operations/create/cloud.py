# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud of a new cluster: which one, and its part of the spec."""

from __future__ import annotations

import os
from collections.abc import Mapping

from ...api.cloud_provider import AWSSpec, CloudProviderSpec, DOSpec, GCESpec, HetznerSpec, LinodeSpec, ScalewaySpec
from ...api.components import AzureSpec, CloudConfiguration
from ...api.kube_controller_manager import CloudControllerManagerConfig
from ...api.openstack import (
    OpenstackBlockStorageConfig,
    OpenstackLoadbalancerConfig,
    OpenstackMonitor,
    OpenstackRouter,
    OpenstackSpec,
)
from ...cloud.gce.cloud import default_project
from .draft import Draft
from .options import CreateOptions

# The scheme of a state store tells the cloud (kops: pkg/clouds/supported.go).
_CLOUD_OF_SCHEME = {
    "azureblob": "azure",
    "do": "digitalocean",
    "gs": "gce",
    "hos": "hetzner",
    "linode": "linode",
    "scw": "scaleway",
    "swift": "openstack",
}
_METAL_LABEL = "alpha.kops.k8s.io/cloud"


def cloud_of(options: CreateOptions, environment: Mapping[str, str] | None = None) -> str:
    """The cloud that the options name, else the one whose storage holds the state; "" when neither tells."""
    if options.cloud:
        return options.cloud
    environment = os.environ if environment is None else environment
    scheme, _separator, _rest = (options.config_base or options.state_store).partition("://")
    if scheme == "s3":
        if environment.get("HCLOUD_TOKEN"):
            return "hetzner"
        return "linode" if environment.get("LINODE_TOKEN") else "aws"
    return _CLOUD_OF_SCHEME.get(scheme, "")


def region_of(cloud: str, zones: list[str]) -> str:
    """The region of the first zone: the zone without its last letter on AWS, its first two parts on GCE,
    its first part on Azure, the zone itself elsewhere.
    """
    zone = zones[0]
    if cloud == "aws":
        return zone[:-1]
    if cloud == "gce":
        return "-".join(zone.split("-")[:2])
    if cloud == "azure":
        return zone.split("-")[0]
    return zone


def add_cloud(draft: Draft) -> None:
    """Write the cloud's own section of the spec."""
    options, spec = draft.options, draft.cluster.spec
    provider = spec.cloud_provider
    if draft.cloud == "metal":
        draft.cluster.metadata.labels[_METAL_LABEL] = "metal"
    elif draft.cloud == "aws":
        provider.aws = AWSSpec(
            spotinst_product=options.spotinst_product or None,
            spotinst_orientation=options.spotinst_orientation or None,
        )
    elif draft.cloud == "azure":
        provider.azure = AzureSpec(
            subscription_id=options.azure_subscription_id or os.environ.get("AZURE_SUBSCRIPTION_ID", ""),
            tenant_id=options.azure_tenant_id,
            resource_group_name=options.azure_resource_group_name,
            route_table_name=options.azure_route_table_name,
            admin_user=options.azure_admin_user,
        )
    elif draft.cloud == "gce":
        project = options.project or default_project()
        provider.gce = GCESpec(project=project, service_account=options.gce_service_account or None)
    elif draft.cloud == "openstack":
        _add_openstack(draft)
    else:
        _add_plain(provider, draft.cloud)
    if draft.cloud in ("azure", "gce", "openstack"):
        # An empty section is written on purpose: it is what makes components get a cloud configuration.
        spec.cloud_config = CloudConfiguration()


def _add_plain(provider: CloudProviderSpec, cloud: str) -> None:
    if cloud == "digitalocean":
        provider.do = DOSpec()
    elif cloud == "hetzner":
        provider.hetzner = HetznerSpec()
    elif cloud == "linode":
        provider.linode = LinodeSpec()
    elif cloud == "scaleway":
        provider.scaleway = ScalewaySpec()


def _add_openstack(draft: Draft) -> None:
    options, spec = draft.options, draft.cluster.spec
    spec.cloud_provider.openstack = OpenstackSpec(
        router=OpenstackRouter(
            external_network=options.os_ext_net,
            external_subnet=options.os_ext_subnet or None,
            dns_servers=options.os_dns_servers or None,
        ),
        block_storage=OpenstackBlockStorageConfig(
            bs_version="v3", ignore_volume_az=options.os_kubelet_ignore_az, cluster_name=options.name
        ),
        monitor=OpenstackMonitor(delay="15s", timeout="10s", max_retries=3),
    )
    if options.api_loadbalancer_type:
        provider = (options.os_octavia_provider or "octavia") if options.os_octavia else "haproxy"
        spec.cloud_provider.openstack.loadbalancer = OpenstackLoadbalancerConfig(
            floating_network=options.os_ext_net,
            floating_subnet=options.os_lb_floating_subnet or None,
            # OVN balances by address and port only.
            method="SOURCE_IP_PORT" if provider == "ovn" else "ROUND_ROBIN",
            provider=provider,
            use_octavia=options.os_octavia,
        )
    spec.cloud_controller_manager = CloudControllerManagerConfig(cluster_name=options.name)
