# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A real Kubernetes control plane on loopback, without nodes, of the programs in the lab's cache."""

from __future__ import annotations

import base64
import contextlib
import datetime
import ipaddress
import pathlib
import socket
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass

from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import RetryPolicy
from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

SERVICES = "100.64.0.0/13"
FIRST_SERVICE = "100.64.0.1"
START_SECONDS = 120
DAY = datetime.timedelta(days=1)


@dataclass
class Authority:
    """A certificate authority of the test."""

    key: ec.EllipticCurvePrivateKey
    certificate: x509.Certificate

    @classmethod
    def new(cls) -> Authority:
        key = ec.generate_private_key(ec.SECP256R1())
        name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "kubernetes-ca")])
        builder = _builder(name, name, key, 10).add_extension(x509.BasicConstraints(ca=True, path_length=None), True)
        usage = x509.KeyUsage(False, False, False, False, False, True, True, False, False)
        return cls(key, builder.add_extension(usage, True).sign(key, hashes.SHA256()))

    @property
    def pem(self) -> str:
        return self.certificate.public_bytes(serialization.Encoding.PEM).decode()

    def issue(self, name: str, organization: str = "", days: float = 5) -> tuple[str, str]:
        """Certificate and key as PEM: of a client, and of a server on loopback."""
        key = ec.generate_private_key(ec.SECP256R1())
        attributes = [x509.NameAttribute(NameOID.COMMON_NAME, name)]
        if organization:
            attributes.append(x509.NameAttribute(NameOID.ORGANIZATION_NAME, organization))
        names: list[x509.GeneralName] = [x509.DNSName("localhost"), x509.DNSName("api.internal.demo")]
        names += [x509.IPAddress(ipaddress.ip_address(address)) for address in ("127.0.0.1", FIRST_SERVICE)]
        usages = [ExtendedKeyUsageOID.CLIENT_AUTH, ExtendedKeyUsageOID.SERVER_AUTH]
        builder = _builder(x509.Name(attributes), self.certificate.subject, key, days)
        builder = builder.add_extension(x509.SubjectAlternativeName(names), False)
        builder = builder.add_extension(x509.ExtendedKeyUsage(usages), False)
        certificate = builder.sign(self.key, hashes.SHA256())
        return certificate.public_bytes(serialization.Encoding.PEM).decode(), key_pem(key)


def _builder(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey, days: float
) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.timezone.utc)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY * days)
    )


def key_pem(key: ec.EllipticCurvePrivateKey) -> str:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL, serialization.NoEncryption()
    ).decode()


def kubeconfig(server: str, authority: str, certificate: str, key: str) -> str:
    """A kubeconfig as nodes have it."""
    parts = {"certificate-authority": authority, "client-certificate": certificate, "client-key": key}
    data = {name: base64.b64encode(text.encode()).decode() for name, text in parts.items()}
    return f"""apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: {data["certificate-authority"]}
    server: {server}
  name: local
contexts:
- context:
    cluster: local
    user: admin
  name: service-account-context
current-context: service-account-context
kind: Config
users:
- name: admin
  user:
    client-certificate-data: {data["client-certificate"]}
    client-key-data: {data["client-key"]}
"""


def free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [stack.enter_context(socket.socket()) for _number in range(count)]
        for each in sockets:
            each.bind(("127.0.0.1", 0))
        return [each.getsockname()[1] for each in sockets]


def binaries() -> dict[str, str]:
    """Paths of the programs; skips the test where the lab has not built them."""
    wanted = {"etcd": "etcd", "kube-apiserver": "kubernetes-*", "kube-controller-manager": "kubernetes-*"}
    return {name: str(lab_program(module, name)) for name, module in wanted.items()}


@dataclass
class ControlPlane:
    """A running control plane. kubeconfig: of its administrator."""

    port: int
    kubeconfig: str
    authority: Authority

    def client(self, check: bool = False) -> KubernetesClient:
        return KubernetesClient.from_kubeconfig(self.kubeconfig, check=check, retry=RetryPolicy(deadline=20))


@contextlib.contextmanager
def control_plane(directory: pathlib.Path, *options: str) -> Iterator[ControlPlane]:
    """Start everything, wait until it answers, and end it afterwards. options: more of the API server's."""
    programs = binaries()
    authority = Authority.new()
    etcd, peers, port, manager = free_ports(4)
    admin, server = authority.issue("admin", "system:masters"), authority.issue("kube-apiserver")
    account = key_pem(ec.generate_private_key(ec.SECP256R1()))
    files = {
        "ca.crt": authority.pem,
        "server.crt": server[0],
        "server.key": server[1],
        "account.key": account,
        "kubeconfig": kubeconfig(f"https://127.0.0.1:{port}", authority.pem, *admin),
    }
    for name, content in files.items():
        (directory / name).write_text(content)
    commands = {
        "etcd": [
            f"--data-dir={directory}/etcd",
            f"--listen-client-urls=http://127.0.0.1:{etcd}",
            f"--advertise-client-urls=http://127.0.0.1:{etcd}",
            f"--listen-peer-urls=http://127.0.0.1:{peers}",
            "--unsafe-no-fsync",
        ],
        "kube-apiserver": [
            f"--etcd-servers=http://127.0.0.1:{etcd}",
            "--bind-address=127.0.0.1",
            f"--secure-port={port}",
            f"--client-ca-file={directory}/ca.crt",
            f"--tls-cert-file={directory}/server.crt",
            f"--tls-private-key-file={directory}/server.key",
            "--service-account-issuer=https://127.0.0.1",
            f"--service-account-key-file={directory}/account.key",
            f"--service-account-signing-key-file={directory}/account.key",
            f"--service-cluster-ip-range={SERVICES}",
            "--authorization-mode=Node,RBAC",
            "--enable-admission-plugins=NodeRestriction",
            *options,
        ],
        "kube-controller-manager": [
            f"--kubeconfig={directory}/kubeconfig",
            "--bind-address=127.0.0.1",
            f"--secure-port={manager}",
            "--leader-elect=false",
            f"--service-account-private-key-file={directory}/account.key",
        ],
    }
    with contextlib.ExitStack() as stack:
        for name, arguments in commands.items():
            log = stack.enter_context((directory / f"{name}.log").open("wb"))
            process = subprocess.Popen([programs[name], *arguments], stdout=log, stderr=log)
            stack.callback(_end, process)
        found = ControlPlane(port, str(directory / "kubeconfig"), authority)
        _await(found, directory)
        yield found


def _await(found: ControlPlane, directory: pathlib.Path) -> None:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            client = found.client()
            client.text("/readyz")
            # The controller manager first creates the service account of every namespace.
            client.get("/api/v1/namespaces/default/serviceaccounts/default")
            return
        except KopsError as error:
            if time.monotonic() > end:
                log = (directory / "kube-apiserver.log").read_text(errors="replace")[-3000:]
                raise RuntimeError(f"the API server does not get ready: {error}\n{log}") from error
        time.sleep(0.5)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
