# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Setting and unsetting fields by their paths."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import EnvVar
from ansible_collections.kubeops.kops.plugins.module_utils.api.etcd import EtcdClusterSpec, EtcdMemberSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import (
    AmazonVPCNetworkingSpec,
    CiliumNetworkingSpec,
    ClusterSubnetSpec,
    NetworkingSpec,
)
from ansible_collections.kubeops.kops.plugins.module_utils.api.paths import (
    PathError,
    apply_settings,
    set_path,
    split_setting,
    unset_path,
)


def cluster() -> Cluster:
    return Cluster(
        spec=ClusterSpec(
            channel="stable",
            ssh_access=["10.0.0.0/8"],
            cloud_labels={"team": "a"},
            networking=NetworkingSpec(subnets=[ClusterSubnetSpec(name="a"), ClusterSubnetSpec(name="b")]),
            etcd_clusters=[
                EtcdClusterSpec(name=name, etcd_members=[EtcdMemberSpec(name="a"), EtcdMemberSpec(name="b")])
                for name in ("main", "events")
            ],
            kubelet=KubeletConfigSpec(max_pods=50, feature_gates={"A": "true"}),
        )
    )


def spec_after(path: str, value: str) -> dict[str, object]:
    changed = cluster()
    set_path(changed, path, value)
    return codec.to_plain(changed)["spec"]


@pytest.mark.parametrize(
    ("path", "value", "where", "result"),
    [
        ("spec.channel", "alpha", ("channel",), "alpha"),
        ("cluster.spec.channel", "alpha", ("channel",), "alpha"),
        ("spec/channel", "alpha", ("channel",), "alpha"),
        ("spec.sshKeyName", "", ("sshKeyName",), ""),
        ("spec.kubelet.maxPods", "0", ("kubelet", "maxPods"), 0),
        ("spec.kubelet.anonymousAuth", "f", ("kubelet", "anonymousAuth"), False),
        ("spec.kubeProxy.enabled", "true", ("kubeProxy",), {"enabled": True}),
        ("spec.kubeProxy.cpuRequest", "1000m", ("kubeProxy",), {"cpuRequest": "1"}),
        ("spec.kubelet.nodeStatusUpdateFrequency", "90s", ("kubelet", "nodeStatusUpdateFrequency"), "1m30s"),
        ("spec.rollingUpdate.maxSurge", "30%", ("rollingUpdate",), {"maxSurge": "30%"}),
        ("spec.rollingUpdate.maxSurge", "3", ("rollingUpdate",), {"maxSurge": 3}),
        ("spec.sshAccess", "::/0,1.2.3.4/32", ("sshAccess",), ["10.0.0.0/8", "::/0", "1.2.3.4/32"]),
        ("spec.sshAccess[0]", "::/0", ("sshAccess",), ["::/0"]),
        ("spec.sshAccess[1]", "::/0", ("sshAccess",), ["10.0.0.0/8", "::/0"]),
        ("spec.cloudLabels", "owner=b=c", ("cloudLabels",), {"team": "a", "owner": "b=c"}),
        ("spec.cloudLabels", "", ("cloudLabels",), {"team": "a"}),
        ("spec.externalPolicies", "node=a,b", ("externalPolicies",), {"node": ["a", "b"]}),
        ("spec.kubelet.featureGates", "B=false", ("kubelet", "featureGates"), {"A": "true", "B": "false"}),
        ("spec.networking.cilium", "", ("networking", "cilium"), {}),
        ("spec.networking.subnets[*].zone", "z", ("networking", "subnets"), [{"name": n, "zone": "z"} for n in "ab"]),
        ("spec.networking.subnets[2].name", "c", ("networking", "subnets"), [{"name": n} for n in "abc"]),
        ("spec.masterPublicName", "api.a.b", ("api",), {"publicName": "api.a.b"}),
        ("spec.topology.dns.type", "None", ("networking", "topology"), {"dns": "None"}),
    ],
)
def test_setting(path: str, value: str, where: tuple[str, ...], result: object) -> None:
    found: Any = spec_after(path, value)
    for key in where:
        found = found[key]
    assert found == result


