# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Node objects: their labels, pod ranges, and those of instances that are gone."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.controllers import Wanted
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers import nodes
from ansible_collections.kubeops.kops.plugins.module_utils.node.controllers.nodes import NodeKeeper
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

from .fake_cloud import OWN, Clock, FakeCloud

NODE = "i-0123456789abcdef0"
ROLE = "node-role.kubernetes.io/"
OF_GROUP = {f"{ROLE}node": "", "kops.k8s.io/instancegroup": "nodes-a"}
READY, NOT_READY, SILENT = "True", "False", "Unknown"


class Cluster:
    """An API server, a cloud, and the controller between them."""

    def __init__(self, api: FakeKubernetes) -> None:
        self.api, self.cloud, self.clock = api, FakeCloud(), Clock()
        self.wanted = Wanted(labels={"nodes-a": OF_GROUP})
        self.keeper = NodeKeeper(api.client(), self.cloud, lambda: self.wanted, self.clock)
        self.node(OWN)

    def node(self, name: str, ready: str = READY, labels: dict[str, str] | None = None, **spec: Any) -> None:
        self.api.objects[f"/api/v1/nodes/{name}"] = {
            "apiVersion": "v1",
            "kind": "Node",
            "metadata": {"name": name, "uid": f"uid-{name}", "labels": dict(labels or {}), "resourceVersion": "1"},
            "spec": {"providerID": f"aws:///us-east-1a/{name}", **spec},
            "status": {"conditions": [{"type": "Ready", "status": ready}]},
        }

    def find(self, name: str = NODE) -> Any:
        return self.api.objects.get(f"/api/v1/nodes/{name}")

    def labels(self, name: str = NODE) -> dict[str, str]:
        labels: dict[str, str] = self.find(name)["metadata"]["labels"]
        return labels

    def round(self) -> None:
        self.keeper.round()

    def rounds(self, seconds: float) -> None:
        """As the table does it, for so long."""
        for _number in range(int(seconds / nodes.PERIOD)):
            self.clock.now += nodes.PERIOD
            self.round()


@pytest.fixture()
def cluster() -> Iterator[Cluster]:
    with serving() as api:
        yield Cluster(api)


# -- labels -------------------------------------------------------------------------------------------------------


def test_a_new_node_has_the_labels_of_its_group(cluster: Cluster) -> None:
    cluster.cloud.add(NODE)
    cluster.node(NODE, labels={"kubernetes.io/arch": "amd64", "mine": "1"})
    cluster.round()
    assert cluster.labels() == {**OF_GROUP, "kubernetes.io/arch": "amd64", "mine": "1"}


def test_a_changed_group_is_taken_up_and_labels_of_users_stay(cluster: Cluster) -> None:
    cluster.cloud.add(NODE, tagged_labels={"old": "of the tags"})
    cluster.node(NODE, labels={"mine": "1"})
    cluster.wanted = Wanted(labels={"nodes-a": {**OF_GROUP, "team": "red", "tier": "web"}})
    cluster.round()
    assert cluster.labels() == {**OF_GROUP, "mine": "1", "team": "red", "tier": "web"}
    asked = len(cluster.cloud.asked)
    cluster.wanted = Wanted(labels={"nodes-a": {**OF_GROUP, "team": "blue"}})
    cluster.round()
    assert cluster.labels() == {**OF_GROUP, "mine": "1", "team": "blue"}
    assert len(cluster.cloud.asked) == asked


def test_a_group_that_the_store_does_not_know_has_the_labels_of_its_tags(cluster: Cluster) -> None:
    cluster.cloud.add(NODE, group="removed", tagged_labels={f"{ROLE}node": "", "team": "red"})
    cluster.node(NODE)
    cluster.round()
    assert cluster.labels() == {f"{ROLE}node": "", "team": "red"}


def test_spot_instances_have_a_label_of_their_own(cluster: Cluster) -> None:
    cluster.cloud.add(NODE, labels={f"{ROLE}spot-worker": "true"})
    cluster.node(NODE)
    cluster.round()
    assert cluster.labels() == {**OF_GROUP, f"{ROLE}spot-worker": "true"}


def test_roles_that_the_group_does_not_have_are_removed_whoever_has_set_them(cluster: Cluster) -> None:
    cluster.cloud.add(NODE)
    roles = {f"{ROLE}{role}": "" for role in ("control-plane", "api-server", "node", "mine")}
    cluster.node(NODE, labels=roles)
    cluster.round()
    assert cluster.labels() == {**OF_GROUP, f"{ROLE}mine": ""}


