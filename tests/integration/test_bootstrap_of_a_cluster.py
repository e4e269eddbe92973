# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster that update_cluster made on AWS: its control plane serves, and its workers get their certificates of it.

Everything is what the cluster's own objects say: user data of instances, rights of roles, files of the store. The
account checks signatures and policies.
"""

from __future__ import annotations

import base64
import json
import pathlib
import re
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import DISTRIBUTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.store_places import url_of
from ansible_collections.kubeops.kops.plugins.module_utils.node import boot_file
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws.metadata import Metadata
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import from_servers
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.secrets_document import secrets_document
from ansible_collections.kubeops.kops.plugins.module_utils.node.loader.from_servers import fetch
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores import xml_service
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.s3 import S3Store
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.xml_service import ServiceError
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import NAME, Account, fresh_account
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes, metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.bootstrapping import BootstrapServer, Worker, WorkerInstance

pytestmark = pytest.mark.long

MASTERS, NODES = f"masters.{NAME}", f"nodes.{NAME}"
CONTROL_PLANE, WORKERS = "control-plane-us-east-1a", "nodes-us-east-1a"
_BOOT = re.compile(r"<< '__EOF_BOOT'\n(.*?)\n__EOF_BOOT", re.DOTALL)


class ServerOfCluster(BootstrapServer):
    """The server of a control plane. settings, program: what the control plane has of the cluster."""

    settings: dict[str, Any]

    def _settings(self) -> dict[str, Any]:
        return {**self.settings, "port": self.port}


@pytest.fixture()
def account(checked: AWSServer, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Account:
    return fresh_account(checked, monkeypatch, tmp_path)


def instance_of(account: Account, group: str) -> tuple[str, str, dict[str, Any]]:
    """Id and address of the instance of a group, and its boot.json."""
    ec2 = account.client("ec2")
    wanted = [{"Name": "tag:kops.k8s.io/instancegroup", "Values": [group]}]
    (reservation,) = ec2.describe_instances(Filters=wanted)["Reservations"]
    (instance,) = reservation["Instances"]
    attribute = ec2.describe_instance_attribute(InstanceId=instance["InstanceId"], Attribute="userData")
    found = _BOOT.search(base64.b64decode(attribute["UserData"]["Value"]).decode())
    assert found
    return instance["InstanceId"], instance["PrivateIpAddress"], json.loads(found[1])


def elsewhere(account: Account) -> None:
    """Keysets and secrets in another bucket, and in another directory."""
    account.client("s3").create_bucket(Bucket="kops-keys")
    store = ClusterStore.open(account.store, NAME)
    cluster, _groups = store.read()
    cluster.spec.config_store.keypairs = "s3://kops-keys/demo"
    cluster.spec.config_store.secrets = f"{account.store}/other-secrets/demo/"
    store.write_cluster(cluster)
    ClusterStore.open(account.store, NAME).secrets.store("dockerconfig", b"{}")


@pytest.mark.parametrize("is_elsewhere", [False, True], ids=["below the cluster", "elsewhere"])
def test_workers_of_a_cluster_get_their_certificates_of_its_control_plane(
    account: Account,
    checked: AWSServer,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: pathlib.Path,
    is_elsewhere: bool,
) -> None:
    monkeypatch.setattr(xml_service, "_PAUSE", 0.01)
    account.create(zones=["us-east-1a"])
    if is_elsewhere:
        elsewhere(account)
    account.update()
    with fake_kubernetes.serving() as kubernetes:
        server = ServerOfCluster(tmp_path, checked, kubernetes.url)
        instance, address, boot = instance_of(account, CONTROL_PLANE)
        places = {"pki": "s3://kops-keys/demo", "secrets": f"{account.store}/other-secrets/demo/"}
        assert boot.get("elsewhere", {}) == (places if is_elsewhere else {})
        session = server.session(MASTERS, instance)
        paths = {
            **metadata_service.paths_of_an_instance(instance, address),
            **metadata_service.paths_of_credentials(MASTERS, metadata_service.as_document(session)),
        }
        with metadata_service.running(paths) as (url, _service):
            monkeypatch.setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", url)
            server.environment = {"AWS_ENDPOINT_URL": checked.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": url}
            server.program, server.settings = become_control_plane(boot, instance, address, tmp_path)
            server.trusted = (tmp_path / "srv/kubernetes/ca.crt").read_text()
            server.start()
            try:
                boot_worker(account, server, tmp_path)
            finally:
                server.stop()


def become_control_plane(
    boot: dict[str, Any], instance: str, address: str, directory: pathlib.Path
) -> tuple[bytes, dict[str, Any]]:
    """The program, and the configuration of the server, with the files that it names."""
    store = S3Store(Metadata())

    def read(location: str) -> bytes | None:
        return store.read(url_of(boot["store"], boot.get("elsewhere", {}), location))

    named = boot["nodeConfigs"]["amd64"]
    content = read(named["location"])
    assert content is not None and content_hash(content) == named["sha256"]
    config = json.loads(content)
    members = {f"ETCD_{etcd}_MEMBER": "a" for etcd in ("MAIN", "EVENTS")}
    secrets = secrets_document(config, read, {"NODE_NAME": instance, "INTERNAL_IP": address, **members})
    for file in config["files"]:
        if file["path"].startswith(("/etc/kubernetes/kops-controller/", "/srv/kubernetes/ca.crt", "/var/lib/kubectl/")):
            text = base64.b64decode(secrets[file["reference"]]) if "reference" in file else file["content"].encode()
            path = directory / file["path"].lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text)
    settings_file = directory / "etc/kubernetes/kops-controller/config.json"
    server = json.loads(settings_file.read_text())
    server.update({name: f"{directory}{server[name]}" for name in ("certificate", "key", "authorities")})
    program = read(boot["program"]["location"])
    assert program is not None
    return program, {**server, "kubeconfig": kubeconfig_of_the_fake(directory)}


def kubeconfig_of_the_fake(directory: pathlib.Path) -> str:
    """The control plane's own kubeconfig, but with the server that there is here."""
    path = directory / "var/lib/kubectl/kubeconfig"
    assert "server: https://127.0.0.1\n" in path.read_text()
    return str(path)


