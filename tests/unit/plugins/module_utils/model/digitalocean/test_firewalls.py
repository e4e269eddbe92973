# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What droplets let in, by specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.digitalocean.whole_clusters import (
    NAME,
    account_on_loopback,
    stored,
)

VPC, PODS = "10.20.0.0/16", "100.96.0.0/11"
ALL = ["tcp 0", "udp 0", "icmp 0"]
ADMIN = "192.0.2.0/24"


@pytest.fixture
def account(monkeypatch: pytest.MonkeyPatch) -> Iterator[Account]:
    with account_on_loopback(monkeypatch) as (server, _handed):
        assert isinstance(server.api, Account)
        yield server.api


def made(
    account: Account, tmp_path: Any, change: Any = None, name: str = NAME, **options: Any
) -> tuple[dict[str, Any], list[str]]:
    """Of the firewalls, what they let in and from where; and the warnings. change: of the specification."""
    store = stored(f"memfs://{tmp_path.name}", name=name, **options)
    opened = ClusterStore.open(store, name)
    # Of networks that encrypt.
    opened.secrets.store("ciliumpassword", b"keys: 4 rfc4106(gcm(aes)) 00 128")
    if change is not None:
        cluster = opened.read()[0]
        change(cluster.spec)
        opened.write_cluster(cluster)
    done = update_cluster(UpdateOptions(store, name), check=False)
    assert not update_cluster(UpdateOptions(store, name), check=False).changed
    found = {}
    for each in account.firewalls.objects.values():
        rules = {f"{rule['protocol']} {rule['ports']}": rule["sources"] for rule in each["inbound_rules"]}
        found[each["name"]] = {"tags": each["tags"], **rules}
    return found, done.plan.warnings


def from_(*networks: str) -> dict[str, list[str]]:
    return {"addresses": sorted(networks)}


def test_behind_a_load_balancer(account: Account, tmp_path: Any) -> None:
    found, warnings = made(account, tmp_path, admin_access=[ADMIN])
    (balancer,) = account.networks.balancers
    assert found == {
        f"nodes.{NAME}": {
            "tags": ["KubernetesCluster:demo-k8s-local"],
            **dict.fromkeys(ALL, from_(VPC, PODS)),
            "tcp 22": from_(ADMIN),
        },
        f"control-plane.{NAME}": {
            "tags": ["KubernetesCluster-Master:demo-k8s-local"],
            "tcp 443": {"load_balancer_uids": [balancer]},
            "tcp 3988": {"load_balancer_uids": [balancer]},
        },
    }
    assert [each for each in warnings if "spec.api.access restricts nobody" in each]


def test_node_ports_are_open_to_whom_the_specification_names(account: Account, tmp_path: Any) -> None:
    found, _warnings = made(account, tmp_path, lambda spec: setattr(spec, "node_port_access", [ADMIN]))
    rules = found[f"nodes.{NAME}"]
    assert [rules[f"{each} 30000-32767"] for each in ("tcp", "udp")] == [from_(ADMIN)] * 2


def test_without_a_load_balancer_the_api_is_open_to_whom_the_specification_names(
    account: Account, tmp_path: Any
) -> None:
    account.names.add_domain("example.com")
    found, warnings = made(account, tmp_path, name="demo.example.com", dns="public", admin_access=[ADMIN])
    assert found["control-plane.demo.example.com"]["tcp 443"] == from_(ADMIN)
    assert not [each for each in warnings if "spec.api.access" in each]


def test_all_of_the_regions_own_network_is_let_in_if_droplets_are_there(account: Account, tmp_path: Any) -> None:
    found, _warnings = made(account, tmp_path, network_cidr=[])
    (own,) = (each for each in account.networks.vpcs.values() if each["default"] and each["region"] == REGION)
    assert found[f"nodes.{NAME}"]["udp 0"] == from_(own["ip_range"], PODS)


def test_all_of_a_network_that_is_lent_is_let_in(account: Account, tmp_path: Any) -> None:
    (own,) = (each for each in account.networks.vpcs.values() if each["default"] and each["region"] == REGION)
    found, _warnings = made(account, tmp_path, network_cidr=[], network_id=own["id"])
    assert found[f"nodes.{NAME}"]["icmp 0"] == from_(own["ip_range"], PODS)


def _encrypt(spec: Any) -> None:
    spec.networking.cilium.enable_encryption = True
    spec.networking.cilium.encryption_type = "ipsec"


@pytest.mark.parametrize(
    ("networking", "change", "field"),
    [
        ("calico", lambda spec: setattr(spec.networking.calico, "encapsulation_mode", "ipip"), "calico.encapsulation"),
        ("kube-router", None, "kubeRouter"),
        ("cilium", _encrypt, "cilium.encryptionType"),
    ],
)
def test_there_is_none_where_nodes_speak_what_it_would_drop(
    account: Account, tmp_path: Any, networking: str, change: Any, field: str
) -> None:
    found, warnings = made(account, tmp_path, change, networking=networking)
    assert found == {}
    assert [each for each in warnings if each.startswith("droplets get no firewall") and field in each]


@pytest.mark.parametrize("networking", ["calico", "flannel"])
def test_networks_that_speak_udp_have_one(account: Account, tmp_path: Any, networking: str) -> None:
    def change(spec: Any) -> None:
        if spec.networking.calico is not None:
            spec.networking.calico.encapsulation_mode = "vxlan"

    found, warnings = made(account, tmp_path, change, networking=networking)
    assert len(found) == 2
    assert not [each for each in warnings if "firewall" in each]
