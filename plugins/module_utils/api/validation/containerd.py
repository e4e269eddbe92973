# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""spec.containerd of a cluster or an instance group, and the container runtimes that are gone."""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping, Sequence

from ..clouds import CLOUDS, OPENSTACK, cloud_of
from ..cluster import Cluster
from ..common import PackagesConfig
from ..containerd import ContainerdConfig, NRIConfig
from ..versions import Version
from .problems import Problems, forbidden, invalid, one_of
from .semver import any_version, full_version
from .urls import parse_url

OLDEST_CONTAINERD = Version.parse("2.1.0")
OLDEST_WITH_NRI = Version.parse("1.7.0")
LOG_LEVELS = ("trace", "debug", "info", "warn", "error", "fatal", "panic")
# The name of a registry, with its port if it has one; * stands for all others.
_REGISTRY = re.compile(r"\*|_default|(?:[A-Za-z0-9](?:[A-Za-z0-9_.-]*[A-Za-z0-9])?|\[[0-9A-Fa-f:]+\])(?::\d{1,5})?")
_SHA256_LENGTH = 64
_WITH_GPUS = " and ".join(cloud.title for cloud in CLOUDS.values() if cloud.has_gpus)


def validate_runtime(cluster: Cluster) -> Problems:
    """The container runtime is containerd; Docker support went from Kubernetes with 1.24."""
    spec, gone = cluster.spec, "Kubernetes no longer supports Docker; use containerd"
    found: Problems = []
    if spec.container_runtime:
        found += one_of("spec.containerRuntime", spec.container_runtime, ("containerd", "docker"))
        if spec.container_runtime == "docker":
            found.append(forbidden("spec.containerRuntime", gone))
    if spec.docker is not None:
        found.append(forbidden("spec.docker", gone))
    return found


def validate_containerd(cluster: Cluster, containerd: ContainerdConfig, path: str, *, in_group: bool) -> Problems:
    """Version, packages, NRI, GPUs and gVisor. in_group: the settings are those of an instance group."""
    found: Problems = []
    if containerd.version is not None:
        found += _validate_version(containerd.version, f"{path}.version")
    if containerd.nri is not None and containerd.nri.enabled:
        found += _validate_nri(containerd.nri, containerd.version, f"{path}.nri")
    if containerd.packages is not None:
        found += _validate_packages(containerd.packages, path)
    if containerd.nvidia_gpu is not None and containerd.nvidia_gpu.enabled:
        cloud = cloud_of(cluster)
        if not cloud.has_gpus:
            found.append(forbidden(f"{path}.nvidia", f"is available on {_WITH_GPUS} only"))
        if cloud is OPENSTACK and not in_group:
            found.append(forbidden(f"{path}.nvidia", "on OpenStack it is set in an instance group"))
    if containerd.gvisor is not None and not in_group:
        found.append(forbidden(f"{path}.gvisor", "is set in an instance group, not for the whole cluster"))
    return found


def validate_configuration(containerd: ContainerdConfig, path: str) -> Problems:
    """What containerd itself would not read. kops has none of these rules; no node would have a runtime."""
    found = one_of(f"{path}.logLevel", containerd.log_level or None, LOG_LEVELS)
    for key, place in (("address", containerd.address), ("root", containerd.root), ("state", containerd.state)):
        if place and not place.startswith("/"):
            found.append(invalid(f"{path}.{key}", place, "must be an absolute path"))
    if containerd.config_override is not None:
        import tomllib

        try:
            tomllib.loads(containerd.config_override)
        except tomllib.TOMLDecodeError as error:
            found.append(invalid(f"{path}.configOverride", None, f"is not TOML: {error}"))
    for name in containerd.config_additions:
        if not _is_path(name):
            example = 'plugins."io.containerd.cri.v1.images".discard_unpacked_layers'
            found.append(
                invalid(f"{path}.configAdditions", name, f"must be keys with dots between them, such as {example}")
            )
    return found + _validate_mirrors(containerd.registry_mirrors, path)


def _is_path(name: str) -> bool:
    try:
        keys = next(csv.reader([name], delimiter=".", strict=True))
    except (csv.Error, StopIteration):
        return False
    return all(keys) and not any(each.isspace() or not each.isprintable() for each in name)


def _validate_mirrors(mirrors: Mapping[str, Sequence[str]], path: str) -> Problems:
    """Registries are directories on a node, and mirrors are quoted texts there."""
    found: Problems = []
    for registry, endpoints in mirrors.items():
        at = f"{path}.registryMirrors[{registry}]"
        if not _REGISTRY.fullmatch(registry):
            message = "must be the host of a registry, without https://, such as docker.io or registry.example.com:5000"
            found.append(invalid(at, registry, message))
        for index, endpoint in enumerate(endpoints):
            url = parse_url(endpoint)
            if url is None or url.scheme not in ("http", "https") or not url.netloc or not _is_quotable(endpoint):
                example = "https://mirror.example.com"
                found.append(invalid(f"{at}[{index}]", endpoint, f"must be the URL of a mirror, such as {example}"))
    return found


def _is_quotable(text: str) -> bool:
    return text.isprintable() and not any(each in text for each in ' "\\')


def _validate_version(version: str, path: str) -> Problems:
    parsed = any_version(version)
    old = invalid(path, version, f"must be {OLDEST_CONTAINERD} or newer")
    if parsed is None:
        return [invalid(path, version, "must be a version, for example 2.1.4"), old]
    return [old] if parsed < OLDEST_CONTAINERD else []


def _validate_nri(nri: NRIConfig, version: str | None, path: str) -> Problems:
    found: Problems = []
    # containerd takes 0 for its own default, and with a negative time every request is late.
    for key, timeout in (
        ("pluginRequestTimeout", nri.plugin_request_timeout),
        ("pluginRegistrationTimeout", nri.plugin_registration_timeout),
    ):
        if timeout is not None and timeout.seconds <= 0:
            found.append(invalid(f"{path}.{key}", timeout, "must be longer than 0"))
    if version is None:
        return found
    parsed = full_version(version)
    if parsed is None:
        found.append(invalid(f"{path}.version", version, "NRI needs a full containerd version, for example 2.1.4"))
    if parsed is None or parsed < OLDEST_WITH_NRI:
        found.append(forbidden(path, f"NRI needs containerd {OLDEST_WITH_NRI} or newer"))
    return found


def _validate_packages(packages: PackagesConfig, path: str) -> Problems:
    found: Problems = []
    for suffix, url, digest in (
        ("", packages.url_amd64, packages.hash_amd64),
        ("Arm64", packages.url_arm64, packages.hash_arm64),
    ):
        url_path, hash_path = f"{path}.packageUrl{suffix}", f"{path}.packageHash{suffix}"
        if url is not None and digest is None:
            found.append(invalid(url_path, url, "needs the SHA-256 of the package too"))
        if digest is not None and url is None:
            found.append(invalid(hash_path, digest, "needs the URL of the package too"))
        if url is None or digest is None:
            continue
        if parse_url(url) is None:
            found.append(invalid(url_path, url, "is not a URL"))
        if len(digest) > _SHA256_LENGTH:
            found.append(invalid(hash_path, digest, f"must be a SHA-256 of {_SHA256_LENGTH} hexadecimal digits"))
    return found
