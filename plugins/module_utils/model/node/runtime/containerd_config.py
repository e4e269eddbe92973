# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""containerd's own configuration, and where it pulls from (containerd.go of nodeup).

Versions 3 and 4 of the configuration differ in nothing that is written here: containerd before 2.3 does not know 4,
and 2.3 refuses additions by others that are of a newer version than the main file.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from typing import Any

from ....api.containerd import ContainerdConfig
from ....api.versions import Version
from ....base.errors import KopsError
from ..context import NodeContext
from .toml import put, toml_text

REGISTRIES = "/etc/containerd/certs.d"
CNI_TEMPLATE = "/etc/containerd/config-cni.template"
_RUNTIME = ("plugins", "io.containerd.cri.v1.runtime")
_RUNTIMES = (*_RUNTIME, "containerd", "runtimes")
_IMAGES = ("plugins", "io.containerd.cri.v1.images")
_NRI = ("plugins", "io.containerd.nri.v1.nri")
_NVIDIA: dict[str, Any] = {
    "privileged_without_host_devices": False,
    "runtime_engine": "",
    "runtime_root": "",
    "runtime_type": "io.containerd.runc.v2",
    "options": {"SystemdCgroup": True, "BinaryName": "/usr/bin/nvidia-container-runtime"},
}


def config_toml(context: NodeContext, *, of_distribution: bool = False) -> str:
    """The text of config.toml. of_distribution: containerd is the distribution's, whose version nothing says."""
    config = context.containerd
    if config.config_override is not None:
        return config.config_override
    tables: dict[str, Any] = {"version": _config_version(None if of_distribution else config.version)}
    for path, value in _settings(context, config):
        put(tables, path, value)
    for name in sorted(config.config_additions):
        put(tables, _path(name), _value(config.config_additions[name]))
    return toml_text(tables)


def registry_hosts(context: NodeContext) -> dict[str, str]:
    """Directory of a registry below REGISTRIES -> its hosts.toml: the mirrors in the order in which they are tried."""
    config = context.containerd
    if config.config_override is not None:
        return {}
    mirrors = sorted(config.registry_mirrors.items())
    return {
        # containerd's own name for all registries that have no directory.
        "_default" if registry == "*" else registry: "".join(
            f'[host."{endpoint}"]\n  capabilities = ["pull", "resolve"]\n\n' for endpoint in endpoints
        )
        for registry, endpoints in mirrors
    }


def _config_version(version: str | None) -> int:
    try:
        return 4 if Version.parse(version or "") >= Version.parse("2.3.0") else 3
    except KopsError:
        return 3


def _settings(context: NodeContext, config: ContainerdConfig) -> Iterator[tuple[tuple[str, ...], Any]]:
    nri = config.nri
    if nri is not None and nri.enabled is not False:
        yield (*_NRI, "disable"), False
        if nri.plugin_request_timeout is not None:
            yield (*_NRI, "plugin_request_timeout"), str(nri.plugin_request_timeout)
        if nri.plugin_registration_timeout is not None:
            yield (*_NRI, "plugin_registration_timeout"), str(nri.plugin_registration_timeout)
    if config.selinux_enabled:
        yield (*_RUNTIME, "enable_selinux"), True
    if config.sandbox_image is not None:
        yield (*_IMAGES, "pinned_images", "sandbox"), config.sandbox_image
    if config.registry_mirrors:
        yield (*_IMAGES, "registry", "config_path"), REGISTRIES
    yield (*_RUNTIME, "containerd", "default_runtime_name"), "runc"
    yield (*_RUNTIMES, "runc", "runtime_type"), "io.containerd.runc.v2"
    yield (*_RUNTIMES, "runc", "options", "SystemdCgroup"), True
    if uses_kubenet(context):
        yield (*_RUNTIME, "cni", "conf_template"), CNI_TEMPLATE
    if context.has_nvidia:
        yield (*_RUNTIMES, "nvidia"), _NVIDIA
    if context.gvisor_platform:
        yield (*_RUNTIMES, "runsc", "runtime_type"), "io.containerd.runsc.v1"


def uses_kubenet(context: NodeContext) -> bool:
    """Whether containerd itself connects pods: the plain kinds of networking, without a plug-in of their own."""
    networking = context.cluster.spec.networking
    return any(
        kind is not None for kind in (networking.kubenet, networking.gcp, networking.external, networking.kopeio)
    )


def _path(name: str) -> list[str]:
    """The keys of an addition: separated by dots, those with dots in them quoted."""
    try:
        return next(csv.reader([name], delimiter=".", strict=True))
    except (csv.Error, StopIteration):
        raise KopsError(f"containerd.configAdditions: {name!r} is no path of keys, separated by dots") from None


def _value(value: int | str) -> int | str | bool:
    return {"true": True, "false": False}.get(value, value) if isinstance(value, str) else value
