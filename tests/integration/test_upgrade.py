# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Upgrades of a cluster on AWS: its instances are moto's, its API server is a fake with TLS.

Whatever a group starts is a node of the version that its user data says. The tests of this file go through the life of
one cluster, in their order, with the commands of the documentation where these do what is tested.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.versions import Version
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.model.config import WORKERS_VERSION
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import upgrade_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.output import missing_of
from ansible_collections.kubeops.kops.tests.documented.runs import UPGRADE, taken_by
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    ansible_environment,
    fresh_account,
    run_ansible,
)
from ansible_collections.kubeops.kops.tests.integration.test_validation import CONTROL_PLANE, WORKERS
from ansible_collections.kubeops.kops.tests.support import warm_ansible
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import RunningCluster, running_cluster, settings

OLD, NEW = "1.33.4", "1.34.4"
# What the documentation says to type, in its order.
PLAN, UPGRADED, RECONCILE_CHECK, RECONCILE = taken_by(UPGRADE, "docs/upgrade.md", "playbooks/reconcile.yml")
UNREACHABLE = "https://127.0.0.1:1"
METRICS = """# TYPE apiserver_requested_deprecated_apis gauge
apiserver_requested_deprecated_apis{group="",removed_release="",resource="endpoints",subresource="",version="v1"} 1
apiserver_requested_deprecated_apis{group="flowcontrol.apiserver.k8s.io",removed_release="1.35",resource="flowschemas",\
subresource="",version="v1beta3"} 1
apiserver_requested_deprecated_apis{group="batch",removed_release="1.36",resource="jobs",subresource="",version="v2"} 1
process_start_time_seconds 1.7e+09
"""


class Site(RunningCluster):
    """A cluster of a control plane and two workers.

    seen: whenever somebody lists the nodes, (version of the API server, versions of workers).
    """

    def __init__(self, fake: FakeKubernetes, *given: Any) -> None:
        self.seen: list[tuple[str, ...]] = []
        super().__init__(fake, *given)

    def join(self) -> None:
        super().join()
        running = [(group, self.version_of(name)) for name, group in self.instances().items()]
        servers = [version for group, version in running if group == CONTROL_PLANE]
        workers = [version for group, version in running if group == WORKERS]
        self.seen.append((*servers, *workers))
        if servers:
            oldest = min(map(Version.parse, servers))
            assert all(Version.parse(each) <= oldest for each in workers), (servers, workers)

    def version_of(self, node: str) -> str:
        info = self.fake.objects[f"/api/v1/nodes/{node}"]["status"]["nodeInfo"]
        return str(info["kubeletVersion"]).removeprefix("v")

    def type(self, command: Command) -> str:
        """Type a command of the documentation, and compare what a page shows."""
        environment = {**os.environ, **ansible_environment(), "ANSIBLE_INVENTORY": str(self.directory / "settings.yml")}
        done = warm_ansible.run(command.words, directory=ROOT, environment=environment)
        assert done.returncode == 0, done.stdout
        assert missing_of(command, done.stdout) == [], done.stdout
        return done.stdout

    def play(self, playbook: str, *options: str, expect: int = 0, **variables: str) -> str:
        waits = {"kops_validate_wait": "20", "kops_validate_interval": "1", "kops_validate_count": "1"}
        given = {"kops_api_server": self.fake.url, "kops_post_drain_delay": "0", **waits, **variables}
        command = ("ansible-playbook", f"kubeops.kops.{playbook}", "-e", json.dumps(given), *options)
        return run_ansible(*command, expect=expect)

    def specify(self, version: str) -> None:
        """Write a version into the specification."""
        store = ClusterStore.open(STORE, NAME)
        cluster = store.read_cluster()
        cluster.spec.kubernetes_version = version
        store.write_cluster(cluster)

    def given(self) -> tuple[str, str]:
        """The versions with which control planes and workers start now."""
        return self.version_for(CONTROL_PLANE), self.version_for(WORKERS)


