# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DNS records that lead to control planes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import Wanted, WantedRecord
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.records import RecordSet
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers import records
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.records import RecordKeeper
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

from .fake_cloud import OWN, Clock, FakeCloud, FakeRecords

SECOND, SERVER = "i-0000000000000000b", "i-0000000000000000c"
API, INTERNAL, JOIN = (f"{name}.demo.example.com" for name in ("api", "api.internal", "kops-controller.internal"))
WANTED = Wanted(
    zone="example.com",
    records=(
        WantedRecord(API, "A", "external", "api"),
        WantedRecord(INTERNAL, "A", "internal", "api"),
        WantedRecord(JOIN, "A", "internal", "control-plane"),
    ),
)
PLACEHOLDER = "203.0.113.123"


class Cluster:
    """An API server, a cloud, its records, and the controller between them."""

    def __init__(self, api: FakeKubernetes) -> None:
        self.api, self.cloud, self.records, self.clock = api, FakeCloud(), FakeRecords(), Clock()
        self.wanted, self.zones = WANTED, 0
        self.keeper = RecordKeeper(api.client(), self.cloud, self._zone, lambda: self.wanted, clock=self.clock)
        for name in (API, INTERNAL, JOIN):
            self.records.sets[name, "A"] = RecordSet(name, "A", (PLACEHOLDER,))

    def _zone(self, _wanted: Wanted) -> FakeRecords:
        self.zones += 1
        return self.records

    def server(self, node: str, phase: str = "Running", **labels: str) -> dict[str, Any]:
        metadata = {"labels": {"k8s-app": "kube-apiserver", **labels}}
        name = f"kube-apiserver-{node}"
        return self.api.add(
            "Pod", name, "kube-system", metadata=metadata, spec={"nodeName": node}, status={"phase": phase}
        )

    def rounds(self, seconds: float) -> None:
        for _number in range(int(seconds / records.PERIOD)):
            self.clock.now += records.PERIOD
            self.keeper.round()

    def values(self) -> dict[str, tuple[str, ...]]:
        return {name.partition(".demo")[0]: each.values for (name, _type), each in self.records.sets.items()}


@pytest.fixture()
def cluster() -> Iterator[Cluster]:
    with serving() as api:
        yield Cluster(api)


