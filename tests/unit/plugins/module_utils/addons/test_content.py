# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What addons consist of; byte for byte what kops writes wherever nothing is deliberately different."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon, make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.any_cloud import kubelet_api, limit_range
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.addons.dns import coredns, node_local_dns
from ansible_collections.kubeops.kops.plugins.module_utils.addons.index import index_text
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking import flannel
from ansible_collections.kubeops.kops.plugins.module_utils.addons.selection import addons_of
from ansible_collections.kubeops.kops.plugins.module_utils.api import paths
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster

from tests.support.upstream import without_definitions


def made(definition: AddonDefinition, cluster: Cluster) -> Addon:
    """The addon in a cluster of three nodes."""
    addon = make_addon(definition, AddonContext(cluster, [], 3))
    assert addon is not None
    return addon


def found(addon: Addon, kind: str, name: str = "") -> dict[str, Any]:
    return next(obj for obj in addon.objects if obj["kind"] == kind and name in ("", obj["metadata"]["name"]))


def corefile(addon: Addon) -> str:
    return found(addon, "ConfigMap")["data"]["Corefile"]


@pytest.mark.parametrize(
    ("definition", "digest"),
    [
        # As in the index of kops' case privateflannel, whose specification agrees with ours where these look.
        (coredns.ADDON, "0b180b32473059784ae4bc805d19bc5596a25a86a84041755b792a4766501627"),
        (flannel.ADDON, "877b95315f08b59998ed5edbe5d015dee2f66038c0d6fa8460d256272a6c5d21"),
        (kubelet_api.ADDON, "da91eb5cf9a29f1b03510007d6d54603aef2fc23a305abc9ba496c510dfd3bc7"),
        (limit_range.ADDON, "686cc69e559a1c6f5e8b94e38de54a575a25c432ed5ceec565244b965fb5f07f"),
    ],
)
def test_manifests_are_those_of_kops(cluster: Cluster, definition: AddonDefinition, digest: str) -> None:
    cluster.metadata.labels.clear()
    paths.set_path(cluster, "spec.networking.topology.dns", "Public")
    assert made(definition, cluster).manifest_hash == digest


