# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The same cluster by kubeadm on the same hosts, from the same programs and images: what ours is measured against."""

from __future__ import annotations

import json
import pathlib
import re
from collections.abc import Callable, Mapping, Sequence

from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking import flannel
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import FlannelNetworkingSpec
from ansible_collections.kubeops.kops.tests.lab import binaries, cache, distributions, hosts, network, servers
from ansible_collections.kubeops.kops.tests.lab.commands import run

POD_CIDR = "10.244.0.0/16"
TOKEN = "abcdef.0123456789abcdef"
KUBECONFIG = "/etc/kubernetes/admin.conf"
_KUBECTL = ("kubectl", f"--kubeconfig={KUBECONFIG}")
_FILES = {
    "/etc/containerd/config.toml": """version = 3
[plugins.'io.containerd.cri.v1.images'.pinned_images]
  sandbox = 'registry.k8s.io/pause:3.10.1'
[plugins.'io.containerd.cri.v1.images'.registry]
  config_path = '/etc/containerd/certs.d'
[plugins.'io.containerd.cri.v1.runtime']
  restrict_oom_score_adj = true
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc]
  runtime_type = 'io.containerd.runc.v2'
[plugins.'io.containerd.cri.v1.runtime'.containerd.runtimes.runc.options]
  SystemdCgroup = true
""",
    "/etc/containerd/certs.d/_default/hosts.toml": (
        f'[host."http://{servers.REGISTRY}"]\n  capabilities = ["pull", "resolve"]\n'
    ),
    "/etc/systemd/system/containerd.service": """[Service]
Type=notify
ExecStart=/usr/local/bin/containerd
Delegate=yes
KillMode=process
Restart=always
""",
    "/etc/systemd/system/kubelet.service": """[Unit]
After=containerd.service
[Service]
EnvironmentFile=-/var/lib/kubelet/kubeadm-flags.env
ExecStart=/usr/local/bin/kubelet --bootstrap-kubeconfig=/etc/kubernetes/bootstrap-kubelet.conf \\
  --kubeconfig=/etc/kubernetes/kubelet.conf --config=/var/lib/kubelet/config.yaml $KUBELET_KUBEADM_ARGS
Restart=always
RestartSec=3
[Install]
WantedBy=multi-user.target
""",
}
# A host that does all of it by itself at its boot, as a script of its user would: everything is downloaded at once.
JOINING = "lab-join.service"
DOWNLOADED, INSTALLED = "downloads are there", "programs are installed"
_UNIT = """[Unit]
After=network.target
[Service]
Type=oneshot
ExecStart=/usr/local/sbin/lab-join
"""
_JOIN = """#!/bin/bash
set -eu
mkdir -p /root/downloads && cd /root/downloads
curl --fail --silent --show-error --parallel --remote-name-all {urls}
sha256sum --check --quiet <<'END'
{sums}
END
echo {downloaded}
mkdir -p /opt/cni/bin
install -m 755 kubelet kubeadm /usr/local/bin/
install -m 755 {runc} /usr/local/bin/runc
tar -C /usr/local -xzf {containerd} & tar -C /opt/cni/bin -xzf {plugins} & wait
echo {installed}
sysctl --quiet --write net.ipv4.ip_forward=1
systemctl daemon-reload
systemctl enable --quiet kubelet
systemctl start containerd
{join}
"""


def prepare(names: Sequence[str], programs: Mapping[str, pathlib.Path], minor: str) -> None:
    """Bring what kubeadm expects of a host: programs, a containerd that runs, a kubelet that does not, settings."""
    own = ("kubeadm", "kubelet", "kubectl")
    wanted = {name: programs[f"{minor}/{name}"] for name in own}
    wanted.update({name: programs[name] for name in (*binaries.RECIPES["containerd"].packages, "runc")})
    plugins = {name: programs[name] for name in (*binaries.RECIPES["cni-plugins"].packages, "flannel")}
    for host in names:
        hosts.within(host, "mkdir", "-p", "/opt/cni/bin", *{str(pathlib.Path(path).parent) for path in _FILES})
        for directory, found in (("/usr/local/bin", wanted), ("/opt/cni/bin", plugins)):
            for name, path in found.items():
                run("podman", "cp", str(path), f"{hosts.PREFIX}{host}:{directory}/{name}")
        for file, content in _FILES.items():
            hosts.within(host, "sh", "-c", f"cat > {file}", stdin=content)
        hosts.within(host, "sysctl", "--quiet", "--write", "net.ipv4.ip_forward=1")
        hosts.within(host, "systemctl", "daemon-reload")
        hosts.within(host, "systemctl", "enable", "--quiet", "kubelet")
        hosts.within(host, "systemctl", "start", "containerd")


