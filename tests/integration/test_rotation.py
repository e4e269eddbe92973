# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Rotation of keys of a cluster on AWS: its instances are moto's, its API server is a fake that has a new certificate
with each new control plane. The tests of this file go through the life of one cluster, in their order.
"""

from __future__ import annotations

import base64
import datetime
import json
import pathlib
import ssl
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.tokens import key_id
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.aws.provider import AWSProvider
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.instances import Machine
from ansible_collections.kubeops.kops.plugins.module_utils.operations import validation
from ansible_collections.kubeops.kops.plugins.module_utils.operations.clouds import open_cloud
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.administrator import admin_pair
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation import cloud as rotation
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA, Keyset
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.plugins.modules import rotate
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import run_here
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, STORE, fresh_account
from ansible_collections.kubeops.kops.tests.integration.test_rolling_update import Site
from ansible_collections.kubeops.kops.tests.integration.test_validation import CONTROL_PLANE, records
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer

QUICK = {"post_drain_delay": 0, "interval": 0, "count": 1, "wait": 10}
KEYS = ("apiserver-aggregator-ca", "etcd-clients-ca", "etcd-manager-ca-events", "etcd-manager-ca-main")
KEYS += ("etcd-peers-ca-events", "etcd-peers-ca-main", "kubernetes-ca", "service-account")
ROLLOUT = "all nodes take this up, and pods with the keys of before are restarted"
OTHER_SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIPd1ihgB5TNuxyKWLDuUpTpGSzQ2VSBBEwiyHHfB3Y4T other@example.com"


class RotatedSite(Site):
    """Its API server gets a certificate, and gives pods the CAs, as its newest control plane was started with them."""

    tls: ssl.SSLContext
    directory: Any
    roots: Keyset

    @property
    def store(self) -> ClusterStore:
        return ClusterStore.open(STORE, NAME)

    def serve_anew(self) -> None:
        keyset = self.store.keysets.get(KUBERNETES_CA)
        request = pki.CertificateRequest("server", pki.Subject("apiserver"), alternate_names=(f"api.internal.{NAME}",))
        pair = pki.issue(request, keyset.signer())
        file = self.directory / "server.pem"
        file.write_text(pair.certificate + pair.private_key)
        self.tls.load_cert_chain(file)
        for namespace in ("kube-system", "default"):
            self.fake.add("ConfigMap", "kube-root-ca.crt", namespace, data={"ca.crt": keyset.certificate_bundle()})

    def rotate(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        arguments = {"name": NAME, "state_store": STORE, "api_server": self.fake.url, **QUICK, **options}
        return run_here(rotate, arguments, check=check)

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
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, directory)
        account.create(zones=["us-east-1a"], node_count=1, set=["spec.encryptionConfig=true"])
        account.update()
        with fake_kubernetes.serving(tls) as fake:
            fake.add("Namespace", "kube-system", metadata={"annotations": records()})
            made = RotatedSite(account, fake)
            made.tls, made.directory = tls, directory
            made.serve_anew()
            detach, terminate = AWSProvider.detach, AWSProvider.terminate

            def detached(self: Any, cloud: Any, machine: Machine) -> None:
                detach(self, cloud, machine)
                made.join()

            def terminated(self: Any, cloud: Any, machine: Machine) -> None:
                server = machine.name in made.instances()[CONTROL_PLANE]
                terminate(self, cloud, machine)
                for path in [each for each in fake.objects if each.endswith(f"-{machine.name}")]:
                    del fake.objects[path]
                made.join()
                if server:
                    made.serve_anew()

            # A key of an administrator for each look would take most of the time.
            pair = admin_pair(made.store.keysets.get(KUBERNETES_CA), datetime.timedelta(hours=4))
            monkeypatch.setattr(validation, "admin_pair", lambda *arguments: pair)
            opened = open_cloud(made.store.read()[0])
            monkeypatch.setattr(validation, "open_cloud", lambda *arguments: opened)
            monkeypatch.setattr(AWSProvider, "detach", detached)
            monkeypatch.setattr(AWSProvider, "terminate", terminated)
            yield made


def items(site: RotatedSite) -> dict[str, list[tuple[bool, bool]]]:
    """Keyset -> whether each of its key pairs is primary, and trusted; the oldest first."""
    return {
        name: [(item is keyset.primary, item.distrusted is None) for item in keyset.sorted_items]
        for name, keyset in site.store.keysets.list().items()
    }


def now() -> str:
    return datetime.datetime.now(datetime.timezone.utc).isoformat()


def test_nothing_begins_by_itself(site: RotatedSite) -> None:
    idle = site.rotate()
    assert (idle["changed"], idle["steps"]) == (False, []), idle
    assert site.rotate(before="90d")["steps"] == []
    for wrong, words in (("soon", "give a moment"), ("2999-01-01T00:00:00Z", "not come yet"), ("0d", "give a moment")):
        assert words in site.rotate(before=wrong)["msg"]
    assert "has no keys other" in site.rotate(keysets=["other"])["msg"]
    assert site.fake.writes() == []


def test_all_keys_though_runs_are_killed_and_held_up(
    site: RotatedSite, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path
) -> None:
    before, old = now(), {name for group in site.instances().values() for name in group}
    encryption = site.store.secrets.find("encryptionconfig")
    with site.account.server.recorded() as calls:
        planned = site.rotate(check=True, before=before)["steps"]
    assert (site.account.writes(calls), site.fake.writes()) == ([], [])
    assert planned.count(ROLLOUT) == 3, "\n".join(planned)
    # No node uses the CAs of etcd's manager, so they wait for none.
    at_once = planned[: planned.index(ROLLOUT)]
    assert "etcd-manager-ca-main: distrust the old key pair" in at_once
    assert "kubernetes-ca: sign with the new key pair" not in at_once
    site.user("watcher", site.instances()[CONTROL_PLANE][0])
    rules = tmp_path / "rules.yml"
    rules.write_text("rules: [{name: d, message: Ask., about: operation, names: [rotate], must: instances == `0`}]")
    with site.account.server.recorded() as calls:
        forbidden = [site.rotate(check=check, before=before, policy=[str(rules)]) for check in (True, False)]
    assert all("Operation/rotate: instances == `0` does not hold" in each["msg"] for each in forbidden)
    assert site.account.writes(calls) == []
    begun = site.rotate(before=before, until="present")
    assert not begun.get("failed"), begun["msg"]
    assert {each.partition(":")[0] for each in begun["steps"]} == {*KEYS, "encryptionconfig", ROLLOUT}
    assert items(site) == {name: [(True, True), (False, True)] for name in KEYS}
    assert site.rotate(until="present")["steps"] == []
    # What was begun is not begun again.
    assert not any("add a key" in each for each in site.rotate(before=before, check=True)["steps"])

    def killed(*arguments: Any, **more: Any) -> None:
        raise SystemExit("killed")

    with monkeypatch.context() as patch, pytest.raises(SystemExit):
        patch.setattr(rotation, "update_cluster", killed)
        site.rotate()
    assert items(site)["kubernetes-ca"] == [(False, True), (True, True)]

    # A token that never ends keeps its signer trusted; all other keys go on.
    secret = site.fake.add("Secret", "robot", "default", type="kubernetes.io/service-account-token", data=token(site))
    stopped = site.rotate()
    assert stopped["failed"]
    assert "has signed the tokens in these Secrets: default/robot" in stopped["msg"]
    expected = dict.fromkeys(KEYS, [(False, False), (True, True)])
    assert items(site) == {**expected, "service-account": [(False, True), (True, True)]}
    del site.fake.objects[site.fake.path(secret)]
    done = site.rotate(before=before, ssh_public_key=OTHER_SSH_KEY)
    assert [each.partition(": ")[0] for each in done["steps"]] == ["SSH", "service-account", ROLLOUT]
    assert items(site) == expected
    assert not old & {name for group in site.instances().values() for name in group}
    keys = site.store.secrets.find("encryptionconfig")
    assert keys is not None
    assert (keys.count(b"name: key-"), keys != encryption) == (1, True)
    assert f"PATCH {site.fake.path(secret)}" in site.fake.writes()
    assert {each for each in planned if each != ROLLOUT} >= {*begun["steps"]} - {ROLLOUT}
    for again in (site.rotate(before=before, ssh_public_key=OTHER_SSH_KEY), site.rotate(check=True)):
        assert (again.get("changed"), again.get("steps")) == (False, []), again


def token(site: RotatedSite) -> dict[str, str]:
    """The data of a Secret with a token of the oldest key of service accounts."""
    signer = site.store.keysets.get("service-account").sorted_items[0]
    header = json.dumps({"kid": key_id(pki.public_key_pem(signer.certificate))}).encode()
    return {"token": base64.b64encode(base64.urlsafe_b64encode(header) + b".x.y").decode()}