def test_the_first_control_plane_replaces_the_placeholders_at_once_and_in_one_batch(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    assert cluster.values() == {
        "api": ("54.0.0.1",),
        "api.internal": ("10.0.0.1",),
        "kops-controller.internal": ("10.0.0.1",),
    }
    assert [len(batch) for batch in cluster.records.written] == [3]


def test_nothing_is_written_before_an_api_server_is_registered(cluster: Cluster) -> None:
    cluster.server(OWN, phase="Pending")
    cluster.keeper.round()
    assert cluster.records.written == []


def test_servers_that_come_and_go_are_in_the_records(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    cluster.cloud.add(SECOND, group="control-plane-b", role="ControlPlane", internal=("10.0.0.2",))
    second = cluster.server(SECOND)
    cluster.rounds(5)
    assert cluster.values() == {
        "api": ("54.0.0.1",),
        "api.internal": ("10.0.0.1", "10.0.0.2"),
        "kops-controller.internal": ("10.0.0.1", "10.0.0.2"),
    }
    assert [len(batch) for batch in cluster.records.written] == [3, 2]
    del cluster.api.objects[cluster.api.path(second)]
    cluster.rounds(5)
    assert cluster.values()["api.internal"] == ("10.0.0.1",)


def test_the_address_of_an_instance_that_ends_is_removed_within_a_minute_though_its_pod_is_listed(
    cluster: Cluster,
) -> None:
    cluster.server(OWN)
    cluster.server(SECOND)
    cluster.cloud.add(SECOND, group="control-plane-b", role="ControlPlane", internal=("10.0.0.2",))
    cluster.keeper.round()
    assert cluster.values()["api.internal"] == ("10.0.0.1", "10.0.0.2")
    cluster.cloud.add(SECOND, group="control-plane-b", role="ControlPlane", internal=("10.0.0.2",), runs=False)
    cluster.rounds(60)
    assert cluster.values()["api.internal"] == ("10.0.0.1",)


def test_api_servers_alone_are_not_where_nodes_join(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.server(SERVER)
    cluster.cloud.add(SERVER, group="apiservers", internal=("10.0.0.9",), external=("54.0.0.9",))
    cluster.keeper.round()
    assert cluster.values() == {
        "api": ("54.0.0.1", "54.0.0.9"),
        "api.internal": ("10.0.0.1", "10.0.0.9"),
        "kops-controller.internal": ("10.0.0.1",),
    }


def test_ipv6_clusters_have_both_kinds_of_addresses_outside(cluster: Cluster) -> None:
    cluster.server(OWN)
    version6 = "2001:db8::1"
    cluster.cloud.add(
        OWN,
        group="control-plane-a",
        role="ControlPlane",
        internal=("10.0.0.1", version6),
        external=("54.0.0.1", "2001:DB8:0::1"),
    )
    cluster.wanted = Wanted(
        zone="example.com",
        records=(
            WantedRecord(API, "A", "external", "api"),
            WantedRecord(API, "AAAA", "external", "api"),
            WantedRecord(INTERNAL, "AAAA", "internal", "api"),
        ),
    )
    cluster.keeper.round()
    assert {(each.name, each.type): each.values for each in cluster.records.written[0]} == {
        (API, "A"): ("54.0.0.1",),
        (API, "AAAA"): (version6,),
        (INTERNAL, "AAAA"): (version6,),
    }


def test_the_last_addresses_stay_where_there_are_none(cluster: Cluster) -> None:
    pod = cluster.server(OWN)
    cluster.keeper.round()
    del cluster.api.objects[cluster.api.path(pod)]
    cluster.rounds(700)
    assert cluster.values()["api.internal"] == ("10.0.0.1",)
    assert len(cluster.records.written) == 1


def test_an_address_outside_that_there_is_not_leaves_the_placeholder(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.cloud.add(OWN, group="control-plane-a", role="ControlPlane", internal=("10.0.0.1",))
    cluster.keeper.round()
    assert cluster.values()["api"] == (PLACEHOLDER,)


def test_an_alias_of_a_load_balancer_that_the_cluster_no_longer_has_is_replaced(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.records.sets[API, "A"] = RecordSet(API, "A", (), "balancer.elb.amazonaws.com")
    cluster.keeper.round()
    assert cluster.values()["api"] == ("54.0.0.1",)


def test_names_that_are_no_longer_wanted_are_left_alone(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    alias = RecordSet(API, "A", (), "balancer.elb.amazonaws.com")
    cluster.records.sets[API, "A"] = alias
    cluster.wanted = Wanted(zone="example.com", records=WANTED.records[1:])
    cluster.rounds(700)
    assert cluster.records.sets[API, "A"] == alias


def test_a_quiet_cluster_reads_its_records_six_times_an_hour_and_writes_none(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    cluster.records.read = 0
    cluster.cloud.asked.clear()
    cluster.rounds(3600)
    assert cluster.records.read == 18
    assert len(cluster.records.written) == 1
    assert cluster.cloud.asked == ["servers"] * 60
    assert cluster.zones == 1


def test_what_somebody_else_has_written_is_put_right_within_ten_minutes(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    cluster.records.sets[JOIN, "A"] = RecordSet(JOIN, "A", ("192.0.2.1",))
    cluster.rounds(605)
    assert cluster.values()["kops-controller.internal"] == ("10.0.0.1",)


def test_a_server_that_the_cloud_does_not_know_yet_is_asked_for_again(cluster: Cluster) -> None:
    cluster.server(OWN)
    cluster.keeper.round()
    cluster.server(SECOND)
    cluster.rounds(5)
    cluster.cloud.add(SECOND, group="control-plane-b", role="ControlPlane", internal=("10.0.0.2",))
    cluster.rounds(10)
    assert cluster.values()["api.internal"] == ("10.0.0.1", "10.0.0.2")


def test_nothing_is_asked_where_nothing_is_published(cluster: Cluster) -> None:
    cluster.wanted = Wanted()
    cluster.server(OWN)
    cluster.keeper.round()
    assert (cluster.cloud.asked, cluster.api.requests, cluster.zones) == ([], [], 0)


def test_nothing_is_written_after_the_term(cluster: Cluster) -> None:
    def admit() -> None:
        raise KopsError("another one leads")

    cluster.server(OWN)
    keeper = RecordKeeper(cluster.api.client(), cluster.cloud, lambda _wanted: cluster.records, lambda: WANTED, admit)
    with pytest.raises(KopsError, match="another one leads"):
        keeper.round()
    assert cluster.records.written == []


def test_a_write_that_fails_is_tried_again(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster.server(OWN)
    known = cluster.records.write

    def write(*_arguments: Any) -> None:
        raise KopsError("Throttling")

    monkeypatch.setattr(cluster.records, "write", write)
    with pytest.raises(KopsError, match="Throttling"):
        cluster.keeper.round()
    monkeypatch.setattr(cluster.records, "write", known)
    cluster.keeper.round()
    assert cluster.values()["api.internal"] == ("10.0.0.1",)


def test_a_token_is_for_one_audience_and_its_account_is_made() -> None:
    with serving() as kubernetes:
        asked: list[object] = []

        class Client(KubernetesClient):
            def post(self, path: str, body: dict[str, Any], *, retried: bool = True) -> dict[str, Any]:
                if path.endswith("/token"):
                    asked.append(body["spec"]["audiences"])
                    return {"status": {"token": "a token"}}
                return super().post(path, body, retried=retried)

        client = Client(kubernetes.url, Credentials(""))
        assert records.token_of(client, "dns-controller", "sts.example.com") == "a token"
        assert client.find("/api/v1/namespaces/kube-system/serviceaccounts/dns-controller")
        assert asked == [["sts.example.com"]]
