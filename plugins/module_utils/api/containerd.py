# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: containerd (hub version, from which and to which every served version converts)."""

from __future__ import annotations

from .common import PackagesConfig
from .fields import api_type, field
from .scalars import Duration, FileText, IntOrString


@api_type
class DCGMExporterConfig:
    """``Cluster.spec.containerd.nvidiaGPU.dcgmExporter``, ``InstanceGroup.spec.containerd.nvidiaGPU.dcgmExporter``."""

    enabled: bool | None = field(plain=True)


@api_type
class NvidiaGPUConfig:
    """``Cluster.spec.containerd.nvidiaGPU``, ``InstanceGroup.spec.containerd.nvidiaGPU``."""

    package: str | None = field(plain=True)
    enabled: bool | None = None
    image: str | None = field(plain=True)
    dcgm_exporter: DCGMExporterConfig | None = None


@api_type
class GVisorConfig:
    """``Cluster.spec.containerd.gvisor``, ``InstanceGroup.spec.containerd.gvisor``."""

    enabled: bool | None = None
    platform: str | None = field(plain=True)


@api_type
class Runc:
    """``Cluster.spec.containerd.runc``, ``InstanceGroup.spec.containerd.runc``."""

    version: str | None = None
    packages: PackagesConfig | None = None


@api_type
class NRIConfig:
    """``Cluster.spec.containerd.nri``, ``InstanceGroup.spec.containerd.nri``."""

    enabled: bool | None = None
    plugin_registration_timeout: Duration | None = None
    plugin_request_timeout: Duration | None = None


@api_type
class ContainerdConfig:
    """``Cluster.spec.containerd``, ``InstanceGroup.spec.containerd``."""

    address: str | None = None
    config_additions: dict[str, IntOrString] = field(default_factory=dict)
    config_override: FileText | None = None
    log_level: str | None = None
    packages: PackagesConfig | None = None
    registry_mirrors: dict[str, list[str]] = field(default_factory=dict)
    root: str | None = None
    skip_install: bool | None = field(plain=True)
    state: str | None = None
    version: str | None = None
    nvidia_gpu: NvidiaGPUConfig | None = field(key="nvidiaGPU")
    gvisor: GVisorConfig | None = None
    runc: Runc | None = None
    selinux_enabled: bool | None = field(plain=True)
    nri: NRIConfig | None = None
    use_ecr_credentials_for_mirrors: bool | None = field(key="useECRCredentialsForMirrors", plain=True)
    install_cri_ctl: bool | None = field(plain=True)
    install_nerd_ctl: bool | None = field(plain=True)
    sandbox_image: str | None = None
