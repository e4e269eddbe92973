# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane at Hetzner: what a worker gets that answers for its request, and nobody else.

Everything but Hetzner is real: the server over TLS, the node's side of the protocol, the question back, and the bucket
of the state store, which the control plane reads by the key that it was given. The worker has an address of its own on
loopback; its requests come from another one, as they do through a load balancer.
"""

from __future__ import annotations

import base64
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
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.challenge import header
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner import load
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.instance import HetznerServer as Instance
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner.verification import SCHEME
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import location
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.bootstrapping import CLUSTER, NAME, new_keys, node_config_of
from ansible_collections.kubeops.kops.tests.support.hetzner.metadata_service import serving
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

BALANCER = "127.0.0.1"
# Of the worker of each test, as one that answers does so for a minute.
_ADDRESSES = (f"127.0.0.{number}" for number in range(67, 127))
WORKER, BUCKET = "nodes-a-c5a001", "store"
PROGRAM = b"#!/usr/bin/env python3\n"


class Nodes:
    """None is ready."""

    def is_ready(self, name: str) -> bool:
        return False


@dataclass
class Project:
    """A running server, and a worker. servers: as the worker's boot.json says. log: of the server."""

    hetzner: HetznerServer
    worker: dict[str, Any]
    instance: Instance
    servers: dict[str, object]
    hashes: dict[str, str]
    log: list[str]