def test_images_come_from_where_the_specification_says(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.assets.containerRegistry", "registry.example.com/k8s")
    pod = found(made(flannel.ADDON, cluster), "DaemonSet")["spec"]["template"]["spec"]
    images = [container["image"] for container in [*pod["initContainers"], *pod["containers"]]]
    assert images == [
        "registry.example.com/k8s/ghcr.io-flannel-io-flannel-cni-plugin:v1.9.1-flannel3",
        "registry.example.com/k8s/ghcr.io-flannel-io-flannel:v0.28.9",
        "registry.example.com/k8s/ghcr.io-flannel-io-flannel:v0.28.9",
    ]


# -- CoreDNS --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("nodes", "replicas"), [(0, 1), (1, 1), (2, 2), (32, 2), (33, 3), (160, 10)])
def test_replicas_follow_the_rule_of_the_autoscaler(nodes: int, replicas: int) -> None:
    assert coredns.replicas(nodes) == replicas


def test_bare_metal_needs_no_autoscaler(cluster: Cluster) -> None:
    addon = made(coredns.ADDON, cluster)
    assert found(addon, "Deployment")["spec"]["replicas"] == 2
    assert [obj["metadata"]["name"] for obj in addon.objects if "autoscaler" in obj["metadata"]["name"]] == []


def test_the_autoscaler_runs_if_its_image_is_named(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.kubeDNS.cpaImage", "example.com/cpa:1")
    addon = made(coredns.ADDON, cluster)
    assert "replicas" not in found(addon, "Deployment")["spec"], "two would fight about the number"
    pod = found(addon, "Deployment", "coredns-autoscaler")["spec"]["template"]["spec"]
    assert pod["containers"][0]["image"] == "example.com/cpa:1"


def test_without_dns_records_it_knows_the_names_of_the_control_plane_s_hosts(cluster: Cluster) -> None:
    addon = made(coredns.ADDON, cluster)
    assert "    hosts /rootfs/etc/hosts demo.example.com {\n      ttl 30\n      fallthrough\n    }\n" in corefile(addon)
    pod = found(addon, "Deployment")["spec"]["template"]["spec"]
    assert pod["volumes"][1] == {"name": "etc-hosts", "hostPath": {"path": "/etc/hosts", "type": "File"}}
    assert pod["containers"][0]["volumeMounts"][1]["mountPath"] == "/rootfs/etc/hosts"


def test_dns_is_as_the_specification_says(cluster: Cluster) -> None:
    dns = cluster.spec.kube_dns
    dns.core_dns_image, dns.upstream_nameservers = "example.com/coredns:1", ["10.0.0.1", "10.0.0.2"]
    dns.tolerations, dns.affinity = [{"operator": "Exists"}], {"nodeAffinity": {}}
    dns.pod_annotations = {"a": "b"}
    addon = made(coredns.ADDON, cluster)
    template = found(addon, "Deployment")["spec"]["template"]
    pod = template["spec"]
    assert pod["containers"][0]["image"] == "example.com/coredns:1"
    assert "    forward . 10.0.0.1 10.0.0.2 {\n" in corefile(addon)
    assert (pod["tolerations"], pod["affinity"]) == ([{"operator": "Exists"}], {"nodeAffinity": {}})
    assert template["metadata"]["annotations"] == {"a": "b"}
    dns.external_core_file = ".:53 {\n    whoami\n}\n\n"
    assert corefile(made(coredns.ADDON, cluster)) == ".:53 {\n    whoami\n}\n"


# -- the cache on each node -----------------------------------------------------------------------------------------


def test_the_cache_asks_the_cluster_for_its_names_and_others_for_the_rest(cluster: Cluster) -> None:
    cluster.spec.kube_dns.node_local_dns.local_ip = "169.254.20.10"
    text = corefile(made(node_local_dns.ADDON, cluster))
    zones = [line.split()[0] for line in text.splitlines() if line.endswith("{") and not line.startswith(" ")]
    assert zones == ["cluster.local:53", "in-addr.arpa:53", "ip6.arpa:53", ".:53"]
    assert text.count("forward . __PILLAR__CLUSTER__DNS__ {\n      force_tcp\n    }\n") == 3
    assert "    health 169.254.20.10:3989\n" in text
    assert text.endswith("    forward . __PILLAR__UPSTREAM__SERVERS__\n    prometheus :9253\n}\n")


def test_the_cache_is_as_the_specification_says(cluster: Cluster) -> None:
    cache = cluster.spec.kube_dns.node_local_dns
    cache.local_ip, cache.forward_to_kube_dns, cache.additional_config = "fd00:90de:d95::1", True, "more {\n}\n"
    paths.set_path(cluster, "spec.kubeProxy.proxyMode", "ipvs")
    text = corefile(made(node_local_dns.ADDON, cluster))
    assert text.count("forward . 100.64.0.10 {") == 2
    assert "    health [fd00:90de:d95::1]:3989\n" in text
    assert text.endswith("}\nmore {\n}\n")
    cache.external_core_file = "own"
    assert corefile(made(node_local_dns.ADDON, cluster)) == "own"


# -- flannel --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("backend", "kind"), [("vxlan", "vxlan"), ("udp", "udp"), ("", "udp")])
def test_flannel_s_network(cluster: Cluster, backend: str, kind: str) -> None:
    cluster.spec.networking.flannel.backend = backend
    data = found(made(flannel.ADDON, cluster), "ConfigMap")["data"]
    network = {"Network": "100.64.0.0/10", "EnableNFTables": False, "Backend": {"Type": kind}}
    assert json.loads(data["net-conf.json"]) == network


def test_selinux_where_containerd_has_it(cluster: Cluster) -> None:
    paths.set_path(cluster, "spec.containerd.selinuxEnabled", "true")
    for addon in (made(flannel.ADDON, cluster), made(coredns.ADDON, cluster), made(node_local_dns.ADDON, cluster)):
        kind = "Deployment" if addon.name == coredns.NAME else "DaemonSet"
        container = found(addon, kind)["spec"]["template"]["spec"]["containers"][0]
        assert container["securityContext"]["seLinuxOptions"] == {"type": "spc_t", "level": "s0"}


# -- the index ------------------------------------------------------------------------------------------------------


def test_the_index_names_addons_and_their_manifests(cluster: Cluster) -> None:
    addons = addons_of(AddonContext(cluster, []), without_definitions).addons
    index = yaml.safe_load(index_text(addons))
    entries = index["spec"]["addons"]
    assert (index["kind"], [entry["name"] for entry in entries]) == ("Addons", [addon.name for addon in addons])
    assert [entry["manifestHash"] for entry in entries] == [addon.manifest_hash for addon in addons]


def test_the_index_says_what_is_deleted_with_an_addon(cluster: Cluster) -> None:
    entries = yaml.safe_load(index_text(addons_of(AddonContext(cluster, []), without_definitions).addons))["spec"][
        "addons"
    ]
    kinds = next(entry for entry in entries if entry["name"] == "networking.flannel")["prune"]["kinds"]
    selector = "addon.kops.k8s.io/name=networking.flannel,app.kubernetes.io/managed-by=kops"
    assert kinds[0] == {"kind": "ConfigMap", "labelSelector": selector, "namespaces": ["kube-flannel"]}
    assert kinds[-1] == {"group": "rbac.authorization.k8s.io", "kind": "RoleBinding", "labelSelector": selector}
    assert len(kinds) == 13
    assert [entry["name"] for entry in entries if "prune" in entry] == [
        "dns-controller.addons.k8s.io",
        "networking.flannel",
    ]


@pytest.mark.parametrize("needs", [True, False])
def test_the_index_says_which_addons_need_an_authority(cluster: Cluster, needs: bool) -> None:
    definition = replace(coredns.ADDON, needs_pki=lambda context: needs)
    [entry] = yaml.safe_load(index_text([made(definition, cluster)]))["spec"]["addons"]
    assert entry.get("needsPKI") == (True if needs else None)
