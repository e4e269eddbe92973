# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instances of a cluster on AWS that are deleted by name, and those that are repaired.

Whatever a group starts is a node at once. The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.provider import AWSProvider
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.out_of_service import give_free
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling import repair as operation
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import delete_instance, repair, rolling_update
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE
from ansible_collections.kubeops.kops.tests.integration.test_rolling_update import QUICK, Site, new_site
from ansible_collections.kubeops.kops.tests.integration.test_validation import CONTROL_PLANE, WORKERS
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.running_cluster import fail_node

HOUR = 3600


@pytest.fixture(scope="module")
def site(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with new_site(server, tmp_path_factory.mktemp("account"), 4) as made:
        yield made


def delete(site: Site, *names: str, check: bool = False, **options: Any) -> dict[str, Any]:
    given = {"name": NAME, "state_store": STORE, "api_server": site.fake.url, "instances": [*names]}
    return run_here(delete_instance, {**given, **QUICK, **options}, check=check)


def mended(site: Site, *, check: bool = False, **options: Any) -> dict[str, Any]:
    given = {"name": NAME, "state_store": STORE, "api_server": site.fake.url, "dead_drain_timeout": 1}
    return run_here(repair, {**given, **QUICK, **options}, check=check)


def recovers(site: Site, name: str) -> None:
    site.fake.objects[f"/api/v1/nodes/{name}"]["status"]["conditions"] = [{"type": "Ready", "status": "True"}]


def nodes(site: Site) -> list[str]:
    return sorted(path.rpartition("/")[2] for path in site.fake.objects if path.startswith("/api/v1/nodes/"))


def writes_nothing(site: Site, run: Any) -> dict[str, Any]:
    before = len(site.fake.writes())
    with site.account.server.recorded() as calls:
        result: dict[str, Any] = run()
    assert (site.account.writes(calls), site.fake.writes()[before:]) == ([], [])
    return result


def sizes(site: Site) -> tuple[int, int, int]:
    groups = site.account.client("autoscaling").describe_auto_scaling_groups()["AutoScalingGroups"]
    (group,) = (each for each in groups if each["AutoScalingGroupName"] == f"{WORKERS}.{NAME}")
    return group["MinSize"], group["MaxSize"], group["DesiredCapacity"]


def stored_sizes() -> tuple[int | None, int | None]:
    _cluster, groups = ClusterStore.open(STORE, NAME).read()
    (group,) = (each for each in groups if each.metadata.name == WORKERS)
    return group.spec.min_size, group.spec.max_size


# -- delete_instance -------------------------------------------------------------------------------------------------


def test_an_instance_is_replaced_by_its_name(site: Site) -> None:
    first = site.instances()[WORKERS][0]
    planned = writes_nothing(site, lambda: delete(site, first, check=True))
    assert planned["changed"]
    assert planned["text"] == [
        f"instance group {WORKERS} (Node): 1 instance to replace",
        f"   {first} is detached, so that another one starts before the first is drained",
        f" 1 {first}: it was named, and another one starts in its place",
    ]
    # It is replaced because it has failed, so that its failure must not prevent that.
    fail_node(site.fake, first, HOUR)
    done = delete(site, first)
    assert not done.get("failed"), done["msg"]
    assert (done["plan"], done["changed"]) == (planned["plan"], True)
    assert [(each["result"], each["detached"]) for each in done["report"]] == [("replaced", True)]
    assert first not in nodes(site)
    assert sizes(site) == (4, 4, 4)
    assert len(site.instances()[WORKERS]) == 4
    again = writes_nothing(site, lambda: delete(site, first))
    assert (again["changed"], again["gone"], again["text"]) == (False, [first], [f"{first} does not exist any more"])


def test_names_that_nothing_has_and_no_name_at_all(site: Site) -> None:
    refused = delete(site, "worker-7", "worker-8", "")
    assert "there is no instance worker-7, nor worker-8 in the cluster; there are i-" in refused["msg"]
    assert "instances names no instance" in delete(site, "")["msg"]


def test_a_control_plane_is_replaced_without_a_surge_but_never_removed(site: Site) -> None:
    (server,) = site.instances()[CONTROL_PLANE]
    refused = writes_nothing(site, lambda: delete(site, server, replace=False))
    assert f"- {server} is a control plane; it can only be replaced" in refused["msg"]
    (plan,) = delete(site, server, check=True)["plan"]
    assert (plan["role"], plan["detached"]) == ("ControlPlane", [])


def test_a_group_shrinks_in_the_store_and_in_the_cloud(site: Site) -> None:
    first, second, *others = site.instances()[WORKERS]
    planned = writes_nothing(site, lambda: delete(site, first, check=True, replace=False))
    assert planned["sizes"] == [{"instance_group": WORKERS, "instances": 3, "min_size": 3, "max_size": 3}]
    assert planned["text"] == [
        f"instance group {WORKERS} (Node): 1 instance to delete",
        f" 1 {first}: it was named, and none starts in its place",
        f"instance group {WORKERS} then has 3 instances, in its specification minSize 3 and maxSize 3",
    ]
    # A drain that cannot end leaves the size as it is.
    site.pod("kept", first)
    site.fake.blocked.add("kept")
    assert "pod default/kept" in delete(site, first, replace=False, drain_timeout=1)["msg"]
    assert (stored_sizes(), sizes(site)) == ((4, 4), (4, 4, 4))
    site.fake.blocked.clear()
    done = delete(site, first, replace=False)
    assert not done.get("failed"), done["msg"]
    assert [each["result"] for each in done["report"]] == ["deleted"]
    assert (stored_sizes(), sizes(site)) == ((3, 3), (3, 3, 3))
    assert sorted(site.instances()[WORKERS]) == sorted([second, *others])
    assert not delete(site, first, replace=False)["changed"]
    # Nothing is left for update_cluster, which would start it again otherwise.
    site.account.update(check=True)
    assert sizes(site) == (3, 3, 3)


def test_a_removal_that_was_killed_is_finished_by_another_run(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    first = site.instances()[WORKERS][0]

    def killed(*arguments: Any) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as broken:
        broken.setattr(AWSProvider, "remove", killed)
        with pytest.raises(KeyboardInterrupt):
            delete(site, first, replace=False)
    assert (stored_sizes(), sizes(site)) == ((2, 2), (3, 3, 3))
    assert not delete(site, first, replace=False).get("failed")
    assert (stored_sizes(), sizes(site)) == ((2, 2), (2, 2, 2))


# -- repair ----------------------------------------------------------------------------------------------------------


def test_a_cluster_without_failures_is_left_alone(site: Site) -> None:
    result = writes_nothing(site, lambda: mended(site))
    assert (result["changed"], result["text"], result["report"]) == (False, [], [])


def test_a_node_that_has_not_been_ready_for_too_long_is_replaced(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = site.instances()[WORKERS]
    fail_node(site.fake, first, 60)
    watched = writes_nothing(site, lambda: mended(site))
    assert not watched["changed"]
    reason = "its node has not been ready for 60 s: Kubelet stopped posting node status"
    assert [each["reason"][:22] for each in watched["watched"]] == [reason[:22]]
    fail_node(site.fake, first, HOUR)
    site.pod("web", first)
    site.fake.stubborn.add("web")
    site.fake.add("VolumeAttachment", "csi-1", api_version="storage.k8s.io/v1", spec={"nodeName": first, "source": {}})
    monkeypatch.setattr(operation, "give_free", functools.partial(give_free, seconds=0.2, pause=0.1))
    planned = writes_nothing(site, lambda: mended(site, check=True))
    assert planned["changed"]
    assert planned["plan"][0]["instances"] == [
        {
            "instance": first,
            "node": first,
            "reasons": ["its node has not been ready for 60 min: Kubelet stopped posting node status"],
        }
    ]
    done = mended(site)
    assert not done.get("failed"), done["msg"]
    assert [(each["instance"], each["result"]) for each in done["report"]] == [(first, "replaced")]
    assert (first in nodes(site), second in nodes(site)) == (False, True)
    tainted = [each for each in site.fake.requests if each.startswith(f"PATCH /api/v1/nodes/{first}")]
    assert len(tainted) >= 3, "scheduled for update, cordoned, out of service"
    assert len(site.instances()[WORKERS]) == 2
    site.fake.objects = {path: each for path, each in site.fake.objects.items() if each["metadata"]["name"] != "csi-1"}
    again = writes_nothing(site, lambda: mended(site))
    assert (again["changed"], again["text"]) == (False, [])


def test_too_many_failures_at_the_same_time_stop_everything(site: Site) -> None:
    first, second = site.instances()[WORKERS]
    fail_node(site.fake, first, HOUR)
    # It has failed only just now, but it counts.
    fail_node(site.fake, second, 5)
    refused = writes_nothing(site, lambda: mended(site))
    assert refused["failed"]
    assert f"instance group {WORKERS}: 2 of 2 nodes of instance group {WORKERS} fail at the same time" in refused["msg"]
    assert "at the same time, and 1 may (i-" in refused["msg"]
    assert mended(site, check=True)["msg"] == refused["msg"]
    assert refused["plan"][0]["left_alone"]
    assert not mended(site, check=True, max_unhealthy="2").get("failed")
    problems = mended(site, max_unhealthy="many", after=-1)["msg"]
    assert "after is -1" in problems
    assert "max_unhealthy is 'many'" in problems
    recovers(site, first)
    recovers(site, second)


def test_a_control_plane_waits_for_etcd(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    (server,) = site.instances()[CONTROL_PLANE]
    fail_node(site.fake, server, HOUR)
    lacking = "etcd cluster main has no member to spare"
    with monkeypatch.context() as patched:
        patched.setattr(
            "ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud.CloudFleet.lacking",
            lambda fleet, node: [lacking],
        )
        refused = writes_nothing(site, lambda: mended(site))
    assert lacking in refused["msg"]
    done = mended(site)
    assert not done.get("failed"), done["msg"]
    assert site.instances()[CONTROL_PLANE] != [server]


def test_a_control_plane_that_has_lost_a_static_pod(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(operation, "_ANEW", 0.1)
    (server,) = site.instances()[CONTROL_PLANE]
    path = f"/api/v1/namespaces/kube-system/pods/kube-scheduler-{server}"
    lost = site.fake.objects.pop(path)
    planned = writes_nothing(site, lambda: mended(site, check=True))
    assert planned["plan"][0]["instances"][0]["reasons"] == ["it has no pod kube-scheduler"]
    # A kubelet that starts it anew.
    with monkeypatch.context() as patched:
        patched.setattr("time.sleep", lambda seconds: site.fake.objects.update({path: lost}))
        assert not writes_nothing(site, lambda: mended(site))["changed"]
    del site.fake.objects[path]
    done = mended(site)
    assert not done.get("failed"), done["msg"]
    assert [(each["instance"], each["result"]) for each in done["report"]] == [(server, "replaced")]
    assert not writes_nothing(site, lambda: mended(site))["changed"]


def test_a_rolling_update_replaces_the_very_one_that_fails(site: Site) -> None:
    """Else it would wait for it in vain, before it comes to it."""
    (server,) = site.instances()[CONTROL_PLANE]
    del site.fake.objects[f"/api/v1/namespaces/kube-system/pods/kube-scheduler-{server}"]
    given = {"name": NAME, "state_store": STORE, "api_server": site.fake.url, "instance_groups": [CONTROL_PLANE]}
    done = run_here(rolling_update, {**given, **QUICK, "force": True}, check=False)
    assert not done.get("failed"), done["msg"]
    assert [(each["instance"], each["result"]) for each in done["report"]] == [(server, "replaced")]


def test_instances_and_nodes_that_belong_to_nothing_are_deleted(site: Site) -> None:
    first = site.instances()[WORKERS][0]
    # Somebody has taken it out of its group by hand, and the group has started another one.
    site.account.client("autoscaling").detach_instances(
        AutoScalingGroupName=f"{WORKERS}.{NAME}", InstanceIds=[first], ShouldDecrementDesiredCapacity=False
    )
    site.join()
    ghost = "i-0123456789abcdef0"
    site.fake.add("Node", ghost, metadata={"labels": {}}, spec={}, status={"conditions": []})
    fail_node(site.fake, ghost, HOUR)
    young = writes_nothing(site, lambda: mended(site, check=True))
    assert [each["instance"] for each in young["watched"]] == [first]
    planned = writes_nothing(site, lambda: mended(site, check=True, join_after=0))
    assert planned["plan"][0]["instances"][0]["reasons"] == [
        f"it belongs to no instance group, though it has the tag of {WORKERS}"
    ]
    assert [(each["node"], each["result"]) for each in planned["nodes"]] == [(ghost, "not started")]
    done = mended(site, join_after=0)
    assert not done.get("failed"), done["msg"]
    assert [(each["instance"], each["result"]) for each in done["report"]] == [(first, "deleted")]
    assert [each["result"] for each in done["nodes"]] == ["deleted"]
    assert not {first, ghost} & set(nodes(site))
    assert len(site.instances()[WORKERS]) == 2


def test_an_instance_that_never_became_a_node(site: Site) -> None:
    first = site.instances()[WORKERS][0]
    del site.fake.objects[f"/api/v1/nodes/{first}"]
    assert not writes_nothing(site, lambda: mended(site))["changed"]
    done = mended(site, join_after=0)
    assert not done.get("failed"), done["msg"]
    assert "and is not a node" in done["report"][0]["reasons"][0]
    assert first not in site.instances()[WORKERS]


def test_a_run_without_failures_says_so_and_nothing_comes_next(site: Site) -> None:
    """What plans say is in docs/replace-nodes.md, whose commands are typed."""
    server = f"kops_api_server={site.fake.url}"
    output = site.account.ansible("ansible-playbook", "kubeops.kops.repair", "-e", server)
    assert "No node has failed" in output
    assert "Next:" not in output