def boot_worker(account: Account, server: ServerOfCluster, directory: pathlib.Path) -> None:
    """A worker boots as its user data says, but for the server's address."""
    path = directory / "var/lib/kubectl/kubeconfig"
    path.write_text(path.read_text().replace("https://127.0.0.1\n", f"{server.kubernetes}\n"))
    instance, address, boot = instance_of(account, WORKERS)
    assert "store" not in boot and "PRIVATE" not in json.dumps(boot)
    boot["servers"].update({"addresses": ["127.0.0.1"], "port": server.port})
    assert fetch(boot) == server.program
    path = directory / "boot.json"
    path.write_text(json.dumps(boot))
    worker = Worker(instance, address, server.session(NODES, instance))
    machine = Machine(str(directory / "worker"), Host(str(directory / "worker")), DISTRIBUTIONS[0])
    sha256 = boot["nodeConfigs"]["amd64"]["sha256"]
    given = from_servers.given(boot_file.read(str(path)), WorkerInstance(server, worker), machine, sha256)
    assert given.config["instanceGroup"] == WORKERS
    references = {file["reference"] for file in given.config["files"] if "reference" in file}
    assert given.secrets.keys() == references
    assert ("secret/dockerconfig" in references) == ("elsewhere" in server.settings)
    serving = read_certificate(base64.b64decode(given.secrets["certificate/kubelet-server"]).decode())
    assert serving.subject == f"cn={instance}"
    assert serving.alternate_names == sorted([instance, address])
    # Its own role reads nothing of what the server has read for it.
    paths = metadata_service.paths_of_credentials(NODES, metadata_service.as_document(worker.credentials))
    with metadata_service.running({**metadata_service.paths_of_an_instance(instance, address), **paths}) as (url, _s):
        for location in (boot["nodeConfigs"]["amd64"]["location"], "pki/private/kubernetes-ca/keyset.yaml"):
            with pytest.raises(ServiceError, match="403"):
                S3Store(Metadata(url)).read(f"s3://kops-state/{NAME}/{location}")
