# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By which names clients find etcd clusters."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking.cilium.addon import ADDON
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import _draft

CLUSTERS = [
    {"name": name, "version": "3.5.21", "etcdMembers": [{"name": "a", "instanceGroup": "control-plane"}]}
    for name in ("main", "events", "cilium")
]
CILIUM = {"networking.cni": None, "networking.cilium": {"etcdManaged": True}, "etcdClusters": CLUSTERS}


@pytest.mark.parametrize("on_metal", [True, False])
def test_etcd_of_cilium_is_known_by_the_name_that_its_agents_ask_for(node_of, on_metal: bool) -> None:
    context = node_of("control-plane", fields=CILIUM, on_metal=on_metal)
    names = {each.name: each.alternate_names for each in _draft(context).issued}
    addon = make_addon(ADDON, AddonContext(context.cluster, []))
    assert addon is not None
    [data] = [obj["data"] for obj in addon.objects if obj["kind"] == "ConfigMap"]
    [asked] = [name for name in names["etcd-cilium-server"] if f"https://{name}:4003" in data["etcd-config"]]
    assert asked == context.api_internal_name
    assert asked not in names["etcd-main-server"]