def test_what_is_right_is_written_once(cluster: Cluster) -> None:
    cluster.cloud.add(NODE)
    cluster.node(NODE)
    cluster.round()
    before = list(cluster.api.writes())
    cluster.rounds(60)
    assert cluster.api.writes() == before


@pytest.mark.parametrize(
    ("spec", "instance"),
    [
        pytest.param({"providerID": f"aws:///us-east-1a/{OWN}"}, {}, id="it says that it is another instance"),
        pytest.param({}, {"group": ""}, id="its instance has no group"),
        pytest.param({}, {"runs": False}, id="its instance is stopped"),
    ],
)
def test_nodes_of_which_it_is_not_known_what_they_are_stay(
    cluster: Cluster, spec: dict[str, str], instance: dict[str, Any]
) -> None:
    cluster.cloud.add(NODE, **instance)
    cluster.node(NODE, labels={f"{ROLE}control-plane": ""}, **spec)
    cluster.round()
    assert cluster.labels() == {f"{ROLE}control-plane": ""}


def test_a_node_may_have_the_name_of_its_host(cluster: Cluster) -> None:
    name = "ip-10-0-0-7.ec2.internal"
    cluster.cloud.add(NODE, host_name=name)
    cluster.node(name, providerID=f"aws:///us-east-1a/{NODE}")
    cluster.round()
    assert cluster.labels(name) == OF_GROUP


