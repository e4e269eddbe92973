# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane in Google Cloud: what a worker gets by its TPM, and a pod of it does not get.

Everything but Google is real: the server over TLS, the node's side of the protocol, and TPMs of software. What is
refused, case by case, is tested in tests/unit/plugins/module_utils/node/gce/test_verification.py.
"""

from __future__ import annotations

import base64
import json
import pathlib
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash, render
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.settings import BootstrapServerSettings
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap import client
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Journal
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.client import Refused, bootstrap
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.serve import make_server
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import identity, load
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.instance import GoogleInstance
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import location
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.tests.support import google_metadata, software_tpm, storage_server
from ansible_collections.kubeops.kops.tests.support.bootstrapping import CLUSTER, NAME, new_keys, node_config_of
from ansible_collections.kubeops.kops.tests.support.google_metadata import INSTANCE, PROJECT, ZONE, MetadataServer
from ansible_collections.kubeops.kops.tests.support.software_tpm import SoftwareTPM
from ansible_collections.kubeops.kops.tests.support.storage_server import StoredBucket, StoredObject
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.node.gce.fake_google import (
    ACCOUNT,
    FakeGoogle,
    serving,
)

pytestmark = software_tpm.needed
PROGRAM = b"#!/usr/bin/env python3\n"
SECRET = b'{"auths": {}}'


class Nodes:
    """None is ready."""

    def is_ready(self, name: str) -> bool:
        return False


@dataclass
class Datacentre:
    """A running server, and a worker with its TPM. servers: as the worker's boot.json says. log: of the server."""

    cloud: FakeGoogle
    metadata: type[MetadataServer]
    tpm: SoftwareTPM
    other_tpm: SoftwareTPM
    servers: dict[str, object]
    hashes: dict[str, str]
    log: list[str]

    def instance(self, tpm: SoftwareTPM | None = None) -> GoogleInstance:
        return GoogleInstance((tpm or self.tpm).connect)


@pytest.fixture(scope="module", name="tpms")
def run_tpms(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SoftwareTPM, SoftwareTPM]]:
    directory = tmp_path_factory.mktemp("tpms")
    with software_tpm.running(directory / "one") as one, software_tpm.running(directory / "other") as other:
        yield one, other


@pytest.fixture(name="datacentre")
def run_server(
    tmp_path: pathlib.Path, tpms: tuple[SoftwareTPM, SoftwareTPM], monkeypatch: pytest.MonkeyPatch
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
    log: list[str] = []
    paths = google_metadata.paths_of_an_instance()
    with (
        google_metadata.running(paths) as (host, metadata),
        serving() as (url, cloud),
        storage_server.running() as (storage_url, storage),
        socket.create_server(("127.0.0.1", 0)) as listening,
    ):
        monkeypatch.setenv("GCE_METADATA_HOST", host)
        monkeypatch.setenv("CLOUDSDK_API_ENDPOINT_OVERRIDES_COMPUTE", f"{url}/compute/v1/")
        monkeypatch.setenv("STORAGE_EMULATOR_HOST", storage_url)
        monkeypatch.setenv("no_proxy", "*")
        cloud.tokens = storage.tokens = metadata.tokens
        objects = (StoredObject(f"{CLUSTER}/{name}", content, 1) for name, content in files.items())
        storage.buckets["store"] = StoredBucket({each.name: each for each in objects})
        cloud.managed()
        shielded = {"signingKey": {"ekPub": tpms[0].public_key}}
        cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}/getShieldedInstanceIdentity"] = shielded
        settings = BootstrapServerSettings(
            cloud="gce",
            cluster=CLUSTER,
            store=f"gs://store/{CLUSTER}",
            workers={"accounts": [ACCOUNT]},
            port=listening.getsockname()[1],
            certificate=str(tmp_path / "crt"),
            key=str(tmp_path / "key"),
            authorities=str(tmp_path / "ca"),
            node="control-plane-0000",
        )
        server = make_server(settings, listening, Nodes(), Journal(log.append))
        thread = threading.Thread(target=server.serve, daemon=True)
        thread.start()
        servers = {"addresses": ["127.0.0.1"], "port": settings.port, "name": NAME, "ca": bundle}
        yield Datacentre(cloud, metadata, *tpms, servers, hashes, log)
        server.stop()
        thread.join(10)


