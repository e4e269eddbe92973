# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The configuration with which programs on OpenStack reach it, credentials included.

Source: MakeCloudConfig in openstackcloudconfig of kops.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.openstack import (
    OpenstackBlockStorageConfig,
    OpenstackLoadbalancerConfig,
    OpenstackMonitor,
    OpenstackNetwork,
    OpenstackSpec,
)

CONFIG_OBJECT = "openstack-project"
# Option -> variables of the environment, of which the first that is set counts (the older names of a project first).
_ACCOUNT = {
    "auth-url": ("OS_AUTH_URL",),
    "username": ("OS_USERNAME",),
    "password": ("OS_PASSWORD",),
    "region": ("OS_REGION_NAME",),
    "tenant-id": ("OS_TENANT_ID", "OS_PROJECT_ID"),
    "tenant-name": ("OS_TENANT_NAME", "OS_PROJECT_NAME"),
    "domain-name": ("OS_DOMAIN_NAME",),
    "domain-id": ("OS_DOMAIN_ID",),
    "application-credential-id": ("OS_APPLICATION_CREDENTIAL_ID",),
    "application-credential-secret": ("OS_APPLICATION_CREDENTIAL_SECRET",),
}


def cloud_config(openstack: OpenstackSpec, credentials: Mapping[str, str]) -> str:
    """The file. credentials: variables of the environment, OS_*."""
    lines = ["[global]"]
    for option, variables in _ACCOUNT.items():
        found = next((credentials[name] for name in variables if credentials.get(name)), "")
        lines.append(f'{option}="{found}"')
    lines += ["", *_load_balancer(openstack.loadbalancer, openstack.monitor)]
    lines += [*_block_storage(openstack.block_storage), *_network(openstack.network)]
    return "\n".join(lines) + "\n"


def _load_balancer(balancer: OpenstackLoadbalancerConfig | None, monitor: OpenstackMonitor | None) -> list[str]:
    """Monitors without a load balancer mean nothing."""
    if balancer is None:
        return []
    options = {
        "floating-network-id": balancer.floating_network_id,
        "lb-method": balancer.method,
        "lb-provider": balancer.provider,
        "use-octavia": bool(balancer.use_octavia),
        "manage-security-groups": bool(balancer.manage_security_groups),
        "enable-ingress-hostname": bool(balancer.enable_ingress_hostname),
        "ingress-hostname-suffix": balancer.ingress_hostname_suffix or "nip.io",
    }
    watched = (
        {}
        if monitor is None
        else {
            "create-monitor": "yes",
            "monitor-delay": monitor.delay,
            "monitor-timeout": monitor.timeout,
            "monitor-max-retries": monitor.max_retries or 0,
        }
    )
    return ["[LoadBalancer]", *_lines(options), "", *_lines(watched), *([""] if watched else [])]


def _block_storage(storage: OpenstackBlockStorageConfig | None) -> list[str]:
    if storage is None:
        return []
    options = {
        "bs-version": storage.bs_version,
        "ignore-volume-az": bool(storage.ignore_volume_az),
        "ignore-volume-microversion": bool(storage.ignore_volume_microversion),
    }
    return ["[BlockStorage]", *_lines(options), ""]


def _network(network: OpenstackNetwork | None) -> list[str]:
    if network is None:
        return []
    disabled, order = network.ipv6_support_disabled, network.address_sort_order
    lines = [
        *_lines({} if disabled is None else {"ipv6-support-disabled": disabled}),
        *(f"public-network-name={name}" for name in network.public_network_names),
        *(f"internal-network-name={name}" for name in network.internal_network_names),
        *_lines({} if order is None else {"address-sort-order": order}),
    ]
    return ["[Networking]", *lines, ""] if lines else []


def _lines(options: Mapping[str, Any]) -> list[str]:
    return [f"{name}={_text(value)}" for name, value in options.items()]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
