# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The runtime class by which pods ask for gVisor (gvisor.addons.k8s.io of kops)."""

from __future__ import annotations

from ..api.cluster import Cluster
from .addon import Addon, new_addon
from .objects import thing

NAME = "gvisor.addons.k8s.io"


def build(cluster: Cluster, nodes: int) -> Addon:
    """The addon."""
    scheduling = {"nodeSelector": {"kops.k8s.io/gvisor": "1"}}
    runtime = thing("node.k8s.io/v1", "RuntimeClass", "gvisor", handler="runsc", scheduling=scheduling)
    return new_addon(NAME, [runtime], cluster.spec.assets, id="k8s-1.20")
