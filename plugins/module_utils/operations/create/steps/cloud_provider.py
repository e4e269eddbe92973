# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud's own section of a new cluster's spec."""

from __future__ import annotations

from typing import Any, Callable

from ....api.cloud_provider import AWSSpec, DOSpec, GCESpec, HetznerSpec, LinodeSpec, ScalewaySpec
from ....api.clouds import (
    AWS,
    AZURE,
    DIGITALOCEAN,
    GCE,
    HETZNER,
    LINODE,
    OPENSTACK,
    SCALEWAY,
)
from ....api.components import AzureSpec, CloudConfiguration
from ....api.kube_controller_manager import CloudControllerManagerConfig
from ....api.openstack import (
    OpenstackBlockStorageConfig,
    OpenstackLoadbalancerConfig,
    OpenstackMonitor,
    OpenstackRouter,
    OpenstackSpec,
)
from ....base import labels
from ..draft import Draft
from ..options import CreateOptions


def add_cloud_provider(draft: Draft) -> None:
    """Write the cloud's section of spec.cloudProvider, or that there is none, and what else the cloud needs."""
    spec, cloud, options = draft.cluster.spec, draft.cloud, draft.options
    if cloud.attribute:
        setattr(spec.cloud_provider, cloud.attribute, _SECTIONS[cloud.name](options))
    else:
        draft.cluster.metadata.labels[labels.CLOUD] = cloud.name
    if cloud.needs_cloud_config:
        # An empty section is written on purpose: it is what makes components get a cloud configuration.
        spec.cloud_config = CloudConfiguration()
    if cloud is OPENSTACK:
        spec.cloud_controller_manager = CloudControllerManagerConfig(cluster_name=options.name)


def _aws(options: CreateOptions) -> AWSSpec:
    return AWSSpec(
        spotinst_product=options.spotinst_product or None,
        spotinst_orientation=options.spotinst_orientation or None,
    )


def _azure(options: CreateOptions) -> AzureSpec:
    return AzureSpec(
        subscription_id=options.azure_subscription_id,
        tenant_id=options.azure_tenant_id,
        resource_group_name=options.azure_resource_group_name,
        route_table_name=options.azure_route_table_name,
        admin_user=options.azure_admin_user,
    )


def _gce(options: CreateOptions) -> GCESpec:
    return GCESpec(project=options.project, service_account=options.gce_service_account or None)


def _openstack(options: CreateOptions) -> OpenstackSpec:
    section = OpenstackSpec(
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
        section.loadbalancer = OpenstackLoadbalancerConfig(
            floating_network=options.os_ext_net,
            floating_subnet=options.os_lb_floating_subnet or None,
            # OVN balances by address and port only.
            method="SOURCE_IP_PORT" if provider == "ovn" else "ROUND_ROBIN",
            provider=provider,
            use_octavia=options.os_octavia,
        )
    return section


# Name of a cloud -> its section of spec.cloudProvider.
_SECTIONS: dict[str, Callable[[CreateOptions], Any]] = {
    AWS.name: _aws,
    AZURE.name: _azure,
    DIGITALOCEAN.name: lambda options: DOSpec(),
    GCE.name: _gce,
    HETZNER.name: lambda options: HetznerSpec(),
    LINODE.name: lambda options: LinodeSpec(),
    OPENSTACK.name: _openstack,
    SCALEWAY.name: lambda options: ScalewaySpec(),
}
