# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: common (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .fields import api_type, field
from .scalars import FileText, Int32, IntOrString


@api_type
class FileAssetSpec:
    """``Cluster.spec.fileAssets[]``, ``InstanceGroup.spec.fileAssets[]``."""

    name: str | None = field(plain=True)
    path: str | None = field(plain=True)
    roles: list[str] = field(default_factory=list)
    content: FileText | None = field(plain=True)
    is_base64: bool | None = field(plain=True)
    mode: str | None = field(plain=True)


@api_type
class ExecContainerAction:
    """``Cluster.spec.hooks[].execContainer``, ``InstanceGroup.spec.hooks[].execContainer``."""

    image: str | None = field(plain=True)
    command: list[str] = field(default_factory=list)
    environment: dict[str, str] = field(default_factory=dict)


@api_type
class HookSpec:
    """``Cluster.spec.hooks[]``, ``InstanceGroup.spec.hooks[]``."""

    name: str | None = field(plain=True)
    enabled: bool | None = None
    roles: list[str] = field(default_factory=list)
    requires: list[str] = field(default_factory=list)
    before: list[str] = field(default_factory=list)
    exec_container: ExecContainerAction | None = None
    manifest: FileText | None = field(plain=True)
    use_raw_manifest: bool | None = field(plain=True)


@api_type
class RollingUpdate:
    """``Cluster.spec.rollingUpdate``, ``InstanceGroup.spec.rollingUpdate``."""

    drain_and_terminate: bool | None = None
    max_unavailable: IntOrString | None = None
    max_surge: IntOrString | None = None


@api_type
class PackagesConfig:
    """``containerd.packages`` and ``containerd.runc.packages`` of a Cluster and an InstanceGroup."""

    hash_amd64: str | None = None
    hash_arm64: str | None = None
    url_amd64: str | None = None
    url_arm64: str | None = None


@api_type
class EnvVar:
    """An environment variable of etcd-manager, the API server or the Amazon VPC network."""

    name: str | None = field(plain=True, always=True)
    value: str | None = field(plain=True)


@api_type
class WarmPoolSpec:
    """``Cluster.spec.cloudProvider.aws.warmPool``, ``InstanceGroup.spec.warmPool``."""

    min_size: int | None = field(plain=True)
    max_size: int | None = None
    enable_lifecycle_hook: bool | None = field(plain=True)
    lifecycle_hook_timeout: Int32 | None = None
    additional_images: list[str] = field(default_factory=list)