def test_a_node_that_cannot_be_changed_does_not_keep_others_from_it(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = "i-0aaaaaaaaaaaaaaaa"
    for name in (other, NODE):
        cluster.cloud.add(name)
        cluster.node(name)
    known = cluster.api.answer

    def answer(method: str, target: str, *rest: Any) -> tuple[int, Any]:
        if method == "PATCH" and other in target:
            return 403, {"reason": "Forbidden", "message": "a policy says no"}
        return known(method, target, *rest)

    monkeypatch.setattr(cluster.api, "answer", answer)
    with pytest.raises(KopsError, match="a policy says no"):
        cluster.round()
    assert cluster.labels() == OF_GROUP


def test_nodes_come_in_pages(cluster: Cluster) -> None:
    cluster.api.page = 2
    names = [f"i-0000000000000001{number}" for number in range(5)]
    for name in names:
        cluster.cloud.add(name)
        cluster.node(name)
    cluster.round()
    assert [cluster.labels(name) for name in names] == [OF_GROUP] * 5


def test_reading_many_nodes_is_done_more_rarely(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    """Here it takes 4 s, so that 20 s pass until it is done again."""
    known = cluster.keeper.client.list

    def slow(path: str, **query: str) -> Iterator[Any]:
        cluster.clock.now += 4
        return known(path, **query)

    monkeypatch.setattr(cluster.keeper.client, "list", slow)
    cluster.api.requests.clear()
    cluster.rounds(120)
    read = [each for each in cluster.api.requests if each.startswith("GET /api/v1/nodes?")]
    assert len(read) == 6


# -- how often the cloud is asked ---------------------------------------------------------------------------------


def test_a_quiet_cluster_asks_the_cloud_six_times_an_hour(cluster: Cluster) -> None:
    cluster.cloud.add(NODE)
    cluster.node(NODE)
    cluster.round()
    cluster.cloud.asked.clear()
    cluster.rounds(3600)
    assert cluster.cloud.asked == ["all"] * 6


def test_a_node_that_joins_is_asked_for_at_once(cluster: Cluster) -> None:
    cluster.rounds(30)
    cluster.cloud.add(NODE)
    cluster.node(NODE, NOT_READY)
    cluster.round()
    assert cluster.labels() == OF_GROUP


def test_a_node_of_no_instance_is_asked_for_once_a_minute(cluster: Cluster) -> None:
    cluster.node("machine-in-the-cellar", providerID="")
    cluster.round()
    cluster.cloud.asked.clear()
    cluster.rounds(600)
    assert cluster.cloud.asked == ["all"] * 10


# -- pod ranges ---------------------------------------------------------------------------------------------------


def test_a_node_gets_the_prefix_of_its_instance_once(cluster: Cluster) -> None:
    cluster.wanted = Wanted(labels={"nodes-a": OF_GROUP}, pod_ranges=True)
    cluster.cloud.add(NODE)
    cluster.node(NODE)
    cluster.round()
    assert "podCIDR" not in cluster.find()["spec"]
    cluster.cloud.add(NODE, pod_range="2001:db8:0:1:7::/80")
    cluster.rounds(60)
    assert cluster.find()["spec"]["podCIDR"] == "2001:db8:0:1:7::/80"
    assert cluster.find()["spec"]["podCIDRs"] == ["2001:db8:0:1:7::/80"]
    cluster.cloud.add(NODE, pod_range="2001:db8:0:1:8::/80")
    cluster.rounds(700)
    assert cluster.find()["spec"]["podCIDRs"] == ["2001:db8:0:1:7::/80"]


def test_other_clusters_give_ranges_by_other_means(cluster: Cluster) -> None:
    cluster.cloud.add(NODE, pod_range="2001:db8:0:1:7::/80")
    cluster.node(NODE)
    cluster.round()
    assert "podCIDR" not in cluster.find()["spec"]


# -- instances that are gone --------------------------------------------------------------------------------------


@pytest.mark.parametrize("ready", [NOT_READY, SILENT])
@pytest.mark.parametrize("known", ["not any more", "as terminated"])
def test_the_node_of_an_instance_that_is_gone_is_removed_after_two_minutes(
    cluster: Cluster, ready: str, known: str
) -> None:
    if known == "as terminated":
        cluster.cloud.add(NODE, runs=False, is_terminated=True)
    cluster.node(NODE, ready)
    cluster.round()
    cluster.rounds(110)
    assert cluster.find()
    cluster.rounds(80)
    assert cluster.find() is None
    assert cluster.find(OWN)


@pytest.mark.parametrize(
    ("ready", "instance", "untagged", "spec"),
    [
        pytest.param(READY, None, False, {}, id="its kubelet works"),
        pytest.param(SILENT, {}, False, {}, id="it runs"),
        pytest.param(SILENT, {"runs": False}, False, {}, id="it is stopped, or shuts down"),
        pytest.param(SILENT, None, True, {}, id="it has lost its tags"),
        pytest.param(SILENT, None, False, {"providerID": "aws:///us-east-1a/i-0bbbbbbbbbbbbbbbb"}, id="two names"),
    ],
)
def test_nodes_whose_instances_there_may_be_stay(
    cluster: Cluster, ready: str, instance: dict[str, Any] | None, untagged: bool, spec: dict[str, str]
) -> None:
    if instance is not None:
        cluster.cloud.add(NODE, **instance)
    if untagged:
        cluster.cloud.untagged.add(NODE)
    cluster.node(NODE, ready, **spec)
    cluster.round()
    cluster.rounds(400)
    assert cluster.find()


def test_nodes_that_are_no_instances_stay(cluster: Cluster) -> None:
    cluster.node("machine-in-the-cellar", SILENT, providerID="")
    cluster.round()
    cluster.rounds(400)
    assert cluster.find("machine-in-the-cellar")


@pytest.mark.parametrize("answer", ["nothing", "others only", "an error"])
def test_an_answer_that_does_not_name_who_asks_is_not_believed(cluster: Cluster, answer: str) -> None:
    cluster.cloud.add(NODE)
    cluster.node(NODE, SILENT)
    cluster.round()
    del cluster.cloud.instances[NODE]
    if answer == "an error":
        cluster.cloud.failing = True
    else:
        del cluster.cloud.instances[OWN]
        if answer == "others only":
            cluster.cloud.add("i-0cccccccccccccccc")
    refused = 0
    for _number in range(40):
        cluster.clock.now += nodes.PERIOD
        try:
            cluster.round()
        except KopsError:
            refused += 1
    assert refused > 30
    assert cluster.find()


def test_a_node_that_works_again_meanwhile_stays(cluster: Cluster) -> None:
    cluster.node(NODE, SILENT)
    cluster.round()
    cluster.rounds(110)
    cluster.node(NODE, READY)
    cluster.round()
    cluster.node(NODE, SILENT)
    cluster.rounds(110)
    assert cluster.find()
    cluster.rounds(90)
    assert cluster.find() is None


def test_a_node_that_is_being_removed_is_left_to_whoever_does_it(cluster: Cluster) -> None:
    cluster.node(NODE, SILENT)
    cluster.find()["metadata"]["deletionTimestamp"] = "2026-01-01T00:00:00Z"
    cluster.round()
    cluster.rounds(400)
    assert "DELETE" not in " ".join(cluster.api.writes())
