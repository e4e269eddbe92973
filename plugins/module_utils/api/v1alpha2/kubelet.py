# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: kubelet as v1alpha2 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import kubelet as hub_kubelet
from ..fields import api_type, field
from ..scalars import Duration


@api_type
class KubeletConfigSpec(hub_kubelet.KubeletConfigSpec):
    """``Cluster.spec.kubelet``, ``Cluster.spec.masterKubelet``, ``InstanceGroup.spec.kubelet``."""

    client_ca_file: str | None = field(plain=True)
    docker_disable_shared_pid: bool | None = field(key="dockerDisableSharedPID")
    authentication_token_webhook_cache_ttl: Duration | None = None
