# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rules of the networks that no golden case covers; the expected values are those of kops' templates."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking import (
    amazon_vpc,
    kindnet,
    kopeio,
    kube_router,
)
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking.calico import addon as calico
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster

DEFINITIONS = {
    "calico": calico.ADDON,
    "kindnet": kindnet.ADDON,
    "amazonVPC": amazon_vpc.ADDON,
    "kubeRouter": kube_router.ADDON,
    "kopeio": kopeio.ADDON,
}
IPV6 = {"nonMasqueradeCIDR": "::/0"}


def context(network: str, settings: dict[str, Any], cloud: str = "aws", **networking: Any) -> AddonContext:
    spec = {
        "cloudProvider": {cloud: {}},
        "kubeControllerManager": {"clusterCIDR": "100.96.0.0/11"},
        "networking": {network: settings, **networking},
    }
    return AddonContext(codec.from_plain(Cluster, {"metadata": {"name": "demo.example.com"}, "spec": spec}), ())


def objects(asked: AddonContext, definition: AddonDefinition) -> dict[tuple[str, str], dict[str, Any]]:
    assert definition.build is not None
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in definition.build(asked)}


def container(network: str, settings: dict[str, Any], cloud: str = "aws", **networking: Any) -> dict[str, Any]:
    """The main container of a network's agent."""
    made = objects(context(network, settings, cloud, **networking), DEFINITIONS[network])
    (agent,) = (obj for (kind, _name), obj in made.items() if kind == "DaemonSet")
    found: dict[str, Any] = agent["spec"]["template"]["spec"]["containers"][0]
    return found


def environment(*arguments: Any, **networking: Any) -> dict[str, str]:
    return {each["name"]: each.get("value") for each in container(*arguments, **networking)["env"]}


@pytest.mark.parametrize(
    ("cloud", "settings", "expected"),
    [
        ("aws", {"encapsulationMode": "ipip"}, ("CrossSubnet", "Never", "Never")),
        ("openstack", {"encapsulationMode": "ipip"}, ("Always", "Never", "Never")),
        ("openstack", {"encapsulationMode": "ipip", "ipipMode": "Never"}, ("Never", "Never", "Never")),
        ("aws", {"encapsulationMode": "vxlan", "ipipMode": "Always"}, ("Never", "CrossSubnet", "Never")),
        ("azure", {"encapsulationMode": "vxlan", "vxlanMode": "Always"}, ("Never", "Always", "Always")),
        ("aws", {"encapsulationMode": "none"}, ("Never", "Never", "Never")),
    ],
)
def test_encapsulation_of_calico(cloud: str, settings: dict[str, Any], expected: tuple[str, ...]) -> None:
    found = environment("calico", settings, cloud)
    names = ("CALICO_IPV4POOL_IPIP", "CALICO_IPV4POOL_VXLAN", "CALICO_IPV6POOL_VXLAN")
    assert tuple(found[name] for name in names) == expected


def test_calico_asks_bgp_whether_it_lives_only_where_it_is_used() -> None:
    for mode, more in (("ipip", ["-bird-live"]), ("vxlan", []), ("none", [])):
        probe = container("calico", {"encapsulationMode": mode})["livenessProbe"]
        assert probe["exec"]["command"] == ["/bin/calico-node", "-felix-live", *more]


@pytest.mark.parametrize(
    ("cloud", "settings", "more", "expected"),
    [
        ("aws", {}, {}, "Disable"),
        ("aws", {"awsSrcDstCheck": "Enable"}, {}, "Enable"),
        ("aws", {}, IPV6, "DoNothing"),
        ("gce", {"awsSrcDstCheck": "Enable"}, {}, "DoNothing"),
    ],
)
def test_calico_switches_source_checks_in_aws_only(
    cloud: str, settings: dict[str, Any], more: dict[str, Any], expected: str
) -> None:
    assert environment("calico", settings, cloud, **more)["FELIX_AWSSRCDSTCHECK"] == expected


def test_calico_with_ebpf_reaches_the_api_server_without_a_service() -> None:
    endpoint = ("ConfigMap", "kubernetes-services-endpoint")
    assert endpoint not in objects(context("calico", {}), calico.ADDON)
    made = objects(context("calico", {"bpfEnabled": True}), calico.ADDON)
    address = {"KUBERNETES_SERVICE_HOST": "api.internal.demo.example.com", "KUBERNETES_SERVICE_PORT": "443"}
    assert made[endpoint]["data"] == address
    assert next(iter(made)) == endpoint


def test_settings_of_calico_that_are_only_there_if_they_are_asked_for() -> None:
    plain, nftables = environment("calico", {}), environment("calico", {"nftablesMode": "Enabled"})
    assert nftables.keys() - plain.keys() == {"FELIX_NFTABLESMODE"}
    proxy = {"httpProxy": {"host": "proxy.example.com", "port": 3128}, "excludes": "10.0.0.0/8"}
    found = environment("calico", {}, egressProxy=proxy)
    assert list(found.items())[-4:] == [
        ("NO_PROXY", "10.0.0.0/8"),
        ("http_proxy", "http://proxy.example.com:3128"),
        ("https_proxy", "http://proxy.example.com:3128"),
        ("no_proxy", "10.0.0.0/8"),
    ]
    metrics = {"prometheusMetricsEnabled": True, "prometheusMetricsPort": 9000}
    assert "ports" not in container("calico", {"prometheusMetricsPort": 9000})
    assert container("calico", metrics)["ports"] == [{"containerPort": 9000, "name": "metrics", "protocol": "TCP"}]


