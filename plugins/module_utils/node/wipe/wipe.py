# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Removes what pods, the kubelet, the container runtime and networks created at run time on a node.

What the converger installed is removed by removed.py. Before its first change, the converger records what already
exists and looks alike (from another container runtime, for example); that is never removed. Planning writes nothing.
Each part searches again when it is applied, so a killed run can be repeated.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..context import Context, Phase
from ..record import Record
from ..system.machine import Machine
from . import (
    data as wipe_data,
)
from . import (
    firewall as wipe_firewall,
)
from . import (
    mounts as wipe_mounts,
)
from . import (
    network as wipe_network,
)
from . import (
    pods as wipe_pods,
)
from .scope import Scope

_KUBELET, _CONTAINERD = "kubelet.service", "containerd.service"


def found_before(machine: Machine, cluster: str) -> dict[str, list[str]]:
    """By kind, what exists that a wipe would remove. Before the first run: what existed before us."""
    everything = Scope(machine, cluster)
    found = {
        "data": wipe_data.find(everything),
        "modes": wipe_data.find_modes(everything),
        "mounts": wipe_mounts.find(everything),
        "interfaces": wipe_network.find_interfaces(everything),
        "routes": wipe_network.find_routes(everything),
        "firewall": wipe_firewall.find(everything),
    }
    return {kind: sorted({*names}) for kind, names in found.items() if names}


def plan(context: Context) -> list[Phase]:
    """Plan the wipe, in the order of removal. Must be called after the units were planned."""
    if not context.before.cluster:
        return []
    scope = Scope(
        context.machine,
        context.before.cluster,
        kubelet=_KUBELET in context.before.units,
        containerd=_containerd_is_ours(context.before),
        found={kind: frozenset(names) for kind, names in context.before.found.items()},
        directories=context.before.directories,
    )
    context.wiped.update(wipe_data.removed_paths(scope))
    parts = (wipe_pods.plan, wipe_mounts.plan, wipe_network.plan, wipe_firewall.plan, wipe_data.plan)
    return [part(scope) for part in parts]


def _containerd_is_ours(before: Record) -> bool:
    """Whether we installed containerd. If it existed before, its data may belong to others."""
    programs: Iterable[str] = before.downloads.get("containerd", {}).get("files", ())
    return _CONTAINERD in before.units and not any(before.files.get(path) for path in programs)
