# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of create_cluster that are for OpenStack alone, and the section of the specification made of them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from ....api.clouds import OPENSTACK
from ....api.openstack import (
    OpenstackBlockStorageConfig,
    OpenstackLoadbalancerConfig,
    OpenstackMonitor,
    OpenstackRouter,
    OpenstackSpec,
)
from ..option import option
from ..shared_options import SharedOptions

_option = functools.partial(option, clouds=(OPENSTACK.name,))


@dataclass(frozen=True)
class OpenstackOptions(SharedOptions):
    """The options of OpenStack."""

    os_ext_net: str = _option("", "os-ext-net", "OpenstackExternalNet")
    os_ext_subnet: str = _option("", "os-ext-subnet", "OpenstackExternalSubnet")
    os_lb_floating_subnet: str = _option("", "os-lb-floating-subnet", "OpenstackLBSubnet")
    os_kubelet_ignore_az: bool = _option(
        False,
        "os-kubelet-ignore-az",
        "OpenstackStorageIgnoreAZ",
    )
    os_octavia: bool = _option(False, "os-octavia", "OpenstackLBOctavia")
    os_octavia_provider: str = _option("", "os-octavia-provider", "OpenstackOctaviaProvider")
    os_dns_servers: str = _option("", "os-dns-servers", "OpenstackDNSServers")


def section(options: OpenstackOptions) -> OpenstackSpec:
    """The section of OpenStack in spec.cloudProvider."""
    spec = OpenstackSpec(
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
        spec.loadbalancer = OpenstackLoadbalancerConfig(
            floating_network=options.os_ext_net,
            floating_subnet=options.os_lb_floating_subnet or None,
            # OVN balances by address and port only.
            method="SOURCE_IP_PORT" if provider == "ovn" else "ROUND_ROBIN",
            provider=provider,
            use_octavia=options.os_octavia,
        )
    return spec
