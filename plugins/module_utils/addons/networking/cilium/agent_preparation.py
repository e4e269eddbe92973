# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What prepares a node before the agent of Cilium starts: its init containers."""

from __future__ import annotations

from typing import Any

from ....api.networking import CiliumNetworkingSpec
from ...context import AddonContext
from ...objects.pods import mount, requests, variables
from .parts import TEMPORARY, api_server_variables, config_variable, image, node_variables, restricted

_CGROUPS = "/run/cilium/cgroupv2"
_PLUGINS = "/opt/cni/bin"
_ON_THE_HOST = "SYS_ADMIN SYS_CHROOT SYS_PTRACE"


def preparation(context: AddonContext, cilium: CiliumNetworkingSpec) -> list[dict[str, Any]]:
    """The containers, in their order."""
    return [
        _container(
            cilium,
            "config",
            ["cilium-dbg", "build-config"],
            mounts=[mount("tmp", TEMPORARY)],
            env=[*node_variables(), *api_server_variables(context)],
        ),
        _on_the_host(
            cilium,
            "mount-cgroup",
            "cilium-mount",
            "--cgroup=/hostproc/1/ns/cgroup ",
            " $CGROUP_ROOT",
            {"CGROUP_ROOT": _CGROUPS},
        ),
        _on_the_host(cilium, "apply-sysctl-overwrites", "cilium-sysctlfix"),
        _container(
            cilium,
            "mount-bpf-fs",
            ["/bin/bash", "-c", "--"],
            args=['mount | grep "/sys/fs/bpf type bpf" || mount -t bpf bpf /sys/fs/bpf'],
            mounts=[mount("bpf-maps", "/sys/fs/bpf", mountPropagation="Bidirectional")],
            # Only privileged containers can mount something for the host.
            securityContext={"privileged": True},
        ),
        _clean_state(context, cilium),
        _container(
            cilium,
            "install-cni-binaries",
            ["/install-plugin.sh"],
            mounts=[mount("cni-path", f"/host{_PLUGINS}")],
            resources=requests(cpu="100m", memory="10Mi"),
            securityContext=restricted(),
        ),
    ]


def _container(
    cilium: CiliumNetworkingSpec, name: str, command: list[str], *, mounts: list[dict[str, Any]], **more: Any
) -> dict[str, Any]:
    return {
        "name": name,
        "image": image(cilium, "cilium"),
        "imagePullPolicy": "IfNotPresent",
        "command": command,
        **more,
        "terminationMessagePolicy": "FallbackToLogsOnError",
        "volumeMounts": mounts,
    }


def _on_the_host(
    cilium: CiliumNetworkingSpec,
    name: str,
    program: str,
    namespaces: str = "",
    arguments: str = "",
    settings: dict[str, str] | None = None,
) -> dict[str, Any]:
    """Runs a program of the image in namespaces of the host, from the directory of its CNI plug-ins."""
    script = f"""cp /usr/bin/{program} /hostbin/{program};
nsenter {namespaces}--mount=/hostproc/1/ns/mnt "${{BIN_PATH}}/{program}"{arguments};
rm /hostbin/{program}
"""
    return _container(
        cilium,
        name,
        ["sh", "-ec", script],
        mounts=[mount("hostproc", "/hostproc"), mount("cni-path", "/hostbin")],
        env=variables({**(settings or {}), "BIN_PATH": _PLUGINS}),
        securityContext=restricted(_ON_THE_HOST),
    )


def _clean_state(context: AddonContext, cilium: CiliumNetworkingSpec) -> dict[str, Any]:
    """Removes what earlier agents have left, if the ConfigMap says so."""
    return _container(
        cilium,
        "clean-cilium-state",
        ["/init-container.sh"],
        mounts=[
            mount("bpf-maps", "/sys/fs/bpf"),
            mount("cilium-cgroup", _CGROUPS, mountPropagation="HostToContainer"),
            mount("cilium-run", "/var/run/cilium"),
        ],
        env=[
            config_variable("CILIUM_ALL_STATE", "clean-cilium-state"),
            config_variable("CILIUM_BPF_STATE", "clean-cilium-bpf-state"),
            config_variable("WRITE_CNI_CONF_WHEN_READY", "write-cni-conf-when-ready"),
            *api_server_variables(context),
        ],
        securityContext=restricted("NET_ADMIN SYS_MODULE SYS_ADMIN SYS_RESOURCE"),
    )
