# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whether etcd can do without a member: no control plane is taken away while another one is missing."""

from __future__ import annotations

from collections.abc import Mapping


def lacking(sizes: Mapping[str, int], members: Mapping[str, Mapping[str, bool]], node: str) -> list[str]:
    """Why a control plane cannot be taken away; empty if it can.

    sizes: etcd cluster -> how many members it should have. members: etcd cluster -> node -> whether its member is
    healthy. A cluster with a single member passes, because it can never spare the one that it has.
    """
    found = []
    for name, size in sizes.items():
        others = {each: healthy for each, healthy in members.get(name, {}).items() if each != node}
        healthy = sum(others.values())
        if healthy >= size - 1:
            continue
        broken = sorted(each for each, well in others.items() if not well)
        found.append(
            f"etcd cluster {name} has no member to spare: of its {size - 1} other members {healthy or 'none'}"
            f" {'is' if healthy < 2 else 'are'} healthy" + (f"; not healthy: {', '.join(broken)}" if broken else "")
        )
    return found