@pytest.fixture(scope="module")
def account(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account"))
        account.create(zones=["us-east-1a"], node_count=2, kubernetes_version=OLD)
        account.update()
        yield account


@pytest.fixture(scope="module")
def site(account: Account, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    directory = tmp_path_factory.mktemp("site")
    with running_cluster(Site, STORE, NAME, directory) as site:
        settings(directory, site.fake)
        site.join()
        yield site


def test_the_plan_says_what_runs_and_what_is_written(site: Site, account: Account) -> None:
    with account.server.recorded() as calls:
        planned = site.type(PLAN)
    assert account.writes(calls) == []
    assert f"Kubernetes {OLD} -> {NEW}" in planned


def test_workers_keep_their_version_while_the_control_plane_is_older(site: Site, account: Account) -> None:
    site.specify(NEW)
    planned = account.update(check=True, api_server=site.fake.url)
    held = f"workers keep Kubernetes {OLD}, because API servers still run {OLD}"
    assert any(held in each for each in planned.plan.warnings), planned.plan.warnings
    changed = {entry["name"] for entry in planned.plan.as_data() if entry["kind"] == "LaunchTemplate"}
    assert changed == {f"{CONTROL_PLANE}.masters.{NAME}"}
    account.update(api_server=site.fake.url)
    assert site.given() == (NEW, OLD)
    completed = ClusterStore.open(STORE, NAME).completed()
    assert completed
    assert completed.spec.kubernetes_version == NEW
    assert completed.metadata.annotations[WORKERS_VERSION] == OLD
    assert not account.update(api_server=site.fake.url).changed


def test_without_an_answer_workers_keep_theirs_too(site: Site, account: Account) -> None:
    again = account.update(api_server=UNREACHABLE)
    assert not again.changed
    assert any("it is not known what the API servers run" in each for each in again.plan.warnings)
    planned = account.update(check=True, ignore_kubelet_version_skew=True)
    changed = {entry["name"] for entry in planned.plan.as_data() if entry["kind"] == "LaunchTemplate"}
    assert changed == {f"{WORKERS}.{NAME}"}


def test_a_minor_version_is_not_skipped(site: Site, account: Account) -> None:
    site.specify("1.35.0")
    with pytest.raises(KopsError, match=rf"runs {OLD}, and the next step from there is 1\.34"):
        account.update(api_server=site.fake.url)
    site.specify(OLD)
    warnings = account.update(check=True, api_server=site.fake.url).plan.warnings
    assert not any("workers keep" in each for each in warnings)
    site.specify(NEW)


def test_the_upgrade_goes_on_where_the_update_stopped(site: Site, account: Account) -> None:
    before = site.instances()
    with account.server.recorded() as calls:
        planned = site.type(RECONCILE_CHECK)
    assert account.writes(calls) == []
    assert (site.instances(), site.given(), site.fake.writes()) == (before, (NEW, OLD), [])
    for name in before:
        assert re.search(rf"^ +\d {name}: ", planned, re.M), planned
    assert f"~ LaunchTemplate/{WORKERS}.{NAME}" in planned
    site.type(UPGRADED)
    assert not before.keys() & site.instances().keys()
    assert site.given() == (NEW, NEW)
    assert set(site.seen[-1]) == {NEW}
    # One of them was new while the others were not, and each was seen.
    assert len({*site.seen}) > 2, site.seen
    completed = ClusterStore.open(STORE, NAME).completed()
    assert completed
    assert WORKERS_VERSION not in completed.metadata.annotations
    again = site.type(RECONCILE)
    assert re.search(r"^localhost +: ok=\d+ +changed=0 ", again, re.M), again


def upgraded(site: Site, *, check: bool = True, **options: Any) -> dict[str, Any]:
    arguments = {"name": NAME, "state_store": STORE, "api_server": site.fake.url, **options}
    return run_here(upgrade_cluster, arguments, check=check)


def test_what_runs_is_told_before_an_upgrade(site: Site) -> None:
    site.fake.raw["/metrics"] = METRICS.encode()
    planned = upgraded(site, kubernetes_version="1.35.0")
    assert planned["versions"] == [
        f"Kubernetes {NEW} -> 1.35.0",
        f"  control planes and API servers: {NEW} (1) -> 1.35.0, first, one after the other",
        f"  all other nodes: {NEW} (2) -> 1.35.0, when no API server is older",
    ]
    (warning,) = (each for each in planned["warnings"] if "clients request" in each)
    assert warning.startswith(
        "clients request flowcontrol.apiserver.k8s.io/v1beta3 flowschemas, which Kubernetes 1.35 and"
    )
    assert upgraded(site)["upgrades"][0]["new"].startswith("1.35.")


def test_an_upgrade_that_is_not_finished_is_not_overtaken(site: Site) -> None:
    worker = next(name for name, group in site.instances().items() if group == WORKERS)
    info = site.fake.objects[f"/api/v1/nodes/{worker}"]["status"]["nodeInfo"]
    info["kubeletVersion"] = f"v{OLD}"
    planned = upgraded(site)
    assert (planned["changed"], planned["upgrades"]) == (False, [])
    assert planned["versions"] == [
        f"Kubernetes {NEW}, which 1 nodes do not have yet",
        f"  control planes and API servers: {NEW} (1)",
        f"  all other nodes: {OLD} (1), {NEW} (1) -> {NEW}, when no API server is older",
    ]
    refused = upgraded(site, kubernetes_version="1.37.0")
    assert "skips versions" in refused["msg"]
    info["kubeletVersion"] = "v1.31.0"
    refused = upgraded(site, kubernetes_version="1.35.0")
    assert (
        f"the kubelets of these nodes are too old for its API server, which takes 3 minor versions: {worker} (1.31.0)"
        in (refused["msg"])
    )
    assert not upgraded(site, kubernetes_version="1.35.0", ignore_kubelet_version_skew=True).get("failed")


def test_a_restriction_is_refused_before_anything_is_written(site: Site) -> None:
    output = site.play("upgrade_cluster", expect=2, kops_kubernetes_version="1.35.0", kops_instance_groups=WORKERS)
    assert "kops_instance_groups: this playbook changes the whole cluster" in output
    assert ClusterStore.open(STORE, NAME).read_cluster().spec.kubernetes_version == NEW
    output = site.play("reconcile", expect=2, kops_target="terraform")
    assert "with Terraform or CloudFormation there are steps in between" in output
