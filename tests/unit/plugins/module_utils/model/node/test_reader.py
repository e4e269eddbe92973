# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller writes, read by what runs on the node."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.warm_pool import prepared
from ansible_collections.kubeops.kops.plugins.module_utils.node.config import read_config
from ansible_collections.kubeops.kops.plugins.module_utils.node.distributions import DISTRIBUTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.node.machine import Machine

FACTS = {
    "NODE_NAME": "node-1",
    "INTERNAL_IP": "10.0.0.9",
    "RESOLV_CONF": "/etc/resolv.conf",
    "PROVIDER_ID": "aws:///a/i",
}
ETCD = {"MEMBER": "a", "INITIAL_CLUSTER": "a=https://a:2380", "INITIAL_STATE": "new", "DEVICE": "/dev/xvdu"}
FACTS["DISK_XVDD"] = "/dev/nvme1n1"
FACTS.update({f"ETCD_{etcd}_{name}": value for etcd in ("MAIN", "EVENTS") for name, value in ETCD.items()})
# As much as there is to ask for at once.
EVERYTHING = {
    "containerd": {"gvisor": {"enabled": True}, "registryMirrors": {"*": ["https://m"]}, "selinuxEnabled": True},
    "fileAssets": [{"name": "x", "content": "y"}],
    "hooks": [{"name": "x", "manifest": "ExecStart=/bin/true\n"}, {"name": "y", "enabled": False}],
    "volumeMounts": [{"device": "/dev/xvdd", "filesystem": "xfs", "path": "/data"}],
    "sysctlParameters": ["vm.swappiness=1"],
    "packages": ["nfs-common"],
}


class Host:
    """A machine of which nothing more is asked."""

    def architecture(self) -> str:
        return "amd64"


@pytest.mark.parametrize("distribution", DISTRIBUTIONS, ids=lambda row: row.name)
@pytest.mark.parametrize("role", ["ControlPlane", "APIServer", "Node", "Bastion"])
@pytest.mark.parametrize("on_metal", [True, False])
def test_nodes_of_every_kind_can_read_their_configuration(node_of, distribution, role, on_metal):
    group = {"ControlPlane": "control-plane", "Node": "nodes"}.get(role, "others")
    fields = {
        "networking.serviceClusterIPRange": "100.64.0.0/13",
        "authentication": {"aws": {}},
        "containerd": {"version": "2.3.4", "runc": {"version": "1.4.3"}},
    }
    context = node_of(group, fields, {**EVERYTHING, "role": role}, on_metal, api_addresses=("10.0.0.1",))
    config, _kept = read_config(node_config(context), FACTS, Machine("/", Host(), distribution), {})
    assert config.role == role


@pytest.mark.parametrize(("group", "role"), [("nodes", "Node"), ("others", "APIServer")])
def test_instances_of_a_warm_pool_can_read_theirs_without_pods_and_kubelet(node_of, group, role):
    pool = {"images": ["registry/a:1"], "group": "nodes.demo.example.com", "hook": "kops-warmpool"}
    fields = {"containerd": {"version": "2.3.4", "runc": {"version": "1.4.3"}}}
    context = node_of(group, fields, {**EVERYTHING, "role": role}, on_metal=False, warm_pool=pool)
    whole = node_config(context)
    config, _kept = read_config(prepared(whole), FACTS, Machine("/", Host(), DISTRIBUTIONS[0]), {})
    kubelet = next(unit for unit in config.units if unit.name == "kubelet.service")
    assert (kubelet.enabled, kubelet.state, config.static_pods, config.checks) == (False, "stopped", [], [])
    assert config.warm_pool is not None
    assert config.warm_pool.images == ["registry/a:1"]
    assert whole["staticPods"]
