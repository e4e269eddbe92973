# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A control plane's bootstrap server as its unit runs it, with what it asks: an account, a store, an API server.

Workers are instances of the account that sign for themselves; each connects from an address of its own on loopback.
"""

from __future__ import annotations

import base64
import contextlib
import http.client
import json
import os
import pathlib
import socket
import ssl
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import AWS
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash, render
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.program.program import node_program
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import identity
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys import issue
from ansible_collections.kubeops.kops.plugins.module_utils.node.keys.keysets import location
from ansible_collections.kubeops.kops.plugins.module_utils.node.stores.signing import Credentials
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import Keyset
from ansible_collections.kubeops.kops.tests.support import metadata_service
from ansible_collections.kubeops.kops.tests.support.aws_server import IMAGE_OF_CASES, REGION, AWSServer

CLUSTER = "demo.example.com"
NAME = f"kops-controller.internal.{CLUSTER}"
ACCOUNT = "123456789012"
MASTERS, NODES = f"masters.{CLUSTER}", f"nodes.{CLUSTER}"
DOCKER_CONFIG = b'{"auths": {}}'
# The rights that kops gives to control planes, as far as the server needs them; workers have none.
_POLICY = {
    "Version": "2012-10-17",
    "Statement": [
        {"Effect": "Allow", "Action": ["s3:Get*"], "Resource": f"arn:aws:s3:::store/{CLUSTER}/*"},
        {"Effect": "Allow", "Action": ["ec2:DescribeInstances"], "Resource": "*"},
    ],
}
_TRUST = {
    "Version": "2012-10-17",
    "Statement": [{"Effect": "Allow", "Principal": {"Service": "ec2.amazonaws.com"}, "Action": "sts:AssumeRole"}],
}
_STARTED_WITHIN = 20


def node_config_of(group: str, role: str = "Node") -> dict[str, Any]:
    """A NodeConfig of a group, as far as it is about secrets."""
    kubeconfig = {"kind": "kubeconfig", "server": f"https://api.internal.{CLUSTER}", "signer": "kubernetes-ca"}
    serving = {"commonName": "@@NODE_NAME@@", "alternateNames": ["@@NODE_NAME@@", "@@INTERNAL_IP@@"], "type": "server"}
    kubelet = {"commonName": "system:node:@@NODE_NAME@@", "organizations": ["system:nodes"]}
    administrator = {"commonName": "kubecfg", "organizations": ["system:masters"]}
    return {
        "schema": 1,
        "cluster": CLUSTER,
        "instanceGroup": group,
        "role": role,
        "certificates": [
            {"name": "kubelet", "path": "/var/lib/kubelet/kubeconfig", **kubeconfig, **kubelet},
            {"name": "kubelet-server", "path": "/srv/s.crt", "key": "/srv/s.key", "kind": "pem", **serving},
            {"name": "kube-proxy", "path": "/p", **kubeconfig, "commonName": "system:kube-proxy"},
            *([] if role == "Node" else [{"name": "kubecfg", "path": "/k", **kubeconfig, **administrator}]),
        ],
        "files": [
            {"path": "/srv/kubernetes/ca.crt", "reference": "authority/kubernetes-ca"},
            {"path": "/root/.docker/config.json", "reference": "secret/dockerconfig"},
            {"path": "/var/lib/kubelet/kubeconfig", "reference": "kubeconfig/kubelet"},
            *([] if role == "Node" else [{"path": "/ca.key", "reference": "key/kubernetes-ca"}]),
        ],
    }


@dataclass(frozen=True)
class Worker:
    """An instance and its credentials. source: the address from which it connects."""

    instance: str
    address: str
    credentials: Credentials
    source: str = "127.0.0.1"


class BootstrapServer:
    """A running server. url: of the account's endpoint. kubernetes: URL of the API server."""

    def __init__(self, directory: pathlib.Path, aws: AWSServer, kubernetes: str) -> None:
        self.directory, self.aws, self.kubernetes = directory, aws, kubernetes
        self.program = node_program(AWS, ("s3",))
        self.authority = Keyset()
        self.authority.add(
            pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca"))),
            primary=True,
        )
        self.trusted = self.authority.certificate_bundle()
        self.configs = {name: node_config_of(name) for name in ("nodes-a", "nodes-b")}
        self.hashes = {name: content_hash(render(config).encode()) for name, config in self.configs.items()}
        self.environment: dict[str, str] = {}
        self.port = 0
        self.process: subprocess.Popen[str]

    def fill(self) -> None:
        """Put roles and store into the account."""
        iam, s3 = self.aws.client("iam"), self.aws.client("s3")
        for name in (MASTERS, NODES, "nodes.other.example.com"):
            iam.create_role(RoleName=name, AssumeRolePolicyDocument=json.dumps(_TRUST))
        iam.put_role_policy(RoleName=MASTERS, PolicyName="own", PolicyDocument=json.dumps(_POLICY))
        s3.create_bucket(Bucket="store")
        files = {
            location("kubernetes-ca"): manifest.dump(self.authority.to_api("kubernetes-ca")).encode(),
            "secrets/dockerconfig": json.dumps({"Data": base64.b64encode(DOCKER_CONFIG).decode()}).encode(),
            f"igconfig/node-program/{content_hash(self.program)}.pyz": self.program,
            **{
                f"igconfig/node/{name}/nodeconfig/{self.hashes[name]}.json": render(config).encode()
                for name, config in self.configs.items()
            },
        }
        control_plane = render(node_config_of("control-plane-a", "ControlPlane")).encode()
        self.hashes["control-plane-a"] = content_hash(control_plane)
        files[f"igconfig/control-plane/control-plane-a/nodeconfig/{content_hash(control_plane)}.json"] = control_plane
        for name, content in files.items():
            s3.put_object(Bucket="store", Key=f"{CLUSTER}/{name}", Body=content)

    def worker(self, group: str = "nodes-a", role: str = NODES, source: str = "127.0.0.1", **tags: str) -> Worker:
        """A new instance of a group, with the credentials of a role."""
        return self.workers(1, group, role, source, **tags)[0]

    def workers(
        self, count: int, group: str = "nodes-a", role: str = NODES, source: str = "127.0.0.1", **tags: str
    ) -> list[Worker]:
        """New instances. tags: instead of those of the cluster."""
        given = {"KubernetesCluster": CLUSTER, "kops.k8s.io/instancegroup": group, **tags}
        specification = {"ResourceType": "instance", "Tags": [{"Key": key, "Value": given[key]} for key in given]}
        started = self.aws.client("ec2").run_instances(
            ImageId=IMAGE_OF_CASES[0], MinCount=count, MaxCount=count, TagSpecifications=[specification]
        )["Instances"]
        return [
            Worker(each["InstanceId"], each["PrivateIpAddress"], self.session(role, each["InstanceId"]), source)
            for each in started
        ]

    def session(self, role: str, name: str, account: str = ACCOUNT) -> Credentials:
        """The credentials of a session."""
        arn = f"arn:aws:iam::{account}:role/{role}"
        given = self.aws.client("sts").assume_role(RoleArn=arn, RoleSessionName=name)["Credentials"]
        return Credentials(given["AccessKeyId"], given["SecretAccessKey"], given["SessionToken"])

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """The server, as a process of the node program with the credentials of a control plane."""
        control_plane = self.worker("control-plane-a", MASTERS)
        paths = {
            **metadata_service.paths_of_an_instance(control_plane.instance),
            **metadata_service.paths_of_credentials(MASTERS, metadata_service.as_document(control_plane.credentials)),
        }
        with metadata_service.running(paths) as (url, _service):
            self.environment = {"AWS_ENDPOINT_URL": self.aws.url, "AWS_EC2_METADATA_SERVICE_ENDPOINT": url}
            self.start()
            try:
                yield
            finally:
                self.stop()

    def start(self) -> None:
        """Start the process."""
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port = free.getsockname()[1]
        program = self._file("program.pyz", self.program)
        config = self._file("config.json", json.dumps(self._settings()).encode())
        own = {"PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1", **self.environment}
        with open(self.directory / "log", "a", encoding="utf-8") as log:
            self.process = subprocess.Popen(
                [sys.executable, program, "serve", "--config", config], env=own, stderr=log, stdout=log, text=True
            )
        end = time.monotonic() + _STARTED_WITHIN
        while True:
            with contextlib.suppress(OSError):
                self.ask("GET", "/healthz")
                return
            if self.process.poll() is not None or time.monotonic() > end:
                self.process.kill()
                raise AssertionError(self.log())
            time.sleep(0.05)

    def stop(self) -> None:
        """End the process."""
        self.process.terminate()
        self.process.wait(timeout=10)

    def log(self) -> str:
        """What the server has said."""
        return (self.directory / "log").read_text()

    # -- requests -------------------------------------------------------------------------------------------------

    def proof(self, worker: Worker, body: bytes, **more: Any) -> str:
        """What proves that a worker has sent a body."""
        region = more.pop("region", REGION)
        return identity.token(body, f"{self.aws.url}/", region, worker.credentials, more.get("now"))

    def bootstrap(
        self, worker: Worker, keys: Mapping[str, str], group: str = "nodes-a", **more: Any
    ) -> tuple[int, Any]:
        """The status and the answer to a request of a worker. keys: name -> public key."""
        body = Request(dict(keys), self.hashes.get(group, group)).text()
        status, content = self.ask("POST", "/bootstrap", body, self.proof(worker, body), worker.source, **more)
        return status, json.loads(content) if status == 200 else content

    def ask(
        self, method: str, path: str, body: bytes = b"", proof: str = "", source: str = "127.0.0.1", client: str = ""
    ) -> tuple[int, bytes]:
        """A request by a verified connection. client: file with a certificate and its key to show."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        with self.connected(source, client) as connection.sock:
            connection.request(method, path, body, {"Authorization": proof} if proof else {})
            answer = connection.getresponse()
            return answer.status, answer.read()

    def connected(self, source: str = "127.0.0.1", client: str = "", timeout: float = 30) -> ssl.SSLSocket:
        """A connection to the server, whose name and authority are verified."""
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        tls.load_verify_locations(cadata=self.trusted)
        if client:
            tls.load_cert_chain(client)
        plain = socket.create_connection(("127.0.0.1", self.port), timeout, source_address=(source, 0))
        try:
            return tls.wrap_socket(plain, server_hostname=NAME)
        except OSError:
            plain.close()
            raise

    def _settings(self) -> dict[str, Any]:
        signer = self.authority.signer()
        key = pki.generate_elliptic_key()
        request = pki.CertificateRequest("server", pki.Subject("kops-controller"), (NAME,), private_key=key)
        client = pki.CertificateRequest("client", pki.Subject("kubecfg"), private_key=key)
        bundle = self.authority.certificate_bundle()
        kubeconfig = kubeconfig_text("kubecfg", self.kubernetes, bundle, pki.issue(client, signer).certificate, key)
        return {
            "cloud": "aws",
            "cluster": CLUSTER,
            "store": f"s3://store/{CLUSTER}",
            "workers": {"roles": [NODES]},
            "port": self.port,
            "certificate": self._file("server.crt", pki.issue(request, signer).certificate.encode()),
            "key": self._file("server.key", key.encode()),
            "authorities": self._file("ca.crt", bundle.encode()),
            "node": "control-plane",
            "kubeconfig": self._file("kubeconfig", kubeconfig.encode()),
        }

    def _file(self, name: str, content: bytes) -> str:
        path = self.directory / name
        path.write_bytes(content)
        return str(path)


@dataclass(frozen=True)
class WorkerInstance:
    """The worker, as booting sees it."""

    server: BootstrapServer
    worker: Worker

    def facts(self) -> dict[str, str]:
        return {"NODE_NAME": self.worker.instance, "INTERNAL_IP": self.worker.address}

    def read(self, url: str) -> bytes | None:
        raise AssertionError(url)

    def proof(self, body: bytes) -> str:
        return self.server.proof(self.worker, body)


def new_keys(*names: str) -> tuple[dict[str, str], dict[str, str]]:
    """Private and public keys, PEM, by the names of their certificates; by default those of a worker."""
    made = {name: issue.generate_key() for name in names or ("kubelet", "kubelet-server", "kube-proxy")}
    return {name: pair[0] for name, pair in made.items()}, {name: pair[1] for name, pair in made.items()}
