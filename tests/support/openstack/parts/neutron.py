# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Neutron: networks, without agents (drivers/kubeops_ports.py)."""

from __future__ import annotations

from collections.abc import Mapping

from ansible_collections.kubeops.kops.tests.support.openstack.services import HOST
from ansible_collections.kubeops.kops.tests.support.openstack.site import Part


class Neutron(Part):
    name, kind, databases = "neutron", "network", ("neutron",)

    def sections(self) -> Mapping[str, Mapping[str, object]]:
        return {
            "DEFAULT": self.site.default(
                bind_host=HOST,
                bind_port=self.port,
                core_plugin="ml2",
                service_plugins="router,qos",
                api_workers=0,
                rpc_workers=0,
                rpc_state_report_workers=0,
                notify_nova_on_port_status_changes="false",
                notify_nova_on_port_data_changes="false",
                dhcp_agent_notification="false",
                api_paste_config=self.site.share("neutron") / "api-paste.ini",
                dns_domain="openstacklocal.",
                global_physnet_mtu=1500,
            ),
            "database": self.site.stored("neutron"),
            "nova": self.site.login(),
            "placement": self.site.login(),
            "ml2": {
                "type_drivers": "local,flat,vxlan",
                "tenant_network_types": "vxlan",
                "mechanism_drivers": "kubeops",
                "extension_drivers": "port_security,qos,dns",
            },
            "ml2_type_flat": {"flat_networks": "*"},
            "ml2_type_vxlan": {"vni_ranges": "1:2000"},
            "securitygroup": {"enable_security_group": "true"},
        }

    def prepare(self) -> None:
        self.manage("neutron-db-manage", "upgrade", "heads")

    def start(self) -> None:
        self.start_all("neutron-server")
        self.services.wait_for("neutron-server", self.url)
