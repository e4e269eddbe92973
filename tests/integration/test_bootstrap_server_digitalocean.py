# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane in DigitalOcean: what a worker gets that answers at its own address.

Everything but DigitalOcean is real: the server over TLS, the node's side of the protocol, and the port that a droplet
answers at. What is refused, case by case, is tested in tests/unit/plugins/module_utils/node/digitalocean.
"""

from __future__ import annotations

import base64
import itertools
import json
import pathlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash, render
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import credentials_document
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Journal
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.client import Refused, bootstrap
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.serve import make_server
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud import given
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.instance import Droplet
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean.load import fetch
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import location
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.bootstrapping import CLUSTER, NAME, new_keys, node_config_of
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account
from ansible_collections.kubeops.kops.tests.support.rest_server import Call, RestServer
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.digitalocean import metadata_server

# On one worker: they have the same addresses on each.
pytestmark = pytest.mark.xdist_group("droplets")
# Of the droplets: each is its own machine on loopback, where it answers for a minute.
HOSTS = (f"127.0.77.{number}" for number in itertools.count(1))
BUCKET, PROGRAM, SECRET = "store", b"#!/usr/bin/env python3\n", b'{"auths": {}}'
SAFE, MARK = CLUSTER.replace(".", "-"), f"kubeops-cluster:{CLUSTER.replace('.', '_')}"


class Nodes:
    """None is ready."""

    def is_ready(self, name: str) -> bool:
        return False


@dataclass
class Datacentre:
    """A running server, and a worker. servers: as the worker's boot.json says. log: of the server."""

    account: Account
    droplet: dict[str, Any]
    address: str
    told: dict[str, Any]
    servers: dict[str, object]
    hashes: dict[str, str]
    log: list[str]


def made(account: Account, group: str, address: str) -> dict[str, Any]:
    """A worker as update_cluster makes it, at an address."""
    tags = [f"KubernetesCluster:{SAFE}", MARK, f"kops-instancegroup:{group}", "kops-instance-role:Node"]
    wanted = {
        "name": f"{group}-0a1b2c3d",
        "region": catalog.REGION,
        "size": catalog.SIZE,
        "image": catalog.IMAGE,
        "tags": [*tags, "kubeops-made-from:image:3f0a91c2"],
    }
    reply = account.answer(Call("POST", "/v2/droplets", (), wanted, {"Authorization": f"Bearer {TOKEN}"}))
    droplet: dict[str, Any] = reply.body["droplet"]
    for each in droplet["networks"]["v4"]:
        if each["type"] == "private":
            each["ip_address"] = address
    return droplet


@pytest.fixture(name="behind_balancer")
def with_a_load_balancer(request: pytest.FixtureRequest) -> bool:
    return bool(getattr(request, "param", True))