def test_calico_lets_containers_forward() -> None:
    config = ("ConfigMap", "calico-config")
    text = objects(context("calico", {"allowIPForwarding": True}), calico.ADDON)[config]["data"]["cni_network_config"]
    assert '      "container_settings": {\n          "allow_ip_forwarding": true\n      },\n      "policy": {' in text


def test_metrics_of_typha() -> None:
    typha = {"typhaReplicas": 2, "typhaPrometheusMetricsEnabled": True}
    made = objects(context("calico", typha), calico.ADDON)[("Deployment", "calico-typha")]
    assert made["spec"]["replicas"] == 2
    ports = made["spec"]["template"]["spec"]["containers"][0]["ports"]
    assert [port["containerPort"] for port in ports] == [5473, 9093]


def test_the_kinds_of_calico_are_those_of_its_version() -> None:
    own = calico.ADDON.upstream(context("calico", {"version": "v3.30.1"}))
    assert own == ["https://raw.githubusercontent.com/projectcalico/calico/v3.30.1/manifests/crds.yaml"]
    image = container("calico", {"version": "v3.30.1", "registry": "quay.io"})["image"]
    assert image == "quay.io/calico/node:v3.30.1"


def test_policies_of_kindnet_beside_network_policies() -> None:
    """As in kops, saying false is asking for them, and both have one option."""
    asked = {"networkPolicies": False, "adminNetworkPolicies": True, "baselineAdminNetworkPolicies": False}
    command = container("kindnet", asked)["command"]
    options = ["--network-policy=false", "--admin-network-policy=true", "--admin-network-policy=false"]
    assert [each for each in command if "-policy=" in each] == options
    role = objects(context("kindnet", asked), kindnet.ADDON)[("ClusterRole", "kindnet")]
    assert role["rules"][-1]["resources"] == ["adminnetworkpolicies", "baselineadminnetworkpolicies"]
    files = kindnet.ADDON.upstream(context("kindnet", asked))
    assert [file.rpartition("_")[2] for file in files] == [
        "adminnetworkpolicies.yaml",
        "baselineadminnetworkpolicies.yaml",
    ]
    assert kindnet.ADDON.upstream(context("kindnet", {})) == []


@pytest.mark.parametrize(
    ("masquerade", "expected"),
    [
        (None, []),
        ({}, ["--masquerading=true"]),
        ({"enabled": False}, ["--masquerading=false"]),
        ({"nonMasqueradeCIDRs": ["a", "b"]}, ["--masquerading=true", "--no-masquerade-cidr=a,b"]),
    ],
)
def test_masquerading_of_kindnet(masquerade: Any, expected: list[str]) -> None:
    command = container("kindnet", {"masquerade": masquerade} if masquerade is not None else {})["command"]
    assert [each for each in command if "masquerad" in each] == expected


def test_settings_of_amazons_network() -> None:
    own = [{"name": "WARM_ENI_TARGET", "value": "7"}, {"name": "ENABLE_IPv4", "value": "no"}]
    found = environment("amazonVPC", {"env": own})
    assert (found["WARM_ENI_TARGET"], found["ENABLE_IPv4"]) == ("7", "true")
    found = environment("amazonVPC", {"env": [{"name": "ENABLE_PREFIX_DELEGATION", "value": "false"}]}, **IPV6)
    names = ("ENABLE_IPv4", "ENABLE_IPv6", "ENABLE_PREFIX_DELEGATION")
    assert [found[name] for name in names] == ["false", "true", "true"]


@pytest.mark.parametrize("annotates", [True, False])
def test_amazons_network_may_patch_pods_if_it_annotates_them(annotates: bool) -> None:
    env = [{"name": "ANNOTATE_POD_IP", "value": "true"}] if annotates else []
    rules = objects(context("amazonVPC", {"env": env}), amazon_vpc.ADDON)[("ClusterRole", "aws-node")]["rules"]
    (pods,) = (rule for rule in rules if rule.get("resources") == ["pods"])
    assert ("patch" in pods["verbs"]) is annotates


def test_kube_router_enforces_policies_by_nftables_if_asked() -> None:
    option = "--use-nftables-for-netpol=true"
    assert option in container("kubeRouter", {"useNFTablesForNetpol": True})["args"]
    assert option not in container("kubeRouter", {"useNFTablesForNetpol": False})["args"]


def test_kopeio_is_not_installed_where_an_operator_does_so() -> None:
    asked = context("kopeio", {})
    assert kopeio.ADDON.condition(asked)
    operators = AddonContext(asked.cluster, (), features=frozenset({"UseAddonOperators"}))
    assert not kopeio.ADDON.condition(operators)
    agent = container("kopeio", {})
    assert agent["resources"] == {"requests": {"cpu": "50m", "memory": "100Mi"}, "limits": {"memory": "100Mi"}}
