# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which cluster has which addons, and what is told of the others."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.catalogue import ADDONS
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import Addons, addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec, paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.additional import AdditionalObject
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup

from tests.support.addons import asked_of
from tests.support.upstream import without_definitions

ESSENTIALS = [
    "kops-controller.addons.k8s.io",
    "coredns.addons.k8s.io",
    "kubelet-api.rbac.addons.k8s.io",
    "limit-range.addons.k8s.io",
    "dns-controller.addons.k8s.io",
]


def names(found: Addons) -> list[str]:
    return [addon.name for addon in found.addons]


def chosen(cluster: Cluster, groups: Sequence[InstanceGroup] = (), **more: Any) -> Addons:
    return addons_of(AddonContext(cluster, groups, **more), without_definitions)


def on_aws(cluster: Cluster) -> None:
    cluster.metadata.labels.clear()
    paths.set_path(cluster, "spec.cloudProvider.aws.binariesLocation", "https://example.com")


def group(**spec: Any) -> InstanceGroup:
    return codec.from_plain(InstanceGroup, {"metadata": {"name": "nodes"}, "spec": {"role": "Node", **spec}})


def test_a_cluster_on_bare_metal_has_all_that_it_needs(cluster: Cluster) -> None:
    found = chosen(cluster)
    assert names(found) == [*ESSENTIALS, "networking.flannel"]
    assert {"gvisor.addons.k8s.io", "nodelocaldns.addons.k8s.io"} <= set(found.retired)
    assert not set(found.retired) & set(names(found))


@pytest.mark.parametrize("network", ["kubenet", "cni", "external"])
def test_networks_that_need_no_addon(cluster: Cluster, network: str) -> None:
    networking = codec.to_plain(cluster)
    networking["spec"]["networking"][network] = networking["spec"]["networking"].pop("flannel") and {}
    found = chosen(codec.from_plain(Cluster, networking))
    assert names(found) == ESSENTIALS
    assert "networking.flannel" in found.retired, "what another network left is taken away"


@pytest.mark.parametrize(
    ("path", "value", "name"),
    [
        ("spec.networking.cilium.version", "v1.18.0", "networking.cilium.io"),
        ("spec.networking.calico.version", "v3", "networking.projectcalico.org"),
        ("spec.metricsServer.enabled", "true", "metrics-server.addons.k8s.io"),
        ("spec.certManager.enabled", "true", "certmanager.io"),
        ("spec.clusterAutoscaler.enabled", "true", "cluster-autoscaler.addons.k8s.io"),
        ("spec.nodeProblemDetector.enabled", "true", "node-problem-detector.addons.k8s.io"),
        ("spec.snapshotController.enabled", "true", "snapshot-controller.addons.k8s.io"),
        ("spec.containerd.nvidiaGPU.enabled", "true", "nvidia.addons.k8s.io"),
        ("spec.kubeDNS.provider", "KubeDNS", "kube-dns.addons.k8s.io"),
    ],
)
def test_a_setting_brings_an_addon(cluster: Cluster, path: str, value: str, name: str) -> None:
    """What is wanted is not taken away."""
    before = chosen(cluster)
    assert name not in names(before)
    assert name in before.retired
    paths.set_path(cluster, path, value)
    found = chosen(cluster)
    assert name in names(found)
    assert name not in found.retired


def test_clouds_have_more(cluster: Cluster) -> None:
    controller, driver = "aws-cloud-controller.addons.k8s.io", "aws-ebs-csi-driver.addons.k8s.io"

    def wanted() -> set[str]:
        return set(names(chosen(cluster)))

    assert not wanted() & {controller, driver}
    on_aws(cluster)
    assert wanted() >= {controller, driver}
    paths.set_path(cluster, "spec.cloudProvider.aws.ebsCSIDriver.managed", "false")
    assert wanted() & {controller, driver} == {controller}


def test_an_addon_is_declared_once(cluster: Cluster) -> None:
    """Two have two forms each, of which no cluster has both."""
    declared = [definition.name for definition in ADDONS]
    twice = {"aws-load-balancer-controller.addons.k8s.io", "dns-controller.addons.k8s.io"}
    assert {name for name in declared if declared.count(name) > 1} == twice


@pytest.mark.parametrize("provider", ["", "dns-controller", "external-dns", "none"])
@pytest.mark.parametrize("dns", ["None", "Private"])
def test_a_cluster_has_one_form_of_dns_controller(cluster: Cluster, dns: str, provider: str) -> None:
    on_aws(cluster)
    paths.set_path(cluster, "spec.networking.topology.dns", dns)
    if provider:
        paths.set_path(cluster, "spec.externalDNS.provider", provider)
    found = chosen(cluster)
    publishes = dns == "Private" and provider in ("", "dns-controller")
    (controller,) = [addon for addon in found.addons if addon.name == "dns-controller.addons.k8s.io"]
    assert controller.pruned != publishes, "what runs of it stays where kops would run it"


def test_external_dns_takes_the_place_of_dns_controller(cluster: Cluster) -> None:
    on_aws(cluster)
    paths.set_path(cluster, "spec.networking.topology.dns", "Private")
    paths.set_path(cluster, "spec.externalDNS.provider", "external-dns")
    found = chosen(cluster)
    assert "external-dns.addons.k8s.io" in names(found)
    assert next(addon for addon in found.addons if addon.name == "dns-controller.addons.k8s.io").objects == []


