# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether the cluster's DNS has a node to run on: a cluster of control planes only has none, and is never healthy.

As in kops, control planes have a taint that CoreDNS does not tolerate by itself.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ...addons.addon import Addon
from ...addons.dns import coredns
from ...api.taints import parse_taint
from .hosts import Assigned

_KEEPS_OUT = ("NoSchedule", "NoExecute")


def without_a_node(addons: Iterable[Addon], assigned: Assigned) -> list[str]:
    """A sentence about the cluster's DNS if none of the hosts takes its pods; nothing if there is no DNS."""
    tolerations = _tolerations(addons)
    if tolerations is None:
        return []
    keep_out: set[str] = set()
    for group, hosts in assigned.values():
        if not hosts or group.spec.role == "Bastion":
            continue
        taints = group.spec.kubelet.taints if group.spec.kubelet else []
        refused = [taint for taint in taints if not _is_tolerated(parse_taint(taint), tolerations)]
        if not refused:
            return []
        keep_out.update(refused)
    if not keep_out:
        return []
    return [
        "CoreDNS runs on no host, and without it no cluster is healthy: put hosts into an instance group of role Node,"
        f" or set spec.kubeDNS.tolerations for the taints of the others ({', '.join(sorted(keep_out))})"
    ]


def _tolerations(addons: Iterable[Addon]) -> Sequence[Mapping[str, Any]] | None:
    for addon in addons:
        for obj in addon.objects:
            if (addon.name, obj["kind"], obj["metadata"]["name"]) == (coredns.NAME, "Deployment", "coredns"):
                found: Sequence[Mapping[str, Any]] = obj["spec"]["template"]["spec"]["tolerations"]
                return found
    return None


def _is_tolerated(taint: Mapping[str, str], tolerations: Sequence[Mapping[str, Any]]) -> bool:
    return taint["effect"] not in _KEEPS_OUT or any(_fits(toleration, taint) for toleration in tolerations)


def _fits(toleration: Mapping[str, Any], taint: Mapping[str, str]) -> bool:
    if toleration.get("effect") not in (None, "", taint["effect"]):
        return False
    if toleration.get("operator") == "Exists":
        return toleration.get("key") in (None, "", taint["key"])
    return (toleration.get("key"), toleration.get("value") or "") == (taint["key"], taint.get("value") or "")