def test_all_items_of_all_items() -> None:
    changed = cluster()
    set_path(changed, "spec.etcdClusters[*].etcdMembers[*].volumeSize", "64")
    assert [member.volume_size for etcd in changed.spec.etcd_clusters for member in etcd.etcd_members] == [64] * 4


def test_a_zero_value_of_a_plain_field_is_unset() -> None:
    changed = cluster()
    set_path(changed, "spec.channel", "")
    assert changed.spec.channel is None


def test_an_environment_variable_is_name_and_value() -> None:
    changed = Cluster(spec=ClusterSpec(networking=NetworkingSpec(amazon_vpc=AmazonVPCNetworkingSpec())))
    set_path(changed, "spec.networking.amazonVPC.env", "A=b=c,D")
    assert changed.spec.networking.amazon_vpc.env == [EnvVar(name="A", value="b=c"), EnvVar(name="D")]


def test_setting_an_empty_struct_replaces_the_one_that_is_there() -> None:
    changed = Cluster(spec=ClusterSpec(networking=NetworkingSpec(cilium=CiliumNetworkingSpec(version="1"))))
    set_path(changed, "spec.networking.cilium", "")
    assert changed.spec.networking.cilium == CiliumNetworkingSpec()


def test_an_instance_group_has_paths_too() -> None:
    group = InstanceGroup()
    set_path(group, "instancegroup.spec.rootVolume.size", "33")
    assert group.spec.root_volume.size == 33


@pytest.mark.parametrize(
    ("path", "value", "problem"),
    [
        ("spec.chanel", "x", "spec.chanel: spec has no field chanel; did you mean channel?"),
        ("metdata.name", "x", "metdata.name: Cluster has no field metdata; did you mean metadata?"),
        ("spec.kubelet.maxpods", "1", "kubelet has no field maxpods; did you mean maxPods?"),
        ("spec.docker.version", "x", "spec has no field docker"),
        ("spec.networkCIDR", "x", "spec has no field networkCIDR; did you mean spec.networking.networkCIDR?"),
        ("spec.kubelet.maxPods", "many", "spec.kubelet.maxPods: expected a whole number, not the text 'many'"),
        (
            "spec.kubelet.maxPods",
            "2147483648",
            "spec.kubelet.maxPods: expected a whole number from -2147483648 to 2147483647",
        ),
        ("spec.kubelet.anonymousAuth", "yes", "spec.kubelet.anonymousAuth: expected true or false, not the text 'yes'"),
        ("spec.kubelet.nodeStatusUpdateFrequency", "1d", "'1d' is not a duration"),
        ("spec.kubeProxy.cpuRequest", "x", "'x' is not a quantity"),
        ("spec.kubelet", "x", "spec.kubelet: has fields of its own; set one of them, such as apiServers"),
        ("spec.kubelet.maxPods.x", "1", "spec.kubelet.maxPods has no fields"),
        ("spec.kubelet[0]", "1", "spec.kubelet is not a list"),
        ("spec.sshAccess.x", "1", "spec.sshAccess is a list; write spec.sshAccess[0] for an item"),
        ("spec.sshAccess[5]", "x", "spec.sshAccess[5]: there is no such item; the list has 1, counted from 0"),
        ("spec.nodePortAccess[*]", "x", "spec.nodePortAccess[*]: the list is empty"),
        (
            "spec.cloudLabels.x",
            "1",
            "spec.cloudLabels is a mapping; set one of its keys with spec.cloudLabels=key=value",
        ),
        ("spec.certManager.featureGates", "A=true", "cannot be set from text; use a manifest"),
        ("spec.kubeDNS.affinity", "x", "has any type, so it cannot be set from text; use a manifest"),
        ("spec.cloud-labels", "x", "'spec.cloud-labels' is not a valid path, from '-labels' on"),
        ("", "x", "the path is empty"),
    ],
)
def test_what_cannot_be_set(path: str, value: str, problem: str) -> None:
    with pytest.raises(PathError) as caught:
        set_path(cluster(), path, value)
    assert problem in str(caught.value)


