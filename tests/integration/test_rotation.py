# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of keys of a cluster on AWS: its instances are moto's, its API server is a fake that has a new certificate
with each new control plane. The tests of this file go through the life of one cluster, in their order, with the
commands of the documentation where these do what is tested.
"""

from __future__ import annotations

import base64
import datetime
import json
import os
import pathlib
import re
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.tokens import key_id
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import open_cloud
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.administrator import admin_pair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation import cloud as rotation
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status import validation
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki, secrets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import rotate
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.output import missing_of
from ansible_collections.kubeops.kops.tests.documented.runs import ROTATION, taken_by
from ansible_collections.kubeops.kops.tests.documented.shell import Command
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    ansible_environment,
    fresh_account,
)
from ansible_collections.kubeops.kops.tests.integration.test_validation import CONTROL_PLANE
from ansible_collections.kubeops.kops.tests.support import warm_ansible
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes
from ansible_collections.kubeops.kops.tests.support.running_cluster import RunningCluster, running_cluster, settings

QUICK = {"post_drain_delay": 0, "interval": 0, "count": 1, "wait": 10}
KEYS = ("apiserver-aggregator-ca", "etcd-clients-ca", "etcd-manager-ca-events", "etcd-manager-ca-main")
KEYS += ("etcd-peers-ca-events", "etcd-peers-ca-main", "kubernetes-ca", "service-account")
ROLLOUT = "all nodes take this up, and pods with the keys of before are restarted"
OTHER_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPd1ihgB5TNuxyKWLDuUpTpGSzQ2VSBBEwiyHHfB3Y4T other@example.com"
# What the documentation says to type, in its order: what would be done; all of it; and in three parts.
CHECK, ALL, PRESENT, PROMOTED, REST = taken_by(ROTATION, "docs/rotation.md")
# The age that these commands give is reached.
AGE, LONGER = "90d", datetime.timedelta(days=100)


@dataclass
class RotatedSite:
    """A cluster with old keys. settings: an inventory with what its user sets once."""

    account: Account
    cluster: RunningCluster
    settings: pathlib.Path

    @property
    def fake(self) -> FakeKubernetes:
        return self.cluster.fake

    @property
    def store(self) -> ClusterStore:
        return self.cluster.store

    def rotate(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        arguments = {"name": NAME, "state_store": STORE, "api_server": self.fake.url, **QUICK, **options}
        return run_here(rotate, arguments, check=check)

    def type(self, command: Command, *, expect: int = 0) -> str:
        """Type a command of the documentation, and compare what a page shows."""
        environment = {**os.environ, **ansible_environment(), "ANSIBLE_INVENTORY": str(self.settings)}
        done = warm_ansible.run(command.words, directory=ROOT, environment=environment)
        assert done.returncode == expect, done.stdout
        assert missing_of(command, done.stdout) == [], done.stdout
        return done.stdout

    def user(self, name: str, node: str) -> None:
        """A pod with a token, which a DaemonSet creates again at once."""
        now = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        owner = {"apiVersion": "apps/v1", "kind": "Job", "name": "users", "controller": True}
        volume = {"projected": {"sources": [{"serviceAccountToken": {}}]}}
        self.fake.add(
            "Pod",
            name,
            "default",
            metadata={"creationTimestamp": now, "ownerReferences": [owner]},
            spec={"nodeName": node, "volumes": [volume]},
            status={"phase": "Running"},
        )


@pytest.fixture(scope="module")
def site(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[RotatedSite]:
    directory = tmp_path_factory.mktemp("account")
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, directory)
        account.create(zones=["us-east-1a"], node_count=1, set=["spec.encryptionConfig=true"])
        store = ClusterStore.open(STORE, NAME)
        with monkeypatch.context() as long_ago:
            build, name = pki.build_serial, secrets.encryption_key_name
            long_ago.setattr(pki, "build_serial", lambda: build(time.time_ns() - int(LONGER.total_seconds() * 1e9)))
            long_ago.setattr(secrets, "encryption_key_name", lambda moment: name(moment - LONGER))
            account.update()
        with running_cluster(RunningCluster, STORE, NAME, directory) as cluster:
            # A key of an administrator for each look would take most of the time.
            pair = admin_pair(store.keysets.get(KUBERNETES_CA), datetime.timedelta(hours=4))
            monkeypatch.setattr(validation, "admin_pair", lambda *arguments: pair)
            opened = open_cloud(store.read()[0])
            monkeypatch.setattr(validation, "open_cloud", lambda *arguments: opened)
            yield RotatedSite(account, cluster, settings(directory, cluster.fake))


def items(site: RotatedSite) -> dict[str, list[tuple[bool, bool]]]:
    """Keyset -> whether each of its key pairs is primary, and trusted; the oldest first."""
    return {
        name: [(item is keyset.primary, item.distrusted is None) for item in keyset.sorted_items]
        for name, keyset in site.store.keysets.list().items()
    }


def steps_in(output: str) -> list[str]:
    """The steps that a run has shown; one without --check shows what each of its rollouts does, instead of these."""
    return re.findall(rf"^  ((?:[\w-]+: )?(?:{'|'.join(STEPS)}).*|{ROLLOUT})$", output, re.MULTILINE)


# What the lines of steps begin with, after the name of the keys.
STEPS = ("add a key", "sign with", "distrust", "encrypt", "remove", "write", "only the key")


def test_nothing_begins_by_itself(site: RotatedSite) -> None:
    idle = site.rotate()
    assert (idle["changed"], idle["steps"]) == (False, []), idle
    assert site.rotate(before="101d")["steps"] == []
    for wrong, words in (("soon", "give a moment"), ("2999-01-01T00:00:00Z", "not come yet"), ("0d", "give a moment")):
        assert words in site.rotate(before=wrong)["msg"]
    assert "has no keys other" in site.rotate(keysets=["other"])["msg"]
    assert site.fake.writes() == []


@pytest.mark.long
def test_all_keys_though_runs_are_killed_and_held_up(
    site: RotatedSite, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    old = {*site.cluster.instances()}
    encryption = site.store.secrets.find("encryptionconfig")
    with site.account.server.recorded() as calls:
        planned = steps_in(site.type(CHECK))
    assert (site.account.writes(calls), site.fake.writes()) == ([], [])
    assert planned.count(ROLLOUT) == 3, "\n".join(planned)
    # No node uses the CAs of etcd's manager, so they wait for none.
    at_once = planned[: planned.index(ROLLOUT)]
    assert "etcd-manager-ca-main: distrust the old key pair" in at_once
    assert "kubernetes-ca: sign with the new key pair" not in at_once
    site.user("watcher", site.cluster.of_group(CONTROL_PLANE)[0])
    rules = tmp_path / "rules.yml"
    rules.write_text("rules: [{name: d, message: Ask., about: operation, names: [rotate], must: instances == `0`}]")
    with site.account.server.recorded() as calls:
        forbidden = [site.rotate(check=check, before=AGE, policy=[str(rules)]) for check in (True, False)]
    assert all("Operation/rotate: instances == `0` does not hold" in each["msg"] for each in forbidden)
    assert site.account.writes(calls) == []
    begun = steps_in(site.type(PRESENT))
    assert {each.partition(":")[0] for each in begun} == {*KEYS, "encryptionconfig"}
    assert items(site) == {name: [(True, True), (False, True)] for name in KEYS}
    assert site.rotate(until="present")["steps"] == []
    # What was begun is not begun again.
    assert not any("add a key" in each for each in site.rotate(before=AGE, check=True)["steps"])

    def killed(*arguments: Any, **more: Any) -> None:
        raise SystemExit("killed")

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(rotation, "update_cluster", killed)
        site.rotate()
    assert items(site)["kubernetes-ca"] == [(False, True), (True, True)]
    site.type(PROMOTED)
    assert all(item == [(False, True), (True, True)] for name, item in items(site).items() if "manager" not in name)

    # A token that never ends keeps its signer trusted; all other keys go on.
    secret = site.fake.add("Secret", "robot", "default", type="kubernetes.io/service-account-token", data=token(site))
    stopped = site.type(REST, expect=2)
    assert "has signed the tokens in these Secrets: default/robot" in " ".join(stopped.split())
    expected = dict.fromkeys(KEYS, [(False, False), (True, True)])
    assert items(site) == {**expected, "service-account": [(False, True), (True, True)]}
    del site.fake.objects[site.fake.path(secret)]
    settings(site.settings.parent, site.fake, kops_ssh_public_key=OTHER_SSH_KEY)
    done = steps_in(site.type(ALL))
    assert [each.partition(": ")[0] for each in done] == ["SSH", "service-account"]
    assert items(site) == expected
    assert not old & {*site.cluster.instances()}
    keys = site.store.secrets.find("encryptionconfig")
    assert keys is not None
    assert (keys.count(b"name: key-"), keys != encryption) == (1, True)
    assert f"PATCH {site.fake.path(secret)}" in site.fake.writes()
    assert {*planned} > {*begun}
    for again in (site.rotate(before=AGE, ssh_public_key=OTHER_SSH_KEY), site.rotate(check=True)):
        assert (again.get("changed"), again.get("steps")) == (False, []), again


def token(site: RotatedSite) -> dict[str, str]:
    """The data of a Secret with a token of the oldest key of service accounts."""
    signer = site.store.keysets.get("service-account").sorted_items[0]
    header = json.dumps({"kid": key_id(pki.public_key_pem(signer.certificate))}).encode()
    return {"token": base64.b64encode(base64.urlsafe_b64encode(header) + b".x.y").decode()}
