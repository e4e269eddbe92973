# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Octavia's load balancers without instances: their ports and security groups are Neutron's, nothing is behind them."""

from octavia.common import constants
from octavia.network import data_models
from octavia.network.drivers.neutron import allowed_address_pairs


class BalancerDriver(allowed_address_pairs.AllowedAddressPairsDriver):
    """Octavia's usual driver, which is told that instances got their interfaces."""

    def plug_port(self, amphora, port):
        self.neutron_client.update_port(port.id, {constants.PORT: {"device_id": amphora.compute_id}})
        return data_models.Interface(
            compute_id=amphora.compute_id, network_id=port.network_id, port_id=port.id, fixed_ips=port.fixed_ips
        )

    def plug_network(self, compute_id, network_id):
        wanted = {
            "network_id": network_id,
            "device_id": compute_id,
            "device_owner": allowed_address_pairs.OCTAVIA_OWNER,
            "name": f"octavia-{compute_id}",
        }
        made = self.neutron_client.create_port({constants.PORT: wanted})[constants.PORT]
        addresses = [
            data_models.FixedIP(subnet_id=each["subnet_id"], ip_address=each["ip_address"])
            for each in made["fixed_ips"]
        ]
        return data_models.Interface(
            compute_id=compute_id, network_id=network_id, port_id=made["id"], fixed_ips=addresses
        )

    def unplug_network(self, compute_id, network_id):
        for each in self.get_plugged_networks(compute_id):
            if each.network_id == network_id:
                self.delete_port(each.port_id)
