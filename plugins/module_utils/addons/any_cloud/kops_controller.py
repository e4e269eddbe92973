# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops-controller, with which kops' nodes join their cluster (kops-controller.addons.k8s.io).

This collection does not install it. The index has its entry, so that it is equal to kops'. The entry is not pruned: in
a cluster that kops made, its pods keep running where nodes of kops ask them (node/bootstrap/predecessor.py).
"""

from __future__ import annotations

from ..conditions import always
from ..definition import AddonDefinition, no_objects

ADDON = AddonDefinition(
    name="kops-controller.addons.k8s.io",
    condition=always,
    build=no_objects,
    id="k8s-1.16",
    needs_rolling_update="control-plane",
)
