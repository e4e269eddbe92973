# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The volumes of the agent of Cilium, and where its container has them."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ...context import AddonContext
from ...objects.pods import empty_dir, host_path, mount, secret_volume, xtables_lock
from .parts import HUBBLE_TLS, IPSEC_KEYS, TEMPORARY, etcd_mounts, etcd_volumes, projected_secrets, uses_hubble

# Name, path and type on the host.
_OF_THE_HOST = (
    ("cilium-run", "/var/run/cilium", "DirectoryOrCreate"),
    ("cilium-netns", "/var/run/netns", "DirectoryOrCreate"),
    ("bpf-maps", "/sys/fs/bpf", "DirectoryOrCreate"),
    ("hostproc", "/proc", "Directory"),
    ("cilium-cgroup", "/run/cilium/cgroupv2", "DirectoryOrCreate"),
    ("cni-path", "/opt/cni/bin", "DirectoryOrCreate"),
    ("etc-cni-netd", "/etc/cni/net.d", "DirectoryOrCreate"),
    ("lib-modules", "/lib/modules", None),
)
_SETTINGS = (
    ("host-proc-sys-net", "/proc/sys/net", "Directory"),
    ("host-proc-sys-kernel", "/proc/sys/kernel", "Directory"),
)
# Certificates for other clusters of a mesh: Secret -> key -> file.
_CLUSTERMESH = {
    "cilium-clustermesh": {},
    "clustermesh-apiserver-remote-cert": {
        "tls.key": "common-etcd-client.key",
        "tls.crt": "common-etcd-client.crt",
        "ca.crt": "common-etcd-client-ca.crt",
    },
    "clustermesh-apiserver-local-cert": {
        "tls.key": "local-etcd-client.key",
        "tls.crt": "local-etcd-client.crt",
        "ca.crt": "local-etcd-client-ca.crt",
    },
}
_HUBBLE = {"hubble-server-certs": {"tls.crt": "server.crt", "tls.key": "server.key", "ca.crt": "client-ca.crt"}}


def agent_volumes(context: AddonContext, cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The volumes of its pod, those of its init containers as well."""
    found = [empty_dir("tmp"), *(host_path(*each) for each in _OF_THE_HOST), xtables_lock(), *etcd_volumes(cilium)]
    found.append(projected_secrets("clustermesh-secrets", _CLUSTERMESH, optional=True))
    if context.cilium_keys:
        found.append(secret_volume("cilium-ipsec-secrets", IPSEC_KEYS))
    found += (host_path(*each) for each in _SETTINGS)
    if uses_hubble(cilium):
        found.append(projected_secrets("hubble-tls", _HUBBLE, optional=True))
    return found


def agent_mounts(context: AddonContext, cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The mounts of its container. It sets sysctls through /host, as its own /proc/sys is read-only."""
    found = [
        mount("host-proc-sys-net", "/host/proc/sys/net"),
        mount("host-proc-sys-kernel", "/host/proc/sys/kernel"),
        mount("bpf-maps", "/sys/fs/bpf", mountPropagation="HostToContainer"),
        mount("cilium-cgroup", "/run/cilium/cgroupv2"),
        mount("cilium-run", "/var/run/cilium"),
        mount("cilium-netns", "/var/run/cilium/netns", mountPropagation="HostToContainer"),
        mount("etc-cni-netd", "/host/etc/cni/net.d"),
        *etcd_mounts(cilium),
        mount("clustermesh-secrets", "/var/lib/cilium/clustermesh", readOnly=True),
        mount("lib-modules", "/lib/modules", readOnly=True),
        mount("xtables-lock", "/run/xtables.lock"),
    ]
    if context.cilium_keys:
        found.append(mount("cilium-ipsec-secrets", "/etc/ipsec"))
    if uses_hubble(cilium):
        found.append(mount("hubble-tls", HUBBLE_TLS, readOnly=True))
    return [*found, mount("tmp", TEMPORARY)]
