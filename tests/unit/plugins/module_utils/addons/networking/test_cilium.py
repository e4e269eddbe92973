# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Cilium is made of, where no case of kops shows it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import Addon, make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.networking.cilium.addon import ADDON
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.networking import CiliumNetworkingSpec
from ansible_collections.kubeops.kops.plugins.module_utils.completion.components import cilium as completion
from ansible_collections.kubeops.kops.plugins.module_utils.completion.context import Context

KEYS = {"keys": "3 rfc4106(gcm(aes)) 00112233 128"}


def made(cluster: Cluster, keys: Mapping[str, str] | None = None, **spec: Any) -> Addon:
    """The addon of a cluster with a completed spec.networking.cilium."""
    cluster.spec.networking.flannel = None
    cluster.spec.networking.cilium = codec.from_plain(CiliumNetworkingSpec, spec)
    # Completion of Cilium asks nothing of its context.
    completion.complete(cluster, Context.__new__(Context))
    return make_addon(ADDON, AddonContext(cluster, [], cilium_keys=KEYS if keys is None else keys))


def found(addon: Addon, kind: str, name: str = "") -> dict[str, Any]:
    return next(obj for obj in addon.objects if obj["kind"] == kind and name in ("", obj["metadata"]["name"]))


def names(addon: Addon, kind: str) -> list[str]:
    return [obj["metadata"]["name"] for obj in addon.objects if obj["kind"] == kind]


def settings(addon: Addon) -> dict[str, str]:
    data: dict[str, str] = found(addon, "ConfigMap", "cilium-config")["data"]
    return data


def test_keys_of_ipsec_reach_the_agents(cluster: Cluster) -> None:
    addon = made(cluster, enableEncryption=True)
    assert found(addon, "Secret")["stringData"] == KEYS
    assert settings(addon)["enable-ipsec"] == "true"
    pod = found(addon, "DaemonSet")["spec"]["template"]["spec"]
    assert {"name": "cilium-ipsec-secrets", "secret": {"secretName": "cilium-ipsec-keys"}} in pod["volumes"]
    assert {"name": "cilium-ipsec-secrets", "mountPath": "/etc/ipsec"} in pod["containers"][0]["volumeMounts"]
    assert addon.has_secrets


def test_wireguard_needs_no_keys(cluster: Cluster) -> None:
    addon = made(cluster, {}, enableEncryption=True, encryptionType="wireguard", nodeEncryption=True)
    chosen = {name: value for name, value in settings(addon).items() if "wireguard" in name or "encrypt" in name}
    assert chosen == {"enable-wireguard": "true", "encrypt-node": "true"}
    assert not addon.has_secrets


@pytest.mark.parametrize(
    ("spec", "mode", "protocol"),
    [({}, "tunnel", "vxlan"), ({"tunnel": "geneve"}, "tunnel", "geneve"), ({"tunnel": "disabled"}, "native", None)],
)
def test_packets_between_nodes(cluster: Cluster, spec: dict[str, Any], mode: str, protocol: str | None) -> None:
    chosen = settings(made(cluster, **spec))
    assert (chosen["routing-mode"], chosen.get("tunnel-protocol")) == (mode, protocol)


def test_ipv6_only(cluster: Cluster) -> None:
    cluster.spec.networking.non_masquerade_cidr = "fd00::/8"
    addon = made(cluster, ipam="kubernetes")
    chosen = settings(addon)
    assert (chosen["enable-ipv4"], chosen["enable-ipv6"], chosen["routing-mode"]) == ("false", "true", "native")
    assert chosen["operator-api-serve-addr"] == "[::1]:9234"
    for kind in ("DaemonSet", "Deployment"):
        container = found(addon, kind)["spec"]["template"]["spec"]["containers"][0]
        assert container["livenessProbe"]["httpGet"]["host"] == "::1"


def test_extra_settings_count_last(cluster: Cluster) -> None:
    chosen = settings(made(cluster, debug=True, extraConfig={"debug": "false", "policy-audit-mode": "true"}))
    assert (chosen["debug"], chosen["policy-audit-mode"]) == ("false", "true")


@pytest.mark.parametrize(("mode", "local_route"), [("aws-cni", "false"), ("portmap", None)])
def test_chained_with_another_plug_in(cluster: Cluster, mode: str, local_route: str | None) -> None:
    chosen = settings(made(cluster, chainingMode=mode))
    assert (chosen["cni-chaining-mode"], chosen.get("enable-local-node-route")) == (mode, local_route)
    assert "dnsproxy-enable-transparent-mode" not in chosen


@pytest.mark.parametrize(
    ("ingress", "service"),
    [
        ({}, ["cilium-ingress"]),
        ({"sharedLoadBalancerServiceName": "mine", "defaultLoadBalancerMode": "shared"}, ["mine"]),
        ({"defaultLoadBalancerMode": "dedicated"}, []),
        ({"enabled": False}, []),
    ],
)
def test_the_load_balancer_that_ingresses_share(cluster: Cluster, ingress: dict[str, Any], service: list[str]) -> None:
    addon = made(cluster, ingress=ingress)
    assert names(addon, "Service") == service
    assert names(addon, "Endpoints") == service
    assert names(addon, "IngressClass") == ([] if ingress.get("enabled") is False else ["cilium"])


def test_secrets_are_for_envoy_only_where_it_serves(cluster: Cluster) -> None:
    assert names(made(cluster), "Role") == ["cilium-config-agent"]
    assert set(names(made(cluster, gatewayAPI={}, ingress={}), "Role")) == {
        "cilium-config-agent",
        *(f"cilium-{part}-secrets" for part in ("ingress", "gateway", "envoy-config")),
        *(f"cilium-operator-{part}-secrets" for part in ("ingress", "gateway")),
    }


def test_hubble_with_metrics(cluster: Cluster) -> None:
    addon = made(cluster, clusterName="east.example", hubble={"metrics": ["drop", "dns:query"]})
    assert addon.needs_pki
    assert settings(addon)["hubble-metrics"] == "drop dns:query"
    assert names(addon, "Service") == ["hubble-relay", "hubble-metrics", "hubble-peer"]
    server = found(addon, "Certificate", "hubble-server-certs")["spec"]
    assert server["dnsNames"] == ["*.east-example.hubble-grpc.cilium.io"]
    # The Issuer of an addon that needs an authority has the addon's name.
    assert server["issuerRef"]["name"] == addon.name
    assert not made(cluster).needs_pki