def create(names: Sequence[str], minor: str, done: Callable[[str], None]) -> None:
    """Make the cluster: the first host is its control plane. done: called after each step, with its name."""
    first, *others = names
    configuration = "\n---\n".join(json.dumps(part) for part in _configuration(network.address(first), minor))
    hosts.within(first, "sh", "-c", "cat > /root/kubeadm.yaml", stdin=configuration)
    said = hosts.within(first, "kubeadm", "init", "--config=/root/kubeadm.yaml")
    done("init")
    objects = json.dumps({"apiVersion": "v1", "kind": "List", "items": _flannel(len(names))})
    hosts.within(first, *_KUBECTL, "apply", "--filename=-", stdin=objects)
    (digest,) = set(re.findall(r"sha256:[0-9a-f]{64}", said))
    for host in others:
        join = (f"{network.address(first)}:6443", f"--token={TOKEN}", f"--discovery-token-ca-cert-hash={digest}")
        hosts.within(host, "kubeadm", "join", *join)
        done(f"join of {host}")


def join_command(first: str) -> str:
    """The command by which a further host joins the cluster of this control plane."""
    return hosts.within(first, "kubeadm", "token", "create", "--print-join-command").strip()


def boot(name: str, join: str, minor: str) -> str:
    """Start a new host that installs everything and joins as soon as it has booted. Returns its container's name."""
    texts = {
        **_FILES,
        f"/etc/systemd/system/{JOINING}": _UNIT,
        "/etc/systemd/system/multi-user.target.d/lab.conf": f"[Unit]\nWants={JOINING}\n",
        "/usr/local/sbin/lab-join": _joining(join, minor),
    }
    directory, mounts = cache.directory() / "kubeadm-files", []
    directory.mkdir(exist_ok=True)
    for target, text in texts.items():
        source = directory / target.lstrip("/").replace("/", "-")
        source.write_text(text)
        source.chmod(0o755 if target.startswith("/usr/") else 0o644)
        mounts += ["--volume", f"{source}:{target}:ro"]
    connection = ("--network", network.NAME, "--ip", network.address(name), "--dns", network.GATEWAY)
    container = hosts.PREFIX + name
    address = ("--mac-address", network.hardware_address(name))
    hosts.create(container, name, distributions.DEFAULT, *connection, *address, *mounts)
    return container


def _joining(join: str, minor: str) -> str:
    version, architecture, root = binaries.VERSIONS, binaries.ARCHITECTURE, servers.directory()
    containerd = f"containerd-{version['containerd']}-linux-{architecture}.tar.gz"
    release = f"release/v{binaries.KUBERNETES[minor]}/bin/linux/{architecture}"
    paths = [
        *(f"{release}/kubelet", f"{release}/kubeadm", servers.CNI_PLUGINS),
        f"containerd/containerd/releases/download/v{version['containerd']}/{containerd}",
        f"opencontainers/runc/releases/download/v{version['runc']}/runc.{architecture}",
    ]
    return _JOIN.format(
        urls=" ".join(f"{servers.FILES}/{path}" for path in paths),
        sums="\n".join((root / f"{path}.sha256").read_text().strip() for path in paths),
        runc=f"runc.{architecture}",
        containerd=containerd,
        plugins=pathlib.Path(servers.CNI_PLUGINS).name,
        downloaded=DOWNLOADED,
        installed=INSTALLED,
        join=join,
    )


def _flannel(nodes: int) -> list[dict[str, object]]:
    cluster = Cluster()
    cluster.spec.networking.non_masquerade_cidr = POD_CIDR
    cluster.spec.networking.flannel = FlannelNetworkingSpec(backend="vxlan")
    addon = make_addon(flannel.ADDON, AddonContext(cluster, [], nodes))
    assert addon is not None
    return addon.objects


def _configuration(address: str, minor: str) -> list[dict[str, object]]:
    version = binaries.VERSIONS
    return [
        {
            "apiVersion": "kubeadm.k8s.io/v1beta4",
            "kind": "InitConfiguration",
            "bootstrapTokens": [{"token": TOKEN}],
            "localAPIEndpoint": {"advertiseAddress": address},
            "nodeRegistration": {"criSocket": "unix:///run/containerd/containerd.sock"},
        },
        {
            "apiVersion": "kubeadm.k8s.io/v1beta4",
            "kind": "ClusterConfiguration",
            "kubernetesVersion": f"v{binaries.KUBERNETES[minor]}",
            "controlPlaneEndpoint": f"{address}:6443",
            "networking": {"podSubnet": POD_CIDR},
            "etcd": {"local": {"imageTag": f"{version['etcd']}-0"}},
            "dns": {"imageTag": f"v{version['coredns']}"},
        },
        {"apiVersion": "kubelet.config.k8s.io/v1beta1", "kind": "KubeletConfiguration", "maxOpenFiles": 20000},
        {
            "apiVersion": "kubeproxy.config.k8s.io/v1alpha1",
            "kind": "KubeProxyConfiguration",
            "conntrack": {"maxPerCore": 0},
        },
    ]
