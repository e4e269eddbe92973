# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Networks of pods that clusters of the lab can have besides flannel, as fields of a specification."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.tests.lab import binaries, capabilities


def cilium(**fields: Any) -> dict[str, Any]:
    """Cilium as it is built here: without Envoy. fields: others of networking.cilium."""
    given = {"version": f"v{binaries.VERSIONS['cilium']}", "enableL7Proxy": False, **fields}
    return {"networking": {"flannel": None, "cilium": given}, "containerd": capabilities.containerd()}
