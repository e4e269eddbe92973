# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

from collections.abc import Callable

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.instances import CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.api import Google
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.cluster_instances import GoogleInstances
from ansible_collections.kubeops.kops.tests.support import instances_contract as contract
from ansible_collections.kubeops.kops.tests.support.google_metadata import CLUSTER, INSTANCE

from . import fake_google
from .fake_google import FakeGoogle, metadata

LABEL = "demo-example-com"


def role_labels(name: str, cluster: str = LABEL) -> dict[str, str]:
    return {"k8s-io-cluster-name": cluster, f"k8s-io-role-{name}": name}


@pytest.fixture()
def instances(google: Google) -> GoogleInstances:
    return GoogleInstances(google, CLUSTER)


class Party:
    """A cluster of Google Cloud, for the contract of instances."""

    group = "nodes-a"

    def __init__(self, google: Google, cloud: FakeGoogle) -> None:
        self.google, self.cloud = google, cloud
        self._count = 0

    def instances(self) -> GoogleInstances:
        return GoogleInstances(self.google, CLUSTER)

    def start(self, role: str, *, foreign: bool = False) -> str:
        self._count += 1
        name, cluster = f"nodes-a-00{self._count:02}", "other.example.com" if foreign else CLUSTER
        labels = role_labels("control-plane" if role == contract.SERVER else "node", cluster.replace(".", "-"))
        named = metadata(cluster_name=cluster, kops_k8s_io_instance_group_name=self.group)
        self.cloud.instance(name, labels=labels, metadata=named)
        return name

    def end(self, instance: str) -> None:
        (path,) = (each for each in self.cloud.objects if each.endswith(f"/instances/{instance}"))
        self.cloud.objects[path]["status"] = "STOPPING"


@pytest.mark.parametrize("check", contract.CHECKS, ids=lambda each: str(each.__name__))
def test_it_keeps_the_contract(google: Google, cloud: FakeGoogle, check: Callable[[contract.Party], None]) -> None:
    check(Party(google, cloud))


def test_an_instance(instances: GoogleInstances, cloud: FakeGoogle) -> None:
    cloud.instance(
        networkInterfaces=[
            {"networkIP": "10.0.0.7", "accessConfigs": [{"natIP": "192.0.2.7"}, {}]},
            {"networkIP": "10.1.0.7"},
        ]
    )
    assert instances.own_id() == INSTANCE
    assert instances.all() == {
        INSTANCE: CloudInstance(
            INSTANCE,
            group="nodes-a",
            tagged_labels={"node-role.kubernetes.io/node": "", "kops.k8s.io/instancegroup": "nodes-a"},
            internal=("10.0.0.7",),
            external=("192.0.2.7",),
        )
    }


def test_addresses_of_ipv6_are_the_range_of_pods(instances: GoogleInstances, cloud: FakeGoogle) -> None:
    access = {"externalIpv6": "2600:1900::7:0:0", "externalIpv6PrefixLength": 96}
    cloud.instance(networkInterfaces=[{"networkIP": "10.0.0.7", "ipv6AccessConfigs": [access]}])
    found = instances.all()[INSTANCE]
    assert found.pod_range == "2600:1900::7:0:0/96"
    assert (found.internal, found.external) == (("10.0.0.7", "2600:1900::7:0:0"), ("2600:1900::7:0:0",))
    cloud.instance(networkInterfaces=[{"networkIP": "10.0.0.7", "ipv6AccessConfigs": [access, access]}])
    assert instances.all()[INSTANCE].pod_range == ""
    cloud.instance(networkInterfaces=[{"ipv6Address": "fd20::7"}])
    assert instances.all()[INSTANCE].internal == ("fd20::7",)
    cloud.instance(networkInterfaces=[])
    assert instances.all()[INSTANCE].internal == ()


@pytest.mark.parametrize(
    ("status", "runs"),
    [
        ("PROVISIONING", True),
        ("STAGING", True),
        ("RUNNING", True),
        ("STOPPING", False),
        ("TERMINATED", False),
        ("SUSPENDED", False),
        ("REPAIRING", False),
    ],
)
def test_whether_it_runs(instances: GoogleInstances, cloud: FakeGoogle, status: str, runs: bool) -> None:
    """A stopped one comes back, so none of them is gone for good."""
    cloud.instance(status=status)
    (found,) = instances.all().values()
    assert (found.runs, found.is_terminated) == (runs, False)


@pytest.mark.parametrize("filters", [True, False])
def test_a_cluster_whose_name_has_a_hyphen_for_a_dot_is_another_one(
    instances: GoogleInstances, cloud: FakeGoogle, monkeypatch: pytest.MonkeyPatch, filters: bool
) -> None:
    """Their labels are the same: metadata says the name in full."""
    if not filters:
        monkeypatch.setattr(fake_google, "matches", lambda *_request: True)
    cloud.instance()
    twin = metadata(cluster_name="demo-example.com", kops_k8s_io_instance_group_name="nodes-a")
    cloud.instance("nodes-a-0000", metadata=twin)
    cloud.instance("nodes-a-0001", labels={}, metadata={})
    cloud.instance("control-plane-0000", labels=role_labels("control-plane"), metadata=twin)
    assert instances.all().keys() == {INSTANCE}
    assert instances.servers() == {}


def test_those_that_serve_the_api(instances: GoogleInstances, cloud: FakeGoogle) -> None:
    cloud.instance()
    cloud.instance("control-plane-0000", "us-test1-b", labels={**role_labels("control-plane"), **role_labels("master")})
    cloud.instance("apiserver-0000", labels=role_labels("apiserver"))
    found = instances.servers()
    assert {name: each.role for name, each in found.items()} == {
        "control-plane-0000": "ControlPlane",
        "apiserver-0000": "",
    }
    assert "node-role.kubernetes.io/api-server" in found["apiserver-0000"].tagged_labels
    assert len(cloud.asked) == 2


def test_whether_instances_exist(instances: GoogleInstances, cloud: FakeGoogle) -> None:
    """Whatever labels they have; many are asked for at once."""
    cloud.instance("nodes-a-0000", labels={}, metadata={}, status="TERMINATED")
    cloud.instance("nodes-a-0099", "us-test1-c")
    names = [f"nodes-a-00{number:02}" for number in range(100)]
    assert instances.existing(names) == {"nodes-a-0000", "nodes-a-0099"}
    assert len(cloud.asked) == 3
    assert instances.existing([]) == set()


def test_ids(instances: GoogleInstances) -> None:
    assert instances.ids.is_id(INSTANCE)
    assert not instances.ids.is_id("kube-system")