def test_a_worker_gets_what_it_needs(datacentre: Datacentre) -> None:
    private, public = new_keys()
    answer = bootstrap(datacentre.servers, datacentre.instance().proof, public, datacentre.hashes["nodes-a"])
    assert content_hash(answer.node_config.encode()) == datacentre.hashes["nodes-a"]
    assert base64.b64decode(answer.secrets["secret/dockerconfig"]) == SECRET
    issued = read_certificate(answer.certificates["kubelet"])
    assert issued.subject == f"o=system:nodes,cn=system:node:{INSTANCE}"
    assert pki.belongs_to(answer.certificates["kubelet"], private["kubelet"])
    address = datacentre.cloud.objects[f"zones/{ZONE}/instances/{INSTANCE}"]["networkInterfaces"][0]["networkIP"]
    serving_facts = read_certificate(answer.certificates["kubelet-server"])
    assert serving_facts.alternate_names == sorted([INSTANCE, address])


def test_it_is_of_the_group_that_google_says(datacentre: Datacentre) -> None:
    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(datacentre.servers, datacentre.instance().proof, {}, datacentre.hashes["nodes-b"])
    assert "group nodes-a has no NodeConfig" in datacentre.log[-1]


def test_a_pod_gets_nothing(datacentre: Datacentre) -> None:
    """It has all that the metadata server says, tokens included, and any TPM but the machine's."""
    access = Metadata().token()[0]

    def by_token(body: bytes) -> str:
        return f"Bearer {access}"

    def without_a_key(body: bytes) -> str:
        return identity.token(body, (PROJECT, ZONE, INSTANCE), CLUSTER, lambda _data: bytes(256))

    own_tpm = datacentre.instance(datacentre.other_tpm).proof
    for prove, said in (
        (by_token, "carries no proof of identity"),
        (without_a_key, "has not signed the proof of identity"),
        (own_tpm, "has not signed the proof of identity"),
    ):
        with pytest.raises(Refused, match="does not accept what proves the identity"):
            bootstrap(datacentre.servers, prove, new_keys()[1], datacentre.hashes["nodes-a"])
        assert said in datacentre.log[-1]
        # A token is a secret of the instance: it is in no journal.
        assert access not in "".join(datacentre.log)


def test_a_proof_that_was_seen_serves_nobody(datacentre: Datacentre) -> None:
    keys = new_keys()[1]
    seen: list[str] = []

    def prove(body: bytes) -> str:
        seen.append(datacentre.instance().proof(body))
        return seen[0]

    bootstrap(datacentre.servers, prove, keys, datacentre.hashes["nodes-a"])
    with pytest.raises(client.Refused):
        bootstrap(datacentre.servers, prove, keys, datacentre.hashes["nodes-a"])
    assert "was used before" in datacentre.log[-1]
    with pytest.raises(client.Refused):
        bootstrap(datacentre.servers, prove, new_keys()[1], datacentre.hashes["nodes-a"])
    assert "is of another request" in datacentre.log[-1]


def test_a_control_plane_loads_its_program_from_the_store(datacentre: Datacentre) -> None:
    place = f"igconfig/node-program/{content_hash(PROGRAM)}.pyz"
    boot = {"store": f"gs://store/{CLUSTER}/", "program": {"location": place, "sha256": content_hash(PROGRAM)}}
    assert load.fetch(boot) == PROGRAM
    for store, said in (
        ("s3://store", "instances of Google Cloud read no other store"),
        ("gs://none", "gs://none/.*404"),
    ):
        with pytest.raises(OSError, match=said):
            load.fetch({**boot, "store": store})
