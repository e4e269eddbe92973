# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which modules of the kernel the chosen network needs, by its mode."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.runtime.network_modules import modules_of_network
from ansible_collections.kubeops.kops.plugins.module_utils.node.apply.kernel import NETWORK_MODULES

IPIP, VXLAN = {"encapsulationMode": "ipip"}, {"encapsulationMode": "vxlan"}
CASES = [
    ({"cni": {}}, set()),
    ({"flannel": {"backend": "vxlan"}}, {"vxlan"}),
    ({"flannel": {"backend": "udp"}}, {"tun"}),
    ({"calico": IPIP}, {"ip_set", "xt_set", "ipip"}),
    ({"calico": {**IPIP, "ipipMode": "Never"}}, {"ip_set", "xt_set"}),
    ({"calico": {**VXLAN, "wireguardEnabled": True}}, {"ip_set", "xt_set", "vxlan", "wireguard"}),
    ({"calico": {**VXLAN, "vxlanMode": "Never"}}, {"ip_set", "xt_set"}),
    ({"calico": {"encapsulationMode": "none", "nftablesMode": "Enabled"}}, {"ip_set", "nf_tables"}),
    ({"calico": {**IPIP, "bpfEnabled": True}}, {"ip_set", "ipip", "vxlan"}),
    ({"cilium": {"tunnel": "disabled"}}, set()),
    ({"cilium": {"tunnel": "disabled", "masquerade": True}}, {"ip_set", "ip_set_hash_ip", "xt_set"}),
    ({"cilium": {"tunnel": "disabled", "masquerade": True, "enableBPFMasquerade": True}}, set()),
    (
        {"cilium": {"tunnel": "vxlan", "enableEncryption": True, "encryptionType": "ipsec"}},
        {"vxlan", "esp4", "xfrm_algo", "xfrm_user"},
    ),
    ({"cilium": {"tunnel": "geneve"}}, {"geneve"}),
    ({"cilium": {"tunnel": "vxlan", "enableEncryption": True, "encryptionType": "wireguard"}}, {"vxlan", "wireguard"}),
    ({"kubeRouter": {}}, {"dummy", "ip_vs", "ip_vs_rr", "ip_set", "xt_set"}),
    ({"kubeRouter": {"useNFTablesForNetpol": True}}, {"dummy", "ip_vs", "ip_vs_rr"}),
    ({"kindnet": {}}, {"nf_tables", "nfnetlink_queue"}),
]


@pytest.mark.parametrize(("networking", "expected"), CASES)
def test_modules_of_a_network(networking: dict[str, Any], expected: set[str]) -> None:
    found = modules_of_network(codec.from_plain(Cluster, {"spec": {"networking": networking}}))
    assert found.keys() == expected
    assert all(reason.partition(".")[0] in networking for reason in found.values())


def test_machines_are_asked_for_all_of_them() -> None:
    assert set(NETWORK_MODULES) == set().union(*(expected for _networking, expected in CASES))
