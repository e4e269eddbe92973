# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the kernel of a host has what the network of pods needs."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from ...api.cluster import Cluster
from ...model.node.runtime.network_modules import filesystems_of_network, modules_of_network, package_with_modules
from .hosts import Host

# Source: Cilium's system requirements; the kernel of Red Hat 8.6 and newer has what Cilium needs of a newer one.
_OLDEST_FOR_CILIUM = (5, 10)
_OLDEST_BUILD_OF_REDHAT = 372
_VERSION = re.compile(r"(\d+)\.(\d+)")
_REDHAT = re.compile(r"4\.18\.0-(\d+)\..*\bel8")


def kernel_problems(cluster: Cluster, host: Host) -> Iterator[str]:
    """What speaks against the kernel of a host, each as a sentence that begins with its name."""
    ready, kernel = host.said.get("ready", {}), str(host.said.get("kernel", ""))
    if cluster.spec.networking.cilium is not None and _is_too_old_for_cilium(kernel):
        oldest = ".".join(map(str, _OLDEST_FOR_CILIUM))
        yield (
            f"{host.name}: has the kernel {kernel}, and Cilium needs {oldest} or newer; install a newer one, or choose"
            " another network (spec.networking)"
        )
    modules = _named(modules_of_network(cluster), ready.get("missingModules", ()))
    if modules:
        package = package_with_modules(str(host.said.get("family", "")))
        where = f"the package {package}" if package else "some distributions have them in a package of their own"
        yield (
            f"{host.name}: its kernel {kernel} has no module {modules}, so the network of pods would"
            f" fail; install the modules ({where}), or change the field"
        )
    filesystems = _named(filesystems_of_network(cluster), ready.get("missingFilesystems", ()))
    if filesystems:
        yield (
            f"{host.name}: its kernel {kernel} does not know the filesystem {filesystems}, so the network of pods would"
            " fail; install another kernel, or change the field"
        )


def _named(needed: dict[str, str], missing: Sequence[str]) -> str:
    """What is missing of what is needed, with the fields that ask for it; "" if nothing is."""
    lacking: dict[str, list[str]] = {}
    for name, reason in needed.items():
        if name in missing:
            lacking.setdefault(reason, []).append(name)
    return ", ".join(f"{', '.join(names)} (spec.networking.{reason})" for reason, names in lacking.items())


def _is_too_old_for_cilium(kernel: str) -> bool:
    """False for a kernel that does not say its version."""
    redhat, version = _REDHAT.match(kernel), _VERSION.match(kernel)
    if redhat:
        return int(redhat.group(1)) < _OLDEST_BUILD_OF_REDHAT
    return version is not None and (int(version.group(1)), int(version.group(2))) < _OLDEST_FOR_CILIUM