@pytest.fixture(name="datacentre")
def run_server(
    tmp_path: pathlib.Path, server: AWSServer, behind_balancer: bool, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Datacentre]:
    authority = Keyset()
    authority.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca"))), primary=True)
    bundle = authority.certificate_bundle()
    configs = {group: render(node_config_of(group)).encode() for group in ("nodes-a", "nodes-b")}
    hashes = {group: content_hash(config) for group, config in configs.items()}
    files = {
        location("kubernetes-ca"): manifest.dump(authority.to_api("kubernetes-ca")).encode(),
        "secrets/dockerconfig": json.dumps({"Data": base64.b64encode(SECRET).decode()}).encode(),
        f"igconfig/node-program/{content_hash(PROGRAM)}.pyz": PROGRAM,
        **{f"igconfig/node/{name}/nodeconfig/{hashes[name]}.json": config for name, config in configs.items()},
    }
    key = pki.generate_elliptic_key()
    request = pki.CertificateRequest("server", pki.Subject("kops-controller"), (NAME,), private_key=key)
    written = {"crt": pki.issue(request, authority.signer()).certificate, "key": key, "ca": bundle}
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    server.reset()
    s3 = server.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    for name, content in files.items():
        s3.put_object(Bucket=BUCKET, Key=f"{CLUSTER}/{name}", Body=content)
    # What the controller has given the control plane.
    keys = server.environment["AWS_ACCESS_KEY_ID"], server.environment["AWS_SECRET_ACCESS_KEY"]
    (tmp_path / "credentials.json").write_bytes(credentials_document(TOKEN, *keys))
    monkeypatch.setattr(given, "CREDENTIALS_FILE", str(tmp_path / "credentials.json"))
    monkeypatch.setenv("S3_ENDPOINT", server.environment["AWS_ENDPOINT_URL"])
    monkeypatch.setenv("no_proxy", "*")
    account, log = Account(looks=0), []
    address = next(HOSTS, "")
    droplet = made(account, "nodes-a", address)
    told = metadata_server.droplet(int(droplet["id"]), str(droplet["name"]), address)
    with (
        RestServer(account) as api,
        metadata_server.answering(told) as metadata,
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        monkeypatch.setenv("DIGITALOCEAN_API_URL", api.url)
        monkeypatch.setenv("DIGITALOCEAN_METADATA_HOST", metadata)
        settings = BootstrapServerSettings(
            cloud="digitalocean",
            cluster=CLUSTER,
            store=f"do://{BUCKET}/{CLUSTER}",
            workers={"tag": MARK, "behindBalancer": behind_balancer},
            port=listening.getsockname()[1],
            certificate=str(tmp_path / "crt"),
            key=str(tmp_path / "key"),
            authorities=str(tmp_path / "ca"),
            node="control-plane-00000000",
        )
        running = make_server(settings, listening, Nodes(), Journal(log.append))
        thread = threading.Thread(target=running.serve, daemon=True)
        thread.start()
        servers = {"addresses": ["127.0.0.1"], "port": settings.port, "name": NAME, "ca": bundle}
        yield Datacentre(account, droplet, address, told, servers, hashes, log)
        running.stop()
        thread.join(10)


def test_a_worker_gets_what_it_needs(datacentre: Datacentre) -> None:
    private, public = new_keys()
    answer = bootstrap(datacentre.servers, Droplet().proof, public, datacentre.hashes["nodes-a"])
    assert content_hash(answer.node_config.encode()) == datacentre.hashes["nodes-a"]
    assert base64.b64decode(answer.secrets["secret/dockerconfig"]) == SECRET
    issued = read_certificate(answer.certificates["kubelet"])
    assert issued.subject == f"o=system:nodes,cn=system:node:{datacentre.droplet['name']}"
    assert pki.belongs_to(answer.certificates["kubelet"], private["kubelet"])
    facts = read_certificate(answer.certificates["kubelet-server"])
    assert facts.alternate_names == sorted([datacentre.droplet["name"], datacentre.address])


def test_it_is_of_the_group_that_its_tags_say(datacentre: Datacentre) -> None:
    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(datacentre.servers, Droplet().proof, {}, datacentre.hashes["nodes-b"])
    assert "group nodes-a has no NodeConfig" in datacentre.log[-1]


def test_who_says_that_it_is_another_droplet_gets_nothing(datacentre: Datacentre) -> None:
    """It cannot answer at the other's address."""
    address = next(HOSTS, "")
    datacentre.told["droplet_id"] = made(datacentre.account, "nodes-b", address)["id"]
    liar = Droplet()
    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(datacentre.servers, liar.proof, new_keys()[1], datacentre.hashes["nodes-b"])
    assert f"does not answer for the request at {address}" in datacentre.log[-1]


@pytest.mark.parametrize("behind_balancer", [False], indirect=True)
def test_without_a_load_balancer_a_worker_asks_from_its_own_address(datacentre: Datacentre) -> None:
    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(datacentre.servers, Droplet().proof, new_keys()[1], datacentre.hashes["nodes-a"])
    assert f"is at {datacentre.address}, and the request from 127.0.0.1" in datacentre.log[-1]


def test_a_control_plane_loads_its_program_from_the_store(datacentre: Datacentre) -> None:
    place = f"igconfig/node-program/{content_hash(PROGRAM)}.pyz"
    boot = {"store": f"do://{BUCKET}/{CLUSTER}/", "program": {"location": place, "sha256": content_hash(PROGRAM)}}
    assert fetch(boot) == PROGRAM
    with pytest.raises(OSError, match=r"do://none/.*404"):
        fetch({**boot, "store": "do://none"})