@pytest.fixture(name="project")
def run_server(server: AWSServer, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Project]:
    authority = Keyset()
    authority.add(pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca"))), primary=True)
    bundle = authority.certificate_bundle()
    configs = {group: render(node_config_of(group)).encode() for group in ("nodes-a", "nodes-b")}
    hashes = {group: content_hash(config) for group, config in configs.items()}
    files = {
        location("kubernetes-ca"): manifest.dump(authority.to_api("kubernetes-ca")).encode(),
        "secrets/dockerconfig": json.dumps({"Data": base64.b64encode(b'{"auths": {}}').decode()}).encode(),
        f"igconfig/node-program/{content_hash(PROGRAM)}.pyz": PROGRAM,
        **{f"igconfig/node/{name}/nodeconfig/{hashes[name]}.json": config for name, config in configs.items()},
    }
    server.reset()
    bucket = server.client("s3")
    bucket.create_bucket(Bucket=BUCKET)
    for name, content in files.items():
        bucket.put_object(Bucket=BUCKET, Key=f"{CLUSTER}/{name}", Body=content)
    key = pki.generate_elliptic_key()
    request = pki.CertificateRequest("server", pki.Subject("kops-controller"), (NAME,), private_key=key)
    written = {"crt": pki.issue(request, authority.signer()).certificate, "key": key, "ca": bundle}
    for name, text in written.items():
        (tmp_path / name).write_text(text)
    with HetznerServer() as hetzner, socket.create_server(("127.0.0.1", 0)) as listening:
        credentials = (hetzner.environment["HCLOUD_TOKEN"], *_key_of(server))
        (tmp_path / "credentials.json").write_bytes(credentials_document(*credentials))
        monkeypatch.setattr(given, "CREDENTIALS_FILE", str(tmp_path / "credentials.json"))
        monkeypatch.setenv("HCLOUD_ENDPOINT", hetzner.url)
        monkeypatch.delenv("HCLOUD_TOKEN", raising=False)
        monkeypatch.setenv("S3_ENDPOINT", server.environment["AWS_ENDPOINT_URL"])
        monkeypatch.setenv("no_proxy", "*")
        address = next(_ADDRESSES, "")
        worker = _worker(hetzner, address)
        said = {
            "instance-id": str(worker["id"]),
            "hostname": WORKER,
            "private-networks": f"- ip: {address}\n  interface_num: 1\n",
        }
        settings = BootstrapServerSettings(
            cloud="hetzner",
            cluster=CLUSTER,
            store=f"hos://{BUCKET}/{CLUSTER}",
            workers={},
            port=listening.getsockname()[1],
            certificate=str(tmp_path / "crt"),
            key=str(tmp_path / "key"),
            authorities=str(tmp_path / "ca"),
            node="control-plane-a-000000",
        )
        log: list[str] = []
        with serving(said) as endpoint:
            monkeypatch.setenv("HCLOUD_METADATA_ENDPOINT", endpoint)
            running = make_server(settings, listening, Nodes(), Journal(log.append))
            thread = threading.Thread(target=running.serve, daemon=True)
            thread.start()
            servers = {"addresses": ["127.0.0.1"], "port": settings.port, "name": NAME, "ca": bundle}
            yield Project(hetzner, worker, Instance(), servers, hashes, log)
            running.stop()
            thread.join(10)


def _key_of(server: AWSServer) -> tuple[str, str]:
    return server.environment["AWS_ACCESS_KEY_ID"], server.environment["AWS_SECRET_ACCESS_KEY"]


def _worker(hetzner: HetznerServer, address: str) -> dict[str, Any]:
    """A worker of nodes-a, and the load balancer through which it asks."""
    objects, of_cluster = hetzner.project.objects, {"kops.k8s.io/cluster": CLUSTER}
    labels = {**of_cluster, "kops.k8s.io/instance-group": "nodes-a", "kops.k8s.io/instance-role": "Node"}
    network = {"network": 1, "alias_ips": [], "mac_address": ""}
    balancer = {"name": f"api.{CLUSTER}", "labels": of_cluster}
    private = [{"network": 1, "ip": BALANCER}]
    objects.add("load_balancers", balancer, {"private_net": private, "targets": [], "services": [], "public_net": {}})
    public = {"ipv4": None, "ipv6": None}
    rest = {"status": "running", "private_net": [{**network, "ip": address}], "public_net": public}
    return objects.add("servers", {"name": WORKER, "labels": labels}, rest)


def test_a_worker_gets_what_it_needs(project: Project) -> None:
    private, public = new_keys()
    answer = bootstrap(project.servers, project.instance.proof, public, project.hashes["nodes-a"])
    assert content_hash(answer.node_config.encode()) == project.hashes["nodes-a"]
    issued = read_certificate(answer.certificates["kubelet"])
    assert issued.subject == f"o=system:nodes,cn=system:node:{WORKER}"
    assert pki.belongs_to(answer.certificates["kubelet"], private["kubelet"])
    assert read_certificate(answer.certificates["kubelet-server"]).alternate_names == sorted(
        [WORKER, project.worker["private_net"][0]["ip"]]
    )
    # The token is a secret of the control plane: it is in no journal.
    assert project.hetzner.environment["HCLOUD_TOKEN"] not in "".join(project.log)


def test_it_is_of_the_group_that_hetzner_says(project: Project) -> None:
    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(project.servers, project.instance.proof, {}, project.hashes["nodes-b"])
    assert "group nodes-a has no NodeConfig" in project.log[-1]


def test_a_pod_gets_nothing(project: Project) -> None:
    """It knows all that the metadata service says, and cannot answer at the address of its host."""

    def prove(body: bytes) -> str:
        return header(SCHEME, str(project.worker["id"]), b"k" * 32)

    with pytest.raises(Refused, match="does not accept what proves the identity"):
        bootstrap(project.servers, prove, new_keys()[1], project.hashes["nodes-a"])
    assert "does not answer for the request" in project.log[-1]


def test_a_server_that_is_no_worker_gets_nothing(project: Project) -> None:
    for label, value, said in (
        ("kops.k8s.io/instance-role", "ControlPlane", "is no worker"),
        ("kops.k8s.io/cluster", "other.example.com", "knows no server"),
    ):
        before = project.worker["labels"][label]
        project.worker["labels"][label] = value
        with pytest.raises(Refused):
            bootstrap(project.servers, project.instance.proof, new_keys()[1], project.hashes["nodes-a"])
        assert said in project.log[-1]
        project.worker["labels"][label] = before


def test_a_control_plane_loads_its_program_by_the_key_that_it_was_given(
    project: Project, tmp_path: pathlib.Path
) -> None:
    place = f"igconfig/node-program/{content_hash(PROGRAM)}.pyz"
    boot = {"store": f"hos://{BUCKET}/{CLUSTER}/", "program": {"location": place, "sha256": content_hash(PROGRAM)}}
    assert load.fetch(boot) == PROGRAM
    with pytest.raises(OSError, match="servers of this cloud read hos:// and s3:// only"):
        load.fetch({**boot, "store": "gs://store"})
    (tmp_path / "credentials.json").unlink()
    with pytest.raises(OSError, match="was told|has told this server no nonce|not there yet"):
        load.fetch(boot)