def test_an_unknown_field_changes_nothing() -> None:
    changed = cluster()
    with pytest.raises(PathError):
        set_path(changed, "spec.kubeProxy.enabeld", "true")
    assert changed == cluster()


def test_unsetting() -> None:
    changed = cluster()
    for path in (
        "spec.channel",
        "cluster.spec.kubelet.maxPods",
        "spec.sshAccess",
        "spec.networking",
        "spec.updatePolicy",
    ):
        unset_path(changed, path)
    unset_path(changed, "spec.etcdClusters[0].etcdMembers[*].name")
    unset_path(changed, "spec.etcdClusters[1]")
    assert (changed.spec.channel, changed.spec.ssh_access, changed.spec.networking) == (None, [], NetworkingSpec())
    assert changed.spec.kubelet == KubeletConfigSpec(feature_gates={"A": "true"})
    assert changed.spec.etcd_clusters == [
        EtcdClusterSpec(name="main", etcd_members=[EtcdMemberSpec(), EtcdMemberSpec()]),
        EtcdClusterSpec(),
    ]


@pytest.mark.parametrize("path", ["spec.kubeProxy.enabled", "spec.nodePortAccess[*]", "spec.hooks[*].name"])
def test_what_is_unset_already(path: str) -> None:
    changed = cluster()
    unset_path(changed, path)
    assert changed == cluster()


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("spec.chanel", "did you mean channel?"),
        ("spec.sshAccess[1]", "the list has 1,"),
    ],
)
def test_what_cannot_be_unset(path: str, problem: str) -> None:
    with pytest.raises(PathError) as caught:
        unset_path(cluster(), path)
    assert problem in str(caught.value)


def test_settings_as_texts_unset_first() -> None:
    changed = cluster()
    apply_settings(changed, sets=["spec.sshAccess=::/0", "spec.cloudLabels=a=b=c"], unsets=["spec.sshAccess"])
    assert changed.spec.ssh_access == ["::/0"]
    assert changed.spec.cloud_labels == {"team": "a", "a": "b=c"}


@pytest.mark.parametrize("setting", ["foo", "", "=x"])
def test_what_is_no_setting(setting: str) -> None:
    with pytest.raises(PathError, match="write path=value"):
        split_setting(setting)


def test_a_list_of_structs_takes_no_text() -> None:
    with pytest.raises(PathError, match=r"spec\.etcdClusters: has fields of its own"):
        set_path(cluster(), "spec.etcdClusters", "x")


def test_the_same_settings_again_change_nothing() -> None:
    changed = cluster()
    settings = {
        "sets": ["spec.sshAccess=10.0.0.0/8,::/0", "spec.cloudLabels=a=b", "spec.networking.subnets[2].name=c"],
        "unsets": ["spec.kubelet.maxPods", "spec.kubeProxy.enabled"],
    }
    apply_settings(changed, **settings)
    assert changed.spec.ssh_access == ["10.0.0.0/8", "::/0"]
    once = codec.copy(changed)
    apply_settings(changed, **settings)
    assert changed == once


def test_all_that_cannot_be_applied_is_named() -> None:
    with pytest.raises(PathError) as caught:
        apply_settings(cluster(), sets=["spec.channel", "spec.chanel=x", "spec.channel=alpha"], unsets=["spec.kubelte"])
    first, second, third = str(caught.value).splitlines()
    assert first == "spec.kubelte: spec has no field kubelte; did you mean kubelet?"
    assert second == "'spec.channel' is not a setting; write path=value, for example spec.channel=stable"
    assert third == "spec.chanel: spec has no field chanel; did you mean channel?"
