# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the controller writes, read by what runs on the node."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import DISTRIBUTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot.warm_pool import prepared
from ansible_collections.kubeops.kops.plugins.module_utils.node.config import read_config
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine

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


CLOCK = {"chrony", "logrotate"}
# Distribution -> its packages, besides those of all.
PACKAGES = {
    "debian-13": {"iptables", "libapparmor1", "libseccomp2", "util-linux", "unattended-upgrades"},
    "ubuntu-26.04": {"iptables", "libapparmor1", "libseccomp2", "util-linux", "unattended-upgrades"},
    "amzn-2023": {"libseccomp", "util-linux", "container-selinux", "iptables-nft"},
    "rhel-9": {"libseccomp", "util-linux", "container-selinux", "iptables"},
    "rocky-9": {"libseccomp", "util-linux", "container-selinux", "iptables-nft", "nftables"},
    "almalinux-9": {"libseccomp", "util-linux", "container-selinux", "iptables-nft", "nftables"},
    "ol-9": {"libseccomp", "util-linux", "container-selinux", "iptables-nft", "nftables"},
    "ol-10": {"libseccomp", "util-linux", "container-selinux", "iptables-nft", "nftables"},
    "opensuse-leap-15.6": {"iptables", "libapparmor1", "libseccomp2", "util-linux"},
    "sles-16": {"iptables", "container-selinux", "libseccomp2", "util-linux"},
}


@pytest.mark.parametrize("name", PACKAGES)
def test_packages_are_those_of_the_distribution(node_of, name):
    config = config_for(node_of("nodes"), name)
    assert {package.name for package in config.packages} == PACKAGES[name] | CLOCK
    proxy = {"kubeProxy.enabled": True, "kubeProxy.proxyMode": "nftables"}
    assert "nftables" in {package.name for package in config_for(node_of("nodes", proxy), name).packages}


@pytest.mark.parametrize(
    ("name", "mode"),
    [("rocky-9", ""), ("sles-16", ""), ("flatcar", ""), ("almalinux-10", "nftables"), ("ol-10", "nftables")],
)
def test_kube_proxy_uses_what_the_kernel_has(node_of, name, mode):
    config = config_for(node_of("nodes"), name)
    (pod,) = [pod for pod in config.static_pods if pod.name == "kube-proxy"]
    assert ("--proxy-mode=nftables" in pod.content) == (mode == "nftables")
    modules = {module.name for module in config.kernel_modules}
    assert ("nf_conntrack" in modules) == (name in ("rocky-9", "almalinux-10", "ol-10"))


def test_flatcar_keeps_its_runtime_and_everything_else_is_where_it_can_be_written(node_of):
    versions = {"containerd": {"version": "2.3.4", "runc": {"version": "1.4.3"}}}
    config = config_for(node_of("control-plane", versions), "flatcar")
    assert config.packages == []
    assert not {"containerd", "runc"} & {download.name for download in config.downloads}
    assert {download.dest for download in config.downloads if download.dest} == {
        "/opt/kubernetes/bin/kubelet",
        "/opt/kubernetes/bin/kubectl",
    }
    units = {unit.name: unit for unit in config.units}
    assert units["containerd.service"].content is None
    assert (
        "ExecStart=\nExecStart=/usr/bin/containerd -c /etc/containerd/config.toml"
        in (units["containerd.service"].drop_ins["10-kops.conf"])
    )
    assert "logrotate.timer" in units
    assert not {"logrotate.service", "chrony.service", "chronyd.service"} & units.keys()
    assert "ExecStart=/opt/kubernetes/bin/kubelet " in (units["kubelet.service"].content or "")
    files = {file.path: file.content or "" for file in config.files}
    assert files["/etc/containerd/config.toml"].startswith("version = 3\n")
    assert "volumePluginDir: /var/lib/kubelet/volumeplugins/\n" in files["/var/lib/kubelet/kubelet.conf"]
    texts = "\n".join(pod.content for pod in config.static_pods)
    assert "/var/lib/kubelet/volumeplugins/" in texts
    assert "path: /usr/share/ca-certificates" in texts and "path: /usr/share/ssl" not in texts
    written = [*files, *(item.path for item in config.directories), *(item.path for item in config.links)]
    assert not [path for path in written if path.startswith("/usr/")]


@pytest.mark.parametrize(("name", "mounted"), [("opensuse-leap-15.6", True), ("rocky-9", False), ("debian-13", False)])
def test_pods_follow_the_link_to_certificates_of_authorities(node_of, name, mounted):
    config = config_for(node_of("control-plane"), name)
    for pod in config.static_pods:
        if pod.name in ("kube-apiserver", "kube-controller-manager"):
            assert ("path: /var/lib/ca-certificates" in pod.content) == mounted
            assert "path: /usr/share/ssl" in pod.content


def config_for(context, name):
    distribution = next(row for row in DISTRIBUTIONS if row.name == name)
    return read_config(node_config(context), FACTS, Machine("/", Host(), distribution), {})[0]


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
