# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An instance of no cloud, whose machine is a directory, as a worker and as a reader of the store."""

from __future__ import annotations

import base64
import datetime
import hashlib
import json
import pathlib
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange import certificates
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Answer, Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import render
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import renew, run
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.disks import MemberDisk
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import certificates_of
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.waiting import Patience
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keysets import Keysets
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support import bootstrap_server
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.conftest import Node
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.full_config import HEAD

FACTS = {"NODE_NAME": "i-1", "INTERNAL_IP": "10.0.0.7", "PROVIDER_ID": "none:///i-1"}
CA, KUBECONFIG, SERVING = "/srv/ca.crt", "/var/lib/kubelet/kubeconfig", "/srv/kubelet-server"
CONFIG = {
    **HEAD,
    "facts": ["NODE_NAME", "PROVIDER_ID"],
    "files": [
        {"path": CA, "reference": "authority/kubernetes-ca"},
        {"path": "/etc/provider", "content": "@@PROVIDER_ID@@"},
        {"path": KUBECONFIG, "reference": "kubeconfig/kubelet", "mode": "0600"},
        {"path": f"{SERVING}.crt", "reference": "certificate/kubelet-server"},
        {"path": f"{SERVING}.key", "reference": "key/kubelet-server", "mode": "0600"},
    ],
    "certificates": [
        {
            "name": "kubelet",
            "path": KUBECONFIG,
            "kind": "kubeconfig",
            "server": "https://api",
            "commonName": "system:node:@@NODE_NAME@@",
            "organizations": ["system:nodes"],
        },
        {
            "name": "kubelet-server",
            "path": f"{SERVING}.crt",
            "key": f"{SERVING}.key",
            "commonName": "@@NODE_NAME@@",
            "alternateNames": ["@@NODE_NAME@@"],
            "type": "server",
        },
    ],
}


@dataclass
class FakeInstance:
    """files: what its store has, by URL. named: facts that it finds out if they are asked for.

    is_warmed: whether it is in a warm pool. told: group and hook each time that it said that it is ready.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    named: dict[str, str] = field(default_factory=dict)
    is_warmed: bool = False
    told: list[tuple[str, str]] = field(default_factory=list)

    def facts(self) -> dict[str, str]:
        return dict(FACTS)

    def name_by_address(self, facts: Mapping[str, str]) -> str:
        return f"ip-{facts['INTERNAL_IP']}"

    def facts_named(self, names: Collection[str], machine: Machine, *, check: bool) -> dict[str, str]:
        return {name: value for name, value in self.named.items() if name in names}

    def is_prepared(self) -> bool:
        return self.is_warmed

    def tell_group(self, group: str, hook: str) -> bool:
        self.told.append((group, hook))
        return True

    def read(self, url: str) -> bytes | None:
        return self.files.get(url)

    def write(self, url: str, content: bytes) -> None:
        self.files[url] = content

    def cluster_disks(self, cluster: str) -> FakeInstance:
        return self

    instance, zone = "i-0123456789abcdef0", "us-east-1a"

    def all(self) -> list[MemberDisk]:
        return [
            MemberDisk(f"vol-{etcd}", self.zone, etcd, "b", ("a", "b"), self.instance, is_attached=True)
            for etcd in ("main", "events")
        ]

    def paths(self, disk: MemberDisk) -> list[str]:
        return [f"/dev/{disk.etcd}"]

    def proof(self, body: bytes) -> str:
        return f"fake {hashlib.sha256(body).hexdigest()}"


@dataclass
class Served:
    """What the server does. handler: its own. now: when it issues. config: the NodeConfig that it has."""

    handler: type[bootstrap_server.BootstrapServer]
    now: datetime.datetime | None = None
    config: dict[str, Any] = field(default_factory=lambda: CONFIG)

    @property
    def asked(self) -> list[bytes]:
        return self.handler.asked


@dataclass
class Setting:
    """A machine that boots. boot: the content of boot.json."""

    node: Node
    instance: FakeInstance
    path: pathlib.Path
    boot: dict[str, Any]

    def start(self, *, check: bool = False, attempts: int = 1, **changes: Any) -> list[str]:
        """Boot; gives what changed."""
        self.path.write_text(json.dumps({**self.boot, **changes}))
        report = run.boot(str(self.path), self.node.options(check), Patience(0.01, 0.01, attempts))
        return [step.item for step in report.steps if step.changed]

    def renew(self, *, check: bool = False, attempts: int = 1) -> list[str]:
        """Renew the certificates; gives what changed."""
        report = renew.renew(str(self.path), self.node.options(check), Patience(0.01, 0.01, attempts))
        return [step.item for step in report.steps if step.changed]

    def text(self, path: str) -> str:
        return self.node.file(path).read_text()


def named(config: dict[str, Any]) -> dict[str, Any]:
    content = render(config).encode()
    sha256 = hashlib.sha256(content).hexdigest()
    return {"amd64": {"location": f"igconfig/{sha256}.json", "sha256": sha256}}


@pytest.fixture()
def setting(tmp_path: pathlib.Path, node: Node, monkeypatch: pytest.MonkeyPatch) -> Setting:
    instance = FakeInstance()
    monkeypatch.setattr(run, "this_instance", {"fake": instance}.__getitem__)
    monkeypatch.setattr(run, "StoreByScheme", lambda identity: identity)
    boot = {"cloud": "fake", "cluster": "demo.example.com", "instanceGroup": "nodes", "role": "Node"}
    return Setting(node, instance, tmp_path / "boot.json", {**boot, "nodeConfigs": named(CONFIG)})


@pytest.fixture()
def worker(setting: Setting, tmp_path: pathlib.Path) -> Any:
    """The machine as a worker, and the server that it is told of."""
    authority = bootstrap_server.new_authority()
    signer = issue.Authority(authority.certificate, authority.private_key)
    ca = {"authority/kubernetes-ca": base64.b64encode(authority.certificate.encode()).decode()}
    with bootstrap_server.running(tmp_path, authority, "kops-controller.internal.demo.example.com") as (said, handler):
        served = Served(handler)

        def answer(request: Request) -> Answer:
            made = {
                each.name: issue.issue(
                    certificates.wanted(each, FACTS), request.public_keys[each.name], signer, now=served.now
                )
                for each in certificates_of(CONFIG)
            }
            return Answer(made, render(served.config), ca)

        handler.answer = staticmethod(answer)
        setting.boot.update(servers=said, certificates=["kubelet", "kubelet-server"])
        yield setting, served


@pytest.fixture()
def reader(setting: Setting, tmp_path: pathlib.Path) -> Setting:
    """The machine as one that reads the store, which has the cluster's CA and the NodeConfig."""
    store = tmp_path / "store"
    keysets = Keysets(open_path(f"file://{store}/pki"))
    subject = pki.Subject("kubernetes-ca")
    keysets.create("kubernetes-ca", pki.CertificateRequest("ca", subject, private_key=pki.generate_elliptic_key()))
    files = {f"s3://store/demo/{path.relative_to(store)}": path.read_bytes() for path in store.rglob("*.yaml")}
    (place,) = setting.boot["nodeConfigs"].values()
    setting.instance.files = {**files, f"s3://store/demo/{place['location']}": render(CONFIG).encode()}
    setting.boot["store"] = "s3://store/demo/"
    return setting
