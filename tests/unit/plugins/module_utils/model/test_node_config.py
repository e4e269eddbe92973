# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""NodeConfig: changes when, and only when, what a node gets does."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.config import config_hash, node_config, render


def config_of(context, group="nodes"):
    return node_config(context.cluster, context.group(group))


def hash_of(context, group="nodes"):
    return config_hash(render(config_of(context, group)))


@pytest.mark.parametrize(
    ("cluster", "group"),
    [
        ({"kubernetesVersion": "1.34.1"}, {}),
        ({"sysctlParameters": ["a=1"]}, {}),
        ({"kubeProxy": {"proxyMode": "nftables"}}, {}),
        ({"networking.cni": {"usesSecondaryIP": True}}, {}),
        ({}, {"taints": ["a=b:NoSchedule"]}),
        ({}, {"nodeLabels": {"a": "b"}}),
        ({}, {"kubelet": {"maxPods": 20}}),
        ({}, {"containerd": {"version": "2.1.0"}}),
        ({}, {"packages": ["nfs-common"]}),
        ({}, {"fileAssets": [{"name": "x", "path": "/x", "content": "y"}]}),
    ],
)
def test_hash_changes_with_what_a_node_gets(context_of, cluster, group):
    assert hash_of(context_of(cluster, {"nodes": group})) != hash_of(context_of())


@pytest.mark.parametrize(
    ("cluster", "group"),
    [
        ({"sshAccess": ["192.0.2.0/24"]}, {}),
        ({"networking.tagSubnets": False}, {}),
        ({"kubeAPIServer.logLevel": 5}, {}),
        ({}, {"maxSize": 50}),
        ({}, {"machineType": "i3.big"}),
        ({}, {"rootVolume": {"size": 500}}),
    ],
)
def test_hash_stays_when_only_the_cloud_changes(context_of, cluster, group):
    assert hash_of(context_of(cluster, {"nodes": group})) == hash_of(context_of())


def test_control_plane_gets_its_components_and_nodes_do_not(context_of):
    context = context_of({"kubeScheduler": {"logLevel": 3}})
    assert config_of(context, "control-plane")["controlPlane"]["kubeScheduler"] == {"logLevel": 3}
    assert not {"apiServer", "controlPlane"} & config_of(context).keys()


def test_hooks_and_files_are_those_for_the_role_the_groups_first(context_of):
    def hook(name, *roles):
        return {"name": name, "roles": list(roles)}

    context = context_of(
        {"hooks": [hook("all"), hook("control", "ControlPlane")]}, {"nodes": {"hooks": [hook("own", "Node")]}}
    )
    assert [entry["name"] for entry in config_of(context)["hooks"]] == ["own", "all"]


def test_group_containerd_goes_before_the_clusters(context_of):
    context = context_of(
        {"containerd": {"version": "2.1.0", "logLevel": "info"}}, {"nodes": {"containerd": {"version": "2.2.0"}}}
    )
    assert config_of(context)["containerd"] == {"version": "2.2.0", "logLevel": "info"}
