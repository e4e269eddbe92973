# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""node/digitalocean/cluster_instances.py: the droplets of a cluster."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.instances import certain_id, claimed_id
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.cluster_instances import Droplets
from ansible_collections.kubeops.kops.tests.support import instances_contract as contract

from .droplets import CLUSTER, FOREIGN, GROUP, Cloud, private


class Party:
    """A cluster, for the contract of instances."""

    group = GROUP

    def __init__(self, cloud: Cloud) -> None:
        self.cloud = cloud

    def instances(self) -> Droplets:
        return Droplets(self.cloud.api, CLUSTER, "control-plane-00000001")

    def start(self, role: str, *, foreign: bool = False) -> str:
        return str(self.cloud.start(role, FOREIGN if foreign else CLUSTER)["name"])

    def end(self, instance: str) -> None:
        (found,) = [each for each in self.cloud.account.droplets.objects.values() if each["name"] == instance]
        self.cloud.ask("DELETE", f"droplets/{found['id']}")


# Provider ids have the droplets' numbers.
CHECKS = [each for each in contract.CHECKS if each is not contract.ids_are_known_by_their_form]


@pytest.mark.parametrize("check", CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(cloud: Cloud, check: Callable[[contract.Party], None]) -> None:
    check(Party(cloud))


def test_a_node_is_its_droplets_whatever_id_the_provider_has(cloud: Cloud) -> None:
    """The cloud controller writes the number of the droplet, which is not its name."""
    droplet, ids = cloud.start(), Party(cloud).instances().ids
    node = {"metadata": {"name": droplet["name"]}, "spec": {"providerID": f"digitalocean://{droplet['id']}"}}
    assert ids.is_id(droplet["name"])
    assert claimed_id(node, ids) == ""
    assert certain_id(node, ids) == droplet["name"]
    assert certain_id({"metadata": {"name": "by-hand"}, "spec": node["spec"]}, ids) == ""


def test_what_a_droplet_says(cloud: Cloud) -> None:
    server, worker = cloud.start("ControlPlane", group="control-plane"), cloud.start()
    found = Party(cloud).instances().all()
    assert found[worker["name"]].tagged_labels == {
        "node-role.kubernetes.io/node": "",
        "kops.k8s.io/instancegroup": GROUP,
    }
    assert found[worker["name"]].external[0].startswith("198.18.")
    assert found[server["name"]].internal == (private(server),)


def test_droplets_of_kops_share_a_name_and_have_that_of_their_address(cloud: Cloud) -> None:
    tags = ["KubernetesCluster:demo-example-com", "kops-instancegroup:nodes-a"]
    made = [cloud.start(name=f"{GROUP}.{CLUSTER}", tags=tags) for _each in range(2)]
    found = Party(cloud).instances()
    assert found.all().keys() == {private(each) for each in made}
    assert all(found.ids.is_name(each) for each in found.all())
    assert found.existing([private(made[0]), "10.9.9.9"]) == {private(made[0])}