def test_a_cache_of_dns_on_each_node(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.kubeDNS.nodeLocalDNS.enabled", "true")
    found = chosen(cluster)
    assert names(found)[5] == "nodelocaldns.addons.k8s.io"
    assert found.addons[5].needs_rolling_update == "all"


def test_gvisor_where_workers_have_it(cluster: Cluster) -> None:
    gvisor = {"containerd": {"gvisor": {"enabled": True}}}
    found = chosen(cluster, [group(**gvisor)])
    assert "gvisor.addons.k8s.io" in names(found)
    assert "gvisor.addons.k8s.io" not in names(chosen(cluster, [group(**{**gvisor, "role": "ControlPlane"})]))


def test_operators_install_dns_where_the_feature_is_on(cluster: Cluster) -> None:
    found = chosen(cluster, [], features=frozenset({"UseAddonOperators"}))
    assert "coredns.addons.k8s.io" not in names(found)


def test_the_user_s_own_objects_come_last_and_as_they_are(cluster: Cluster) -> None:
    own = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "own"}}
    scheduler = {"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration"}
    found = chosen(cluster, [], additional=[AdditionalObject(own), AdditionalObject(scheduler)])
    assert names(found)[-1] == "cluster-addons.kops.k8s.io"
    assert found.addons[-1].objects == [own]
    assert chosen(cluster, [], additional=[AdditionalObject(scheduler)]) == chosen(cluster)


def test_an_addon_that_the_user_provides_is_not_made_here(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.networking.cilium.version", "v1.18.0")
    labels = {"addon.kops.k8s.io/name": "networking.cilium.io"}
    own = {"apiVersion": "apps/v1", "kind": "DaemonSet", "metadata": {"name": "cilium", "labels": labels}}
    assert "networking.cilium.io" in names(chosen(cluster))
    assert "networking.cilium.io" not in names(chosen(cluster, [], additional=[AdditionalObject(own)]))


def test_the_number_of_nodes_is_that_of_the_groups_unless_it_is_known(cluster: Cluster) -> None:
    def replicas(found: Addons) -> int:
        (dns,) = [addon for addon in found.addons if addon.name == "coredns.addons.k8s.io"]
        return dns.objects[4]["spec"]["replicas"]

    groups = [group(minSize=1), group(minSize=20), group(minSize=50, role="Bastion")]
    assert replicas(chosen(cluster, groups)) == 2
    assert replicas(chosen(cluster, groups, nodes=40)) == 3
    assert replicas(chosen(cluster, groups, nodes=1)) == 1


# -- clouds ------------------------------------------------------------------------------------------------------------

OTHER_CLOUDS = {
    "azure": ["storage-azure", "azure-cloud-config", "azure-cloud-controller", "azuredisk-csi-driver"],
    "do": ["digitalocean-cloud-controller", "digitalocean-csi-driver"],
    "gce": ["storage-gce", "gcp-cloud-controller"],
    "hetzner": ["hcloud-config", "hcloud-cloud-controller", "hcloud-csi-driver"],
    "openstack": ["storage-openstack", "openstack"],
    "scaleway": ["scaleway-cloud-controller", "scaleway-csi-driver"],
}


@pytest.mark.parametrize(("cloud", "expected"), OTHER_CLOUDS.items())
def test_a_cloud_has_its_addons(cloud: str, expected: list[str]) -> None:
    spec = {"cloudProvider": {cloud: {}}, "kubeDNS": {}, "cloudConfig": {"manageStorageClasses": True}}
    found = addons_of(asked_of(spec), without_definitions)
    assert names(found) == [*ESSENTIALS, *(f"{name}.addons.k8s.io" for name in expected)]


def test_credentials_of_the_environment_are_in_secrets_only() -> None:
    variables = (
        "DIGITALOCEAN_ACCESS_TOKEN",
        "HCLOUD_TOKEN",
        "OS_PASSWORD",
        "OS_APPLICATION_CREDENTIAL_SECRET",
        "SCW_ACCESS_KEY",
        "SCW_SECRET_KEY",
    )
    seen = set()
    for cloud in OTHER_CLOUDS:
        context = asked_of({"cloudProvider": {cloud: {}}, "kubeDNS": {}}, **dict.fromkeys(variables, "s3cret"))
        for addon in addons_of(context, without_definitions).addons:
            holding = {obj["kind"] for obj in addon.objects if "s3cret" in str(obj)}
            assert holding <= {"Secret"}, addon.name
            seen |= {cloud} if holding else set()
    assert seen == {"do", "hetzner", "openstack", "scaleway"}


def test_the_users_own_cloud_controller_manager_gets_the_arguments_of_kops() -> None:
    metadata = {
        "name": "cloud-controller-manager",
        "namespace": "kube-system",
        "labels": {"addon.kops.k8s.io/name": "gcp-cloud-controller.addons.k8s.io"},
    }
    pod = {"containers": [{"name": "ccm", "image": "mine", "args": ["--old"]}, {"name": "beside", "image": "b"}]}
    daemon_set = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": metadata,
        "spec": {"template": {"spec": pod}},
    }
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": metadata}
    spec = {"cloudProvider": {"gce": {}}, "kubeDNS": {}, "cloudControllerManager": {"clusterName": "demo"}}
    additional = [AdditionalObject(daemon_set), AdditionalObject(account)]
    found = addons_of(dataclasses.replace(asked_of(spec), additional=additional), without_definitions)
    assert "gcp-cloud-controller.addons.k8s.io" not in names(found)
    changed, unchanged = found.own[0].objects
    expected = [
        "--cluster-name=demo",
        "--v=2",
        "--cloud-provider=gce",
        "--use-service-account-credentials=true",
        "--cloud-config=/etc/kubernetes/cloud.config",
    ]
    assert [each["args"] for each in changed["spec"]["template"]["spec"]["containers"]] == [expected] * 2
    assert unchanged == account
    assert pod["containers"][0]["args"] == ["--old"]
