# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rolling updates of a cluster on AWS: its instances are moto's, its API server is a fake with TLS.

Whatever a group starts is a node at once. The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import datetime
import pathlib
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.common import RollingUpdate
from ansible_collections.kubeops.kops.plugins.module_utils.api.kubelet import KubeletConfigSpec
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.looking import AWSLooking
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.provider import AWSProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.replacing import AWSReplacing
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import DETACHED, SERVING, CloudInstance
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.place import Place
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import CloudFleet
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status import validation
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.leases import Lease
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import INSTANCES_LEASE, ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import rolling_update
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, Account, fresh_account
from ansible_collections.kubeops.kops.tests.integration.test_validation import (
    CONTROL_PLANE,
    WORKERS,
    api_server,
    authority_of,
)
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import add_node, add_servers

QUICK = {"post_drain_delay": 0, "interval": 0, "count": 1, "wait": 10}
OLD = "it is of version 1 of its launch template, which has 2 now: another NodeConfig"


class Site:
    """A cluster, whose workers are two. Nodes follow its instances."""

    def __init__(self, account: Account, fake: FakeKubernetes) -> None:
        self.account, self.fake = account, fake
        self.cloud = AWSProvider().open(Place("us-east-1"), NAME)
        self.lock = threading.Lock()
        self.join()

    def arguments(self, costly: str) -> tuple[Any, ...]:
        """Of what a run does first."""
        store = ClusterStore.open(STORE, NAME)
        if costly == "open_cloud":
            return (store.read()[0],)
        return (store.keysets.find(KUBERNETES_CA), datetime.timedelta(hours=4))

    def instances(self, *, detached: bool = False) -> dict[str, list[str]]:
        """Instance group -> its instances that serve, or those that were detached."""
        found = AWSLooking().machines(self.cloud)
        wanted = DETACHED if detached else SERVING
        return {name: [each.name for each in group if each.state == wanted] for name, group in found.items()}

    def join(self) -> None:
        """New instances are nodes, and those of control planes have members of etcd."""
        with self.lock:
            for group, names in self.instances().items():
                for name in names:
                    if f"/api/v1/nodes/{name}" not in self.fake.objects:
                        add_node(self.fake, name, group)
                        self.fake.objects[f"/api/v1/nodes/{name}"]["spec"] = {}
                        if group == CONTROL_PLANE:
                            add_servers(self.fake, name)

    def roll(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        arguments = {"name": NAME, "state_store": STORE, "api_server": self.fake.url, **QUICK, **options}
        return run_here(rolling_update, arguments, check=check)

    def pod(self, name: str, node: str) -> None:
        self.fake.add("Pod", name, "default", spec={"nodeName": node}, status={"phase": "Running"})


@pytest.fixture(scope="module")
def site(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    with new_site(server, tmp_path_factory.mktemp("account"), 2) as made:
        yield made


@contextmanager
def new_site(server: AWSServer, directory: pathlib.Path, workers: int) -> Iterator[Site]:
    """A cluster in an account of its own, with so many workers."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, directory)
        account.create(zones=["us-east-1a"], node_count=workers)
        account.update()
        with api_server(directory, authority_of(account)) as fake:
            made = Site(account, fake)
            detach, terminate = AWSReplacing.detach, AWSReplacing.terminate

            def detached(self: Any, cloud: Any, machine: CloudInstance) -> None:
                detach(self, cloud, machine)
                made.join()

            def terminated(self: Any, cloud: Any, machine: CloudInstance) -> None:
                terminate(self, cloud, machine)
                # Nobody sees their end, but for that of static pods.
                for path in [each for each in fake.objects if each.endswith(f"-{machine.name}")]:
                    del fake.objects[path]
                made.join()

            # Each run would make a key and clients of its own, for most of this file's time.
            for costly in ("admin_pair", "open_cloud"):
                made_once = getattr(validation, costly)(*made.arguments(costly))
                monkeypatch.setattr(validation, costly, lambda *arguments, made_once=made_once: made_once)
            monkeypatch.setattr(AWSReplacing, "detach", detached)
            monkeypatch.setattr(AWSReplacing, "terminate", terminated)
            yield made


def change_workers(site: Site, machine_type: str) -> str:
    """Another machine type for workers, without an update; returns why those that run have to be replaced."""
    ec2 = site.account.client("ec2")
    template = {"LaunchTemplateName": f"{WORKERS}.{NAME}"}
    data = {"InstanceType": machine_type}
    made = ec2.create_launch_template_version(**template, SourceVersion="$Latest", LaunchTemplateData=data)
    newest = made["LaunchTemplateVersion"]["VersionNumber"]
    return f"it is of version {newest - 1} of its launch template, which has {newest} now: another instance type"


def test_workers_are_replaced_as_the_plan_said(site: Site) -> None:
    assert site.roll(check=True)["plan"] == []
    site.account.change_group(WORKERS, kubelet=KubeletConfigSpec(max_pods=42))
    site.account.update()
    reason = "it is of version 1 of its launch template, which has 2 now: another NodeConfig"
    old = site.instances()
    with site.account.server.recorded() as calls:
        planned = site.roll(check=True)
    assert (site.account.writes(calls), site.fake.writes()) == ([], [])
    (group,) = planned["plan"]
    first, second = old[WORKERS]
    assert group == {
        "instance_group": WORKERS,
        "role": "Node",
        "instances": [
            {"instance": first, "node": first, "reasons": [reason]},
            {"instance": second, "node": second, "reasons": [reason]},
        ],
        "warm": [],
        "detached": [second],
        "at_once": 1,
        "left_alone": "",
    }
    assert planned["changed"]
    assert {each["result"] for each in planned["report"]} == {"not started"}

    site.pod("web", first)
    done = site.roll()
    assert (done["changed"], done.get("failed"), done["plan"]) == (True, None, planned["plan"])
    assert [(each["instance"], each["result"]) for each in done["report"]] == [
        (first, "replaced"),
        (second, "replaced"),
    ]
    assert not set(site.instances()[WORKERS]) & set(old[WORKERS])
    assert site.instances()[CONTROL_PLANE] == old[CONTROL_PLANE]
    assert (len(site.instances()[WORKERS]), site.instances(detached=True)[WORKERS]) == (2, [])
    nodes = [path.rpartition("/")[2] for path in site.fake.objects if path.startswith("/api/v1/nodes/")]
    assert sorted(nodes) == sorted([*site.instances()[WORKERS], *old[CONTROL_PLANE]])
    evicted = "POST /api/v1/namespaces/default/pods/web/eviction"
    writes = [each for each in site.fake.writes() if first in each or "web" in each]
    assert writes[-2:] == [evicted, f"DELETE /api/v1/nodes/{first}"]
    again = site.roll()
    assert (again["changed"], again["plan"]) == (False, [])


def test_a_drain_that_cannot_end_and_the_run_that_follows(site: Site) -> None:
    reason = change_workers(site, "m5.large")
    first, second = site.instances()[WORKERS]
    site.pod("kept", first)
    site.fake.blocked.add("kept")
    stopped = site.roll(drain_timeout=1)
    assert stopped["failed"]
    assert f"instance group {WORKERS}: node {first} is cordoned but not drained after 1 seconds" in stopped["msg"]
    assert "pod default/kept: would violate the pod's disruption budget" in stopped["msg"]
    assert [each["result"] for each in stopped["report"]] == ["failed", "not started"]
    labels = site.fake.objects[f"/api/v1/nodes/{first}"]["metadata"]["labels"]
    assert "node.kubernetes.io/exclude-from-external-load-balancers" in labels
    # What was begun is in the cloud and the cluster, and nowhere else: one is detached, the other one is cordoned.
    assert site.instances(detached=True)[WORKERS] == [second]
    site.fake.blocked.clear()
    (group,) = site.roll(check=True)["plan"]
    reasons = {each["instance"]: each["reasons"] for each in group["instances"]}
    assert list(reasons) == [first, second]
    cordoned = "an earlier rolling update has cordoned its node"
    assert [each.partition(" at ")[0] for each in reasons[first]] == [reason, cordoned]
    assert reasons[second] == ["it was taken out of its group"]
    assert group["detached"] == []
    done = site.roll()
    assert not done.get("failed"), done["msg"]
    assert {each["result"] for each in done["report"]} == {"replaced"}
    assert len(site.instances()[WORKERS]) == 2


def test_a_control_plane_whose_node_is_marked(site: Site) -> None:
    (server,) = site.instances()[CONTROL_PLANE]
    site.fake.objects[f"/api/v1/nodes/{server}"]["metadata"]["annotations"] = {"kops.k8s.io/needs-update": ""}
    targets = site.account.client("elbv2")
    (group,) = (each for each in targets.describe_target_groups()["TargetGroups"] if each["Port"] == 443)

    def registered() -> list[str]:
        health = targets.describe_target_health(TargetGroupArn=group["TargetGroupArn"])["TargetHealthDescriptions"]
        return [each["Target"]["Id"] for each in health]

    assert registered() == [server]
    done = site.roll()
    assert [(each["instance"], each["reasons"], each["result"]) for each in done["report"]] == [
        (server, ["its node has the annotation kops.k8s.io/needs-update"], "replaced")
    ]
    (successor,) = site.instances()[CONTROL_PLANE]
    assert successor != server
    assert registered() == [successor]
    (machine,) = AWSLooking().machines(site.cloud)[CONTROL_PLANE]
    replacing = AWSReplacing()
    replacing.pause = 0
    replacing.deregister(site.cloud, machine, seconds=5)
    assert registered() == []


def test_choices_limits_and_what_is_left_alone(site: Site) -> None:
    change_workers(site, "m5.xlarge")
    first, second = site.instances()[WORKERS]
    assert "there is no instance group 'x'" in site.roll(check=True, instance_groups=["x"])["msg"]
    (group,) = site.roll(check=True, force=True, instance_group_roles=["control-plane"])["plan"]
    assert group["instances"][0]["reasons"] == ["force was given"]
    one = site.roll(limit=1)
    assert ([each["instance"] for each in one["report"]], one["report"][0]["result"]) == ([first], "replaced")
    assert second in site.instances()[WORKERS]
    site.account.change_group(WORKERS, rolling_update=RollingUpdate(drain_and_terminate=False))
    left = site.roll()
    assert (left["changed"], left["report"]) == (False, [])
    assert left["plan"][0]["left_alone"] == "spec.rollingUpdate.drainAndTerminate is false"
    site.account.change_group(WORKERS, rolling_update=None)


def test_a_policy_stops_it_before_anything_is_replaced(site: Site, tmp_path: pathlib.Path) -> None:
    change_workers(site, "m5.2xlarge")
    rules = tmp_path / "rules.yml"
    rule = "rules:\n- {name: few, message: Ask., about: operation, field: instances, max: %d}\n"
    rules.write_text(rule % 1)
    before = site.instances()
    with site.account.server.recorded() as calls:
        for check in (True, False):
            forbidden = site.roll(check=check, policy=[str(rules)])
            assert (forbidden["failed"], forbidden["changed"], "next" in forbidden) == (True, False, False)
            assert "Operation/rolling_update: instances is 2; at most 1 is allowed. Ask." in forbidden["msg"]
            assert [each["rule"] for each in forbidden["violations"]] == ["few"]
    assert site.account.writes(calls) == []
    assert site.instances() == before
    given = ("-e", f"kops_api_server={site.fake.url}", "-e", f"kops_policy={rules}")
    output = site.account.ansible("ansible-playbook", "kubeops.kops.rolling_update", *given, expect=2)
    assert f"instance group {WORKERS} (Node): 2 instances to replace" in output
    # What a user may do within the policy.
    (done,) = site.roll(policy=[str(rules)], limit=1)["report"]
    assert done["result"] == "replaced"
    rules.write_text("rules: [{name: w, message: A., about: change, kinds: [Instance], effect: warn, never: true}]")
    warned = site.roll(check=True, policy=[str(rules)])
    (left,) = warned["plan"][0]["instances"]
    assert [each["object"] for each in warned["violations"]] == [f"Instance/{left['instance']}"]
    assert "next" in warned


def instances_lease(lifetime: float = 60, *, break_existing: bool = False) -> Lease:
    path = ClusterStore.open(STORE, NAME).path.join(INSTANCES_LEASE)
    return Lease(path, "rolling update", wait=0, break_existing=break_existing, lifetime=lifetime)


def test_only_one_run_at_a_time_replaces_instances(site: Site) -> None:
    before, seen = site.instances(), len(site.fake.writes())
    with instances_lease():
        stopped = site.roll(lease_wait=0)
        planned = site.roll(check=True)
    assert "holds the lease for 'rolling update' until" in stopped["msg"]
    assert (site.instances(), len(site.fake.writes())) == (before, seen)
    assert (len(planned["plan"]), planned.get("failed")) == (1, None)


def test_a_run_whose_lease_was_taken_over_changes_nothing_more(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    before = site.instances()
    lease = instances_lease(lifetime=1)
    monkeypatch.setattr(ClusterStore, "instances_lease", lambda *_given, **_options: lease)
    look = CloudFleet.look

    def taken_over(fleet: CloudFleet, away: Collection[str]) -> Any:
        with instances_lease(break_existing=True):
            time.sleep(0.5)
        return look(fleet, away)

    monkeypatch.setattr(CloudFleet, "look", taken_over)
    stopped = site.roll()
    assert "was lost while working on rolling update: now" in stopped["msg"]
    assert (site.instances(), {each["result"] for each in stopped["report"]}) == (before, {"not started"})


def test_a_node_that_never_becomes_ready_is_named(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    first, second = site.instances()[WORKERS]
    monkeypatch.setattr(site, "join", lambda: None)
    stopped = site.roll(wait=0)
    assert stopped["failed"]
    (new,) = set(site.instances()[WORKERS]) - {first, second}
    assert "was detached, the cluster is not as it should be" in stopped["msg"]
    assert f"Machine {new}: has not joined the cluster yet" in stopped["msg"]
    assert {each["result"] for each in stopped["report"]} == {"not started"}


def test_without_the_api(site: Site) -> None:
    unreachable = "https://127.0.0.1:1"
    assert "the API of cluster demo.example.com cannot be reached" in site.roll(api_server=unreachable)["msg"]
    done = site.roll(api_server=unreachable, cloudonly=True)
    assert not done.get("failed"), done["msg"]
    assert {each["result"] for each in done["report"]} == {"replaced"}
    assert site.roll()["plan"] == []
