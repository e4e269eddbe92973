# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A node config that has something of everything."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.assets import Assets, archive

HEAD: dict[str, Any] = {
    "schema": 1,
    "cluster": "demo.example.com",
    "instanceGroup": "nodes",
    "role": "Node",
    "architecture": "amd64",
    "kubernetesVersion": "1.34.4",
}
SECRETS = {"kubelet.key": b"-----BEGIN KEY-----\nMIIEsecretsecretsecret\n-----END KEY-----\n"}


def full_config(assets: Assets) -> dict[str, Any]:
    """The config; what it downloads is served."""
    runtime = archive({"bin/containerd": b"containerd 2.1" * 999, "bin/ctr": b"ctr", "README": b"text"})
    plugins = archive({"./bridge": b"bridge", "./loopback": b"loopback", "./LICENSE": b"text"})
    return {
        **HEAD,
        "facts": ["NODE_NAME"],
        "packages": [{"name": "conntrack"}, {"name": "socat", "hold": True}],
        "groups": [{"name": "kube", "gid": 10000}],
        "users": [{"name": "kops-channels", "uid": 10013, "home": "/var/lib/kops", "shell": "/sbin/nologin"}],
        "kernelModules": [{"name": "br_netfilter", "required": True}, {"name": "ip_vs"}],
        "sysctls": [
            {"key": "net.ipv4.ip_forward", "value": "1", "required": True},
            {"key": "net.bridge.bridge-nf-call-iptables", "value": "1"},
            {"key": "net.ipv4.conf.lxc*.rp_filter", "value": "0"},
        ],
        "volumes": [{"name": "etcd", "directory": "/var/lib/volumes/a", "mount": "/mnt/etcd-a"}],
        "directories": [{"path": "/etc/app/secret", "mode": "0700"}, {"path": "/var/lib/app"}],
        "links": [{"path": "/usr/local/bin/run-me", "target": "kubelet"}],
        "files": [
            {"path": "/etc/app/kubelet.conf", "content": "name: @@NODE_NAME@@\naddress: @@INTERNAL_IP@@\n"},
            {"path": "/etc/app/secret/kubelet.key", "reference": "kubelet.key", "mode": "0400"},
            {"path": "/etc/hosts", "content": "10.0.0.1 api.internal.demo.example.com\n", "block": "demo.example.com"},
        ],
        "downloads": [
            {"name": "kubelet", **assets.add("/kubelet", b"kubelet 1.34.4" * 50000), "dest": "/usr/local/bin/kubelet"},
            {
                "name": "containerd",
                "version": "2.1",
                **assets.add("/containerd.tgz", runtime),
                "unpack": [{"member": "bin/*", "dest": "/usr/local/bin/"}],
            },
            {
                "name": "cni",
                **assets.add("/cni.tgz", plugins),
                "unpack": [
                    {"member": "bridge", "dest": "/opt/cni/bin/"},
                    {"member": "loopback", "dest": "/opt/cni/bin/lo"},
                ],
            },
        ],
        "units": [
            {"name": "containerd.service", "content": "[Service]\nExecStart=containerd\n", "restartOn": ["download"]},
            {
                "name": "kubelet.service",
                "content": "[Service]\nExecStart=kubelet\n",
                "dropIns": {"10-app.conf": "[Service]\nNice=1\n"},
                "restartOn": ["file:/etc/app/", "download:kubelet", "sysctl"],
            },
            {"name": "setup.service", "content": "[Service]\nType=oneshot\nExecStart=true\n"},
        ],
        "images": [{"name": "example.com/pause:1", **assets.add("/pause.tar", b"example.com/pause:1")}],
        "staticPods": [{"name": "kube-proxy", "content": "kind: Pod\n"}],
        "checks": [
            {"name": "kubelet", "kind": "unit", "target": "kubelet.service", "deadline": 5},
            {"name": "assets", "kind": "http", "target": assets.url + "/kubelet", "deadline": 5},
        ],
    }


def next_config(assets: Assets) -> dict[str, Any]:
    """The same node later: a newer runtime with fewer programs, another setting, and some things that left."""
    config = full_config(assets)
    runtime = archive({"bin/containerd": b"containerd 2.2" * 999, "bin/shim": b"shim"})
    config["files"][0]["content"] += "more: yes\n"
    config["downloads"][1].update(assets.add("/containerd-2.2.tgz", runtime), version="2.2")
    config["staticPods"] = [{"name": "kube-scheduler", "content": "kind: Pod\n"}]
    config["units"] = config["units"][:2]
    config["units"][1]["dropIns"] = {}
    config["sysctls"] = config["sysctls"][:1]
    config["directories"] = config["directories"][:1]
    config["users"] = []
    return config
