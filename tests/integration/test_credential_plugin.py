# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The credential plugin of kubectl, as kubectl runs it: the command of a kubeconfig, with a state store in a bucket."""

from __future__ import annotations

import datetime
import json
import os
import pathlib
import ssl
import stat
import subprocess
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesClient
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.connection import Credentials, RetryPolicy
from ansible_collections.kubeops.kops.plugins.module_utils.operations.kubeconfig.credential import CredentialRequest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import ClusterStore
from ansible_collections.kubeops.kops.tests.integration.conftest import (
    NAME,
    STORE,
    Account,
    fresh_account,
    run_ansible,
)
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.lab_programs import lab_program

SERVER = f"api.internal.{NAME}"


@pytest.fixture(scope="module")
def cluster(server: AWSServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Account]:
    """A cluster that is stored, and has a CA."""
    with pytest.MonkeyPatch.context() as monkeypatch:
        account = fresh_account(server, monkeypatch, tmp_path_factory.mktemp("account"))
        account.create(zones=["us-east-1a"])
        request = pki.CertificateRequest("ca", pki.Subject(KUBERNETES_CA))
        ClusterStore.open(STORE, NAME).keysets.create(KUBERNETES_CA, request)
        yield account


@pytest.fixture(scope="module")
def entry(cluster: Account, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """How the playbook names the plugin."""
    home = tmp_path_factory.mktemp("entry")
    with pytest.MonkeyPatch.context() as monkeypatch:
        monkeypatch.setenv("KUBECONFIG", str(home / "kubeconfig"))
        found: dict[str, Any] = written(home)["exec"]
    return found


@pytest.fixture
def kubectl() -> pathlib.Path:
    return lab_program("kubernetes-*", "kubectl")


@pytest.fixture
def home(cluster: Account, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> pathlib.Path:
    """A user without a cache, in whose kubeconfig the cluster is."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("KUBECACHEDIR", raising=False)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
    return tmp_path


def written(home: pathlib.Path, *more: str) -> dict[str, Any]:
    """The user in the kubeconfig that the playbook writes."""
    given = ["-e", "kops_kubeconfig_auth_plugin=true", "-e", "kops_api_server=https://127.0.0.1:1"]
    run_ansible("ansible-playbook", "kubeops.kops.kubeconfig", *given, *more)
    (user,) = yaml.safe_load((home / "kubeconfig").read_text())["users"]
    found: dict[str, Any] = user["user"]
    return found


def start(entry: dict[str, Any], version: str = "v1", **environment: str) -> subprocess.Popen[str]:
    """The process that kubectl would start: with its own environment, and that of the kubeconfig."""
    asked = {"kind": "ExecCredential", "apiVersion": f"client.authentication.k8s.io/{version}"}
    own = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "KUBERNETES_EXEC_INFO": json.dumps(asked)}
    # Keys are never in a kubeconfig.
    keys = {name: os.environ[name] for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")}
    given = {each["name"]: each["value"] for each in entry.get("env", ())}
    return subprocess.Popen(
        [entry["command"], *entry["args"]],
        env={**own, **keys, **given, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd="/",
    )


def answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (0, "")
    found: dict[str, Any] = json.loads(output)
    return found


def failure(process: subprocess.Popen[str]) -> str:
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert "Traceback" not in errors
    return errors


def cache_of(home: pathlib.Path) -> pathlib.Path:
    (file,) = (home / ".kube" / "cache" / "kubeops-kops").iterdir()
    return file


def test_certificates_are_made_once_and_renewed(entry: dict[str, Any], home: pathlib.Path) -> None:
    assert (entry["apiVersion"], entry["interactiveMode"]) == ("client.authentication.k8s.io/v1", "Never")
    assert [each for each in entry["env"] if "KEY" in each["name"]] == []

    # Of commands at the same time, one makes a certificate.
    processes = [start(entry, version) for version in ("v1", "v1", "v1beta1")]
    answers = [answer(process) for process in processes]
    assert [each["apiVersion"].rpartition("/")[2] for each in answers] == ["v1", "v1", "v1beta1"]
    (certificate,) = {each["status"]["clientCertificateData"] for each in answers}
    facts = read_certificate(certificate)
    assert facts.subject.startswith("o=system:masters,cn=kubecfg")
    end = datetime.datetime.strptime(answers[0]["status"]["expirationTimestamp"], "%Y-%m-%dT%H:%M:%S%z")
    assert facts.not_after - end == datetime.timedelta(minutes=5)
    file = cache_of(home)
    assert [stat.S_IMODE(path.stat().st_mode) for path in (file, file.parent)] == [0o600, 0o700]

    # The cache needs no store; what is over does not count, nor does what others could have written.
    nowhere = {"AWS_ENDPOINT_URL": "http://127.0.0.1:9"}
    assert answer(start(entry, **nowhere)) == answers[0]
    file.chmod(0o640)
    second = answer(start(entry))
    assert second["status"]["clientCertificateData"] != certificate
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    file.write_text(json.dumps({**second["status"], "expirationTimestamp": "2026-01-01T00:00:00Z"}))
    assert answer(start(entry))["status"]["clientCertificateData"] != second["status"]["clientCertificateData"]
    assert len(list(file.parent.iterdir())) == 1


def test_errors_are_a_line(entry: dict[str, Any], home: pathlib.Path) -> None:
    program = entry["args"][0]
    other = {**entry, "args": [program, "--cluster=other.example.com", f"--state={STORE}"]}
    message = "kubeops.kops: no credentials for other.example.com: there is no cluster other.example.com"
    assert failure(start(other)).startswith(message)
    assert "kubectl asks for client.authentication.k8s.io/v2; there are " in failure(start(entry, "v2"))
    missing = {**entry, "args": [program, f"--cluster={NAME}", "--state=s3://other"]}
    errors = failure(start(missing))
    assert errors.startswith(f"kubeops.kops: no credentials for {NAME}: ")
    assert errors.count("\n") == 1
    # A home that cannot be written makes it slower, not impossible.
    assert answer(start(entry, KUBECACHEDIR="/proc/none"))["status"]["clientKeyData"].startswith("-----BEGIN")


def test_the_module_changes_between_both_ways(home: pathlib.Path) -> None:
    command = ("ansible-playbook", "kubeops.kops.kubeconfig", "-e", "kops_kubeconfig_auth_plugin=true")
    assert "changed=1" in run_ansible(*command, "--check")
    assert not (home / "kubeconfig").exists()
    assert "changed=1" in run_ansible(*command)
    assert "changed=0" in run_ansible(*command)
    (user,) = yaml.safe_load((home / "kubeconfig").read_text())["users"]
    assert list(user["user"]) == ["exec"]
    printed = run_ansible(*command, "-e", "kops_kubeconfig_user=somebody", expect=2)
    assert "give either auth_plugin or user" in printed
    # The other way leaves nothing of this one.
    run_ansible("ansible-playbook", "kubeops.kops.kubeconfig")
    (user,) = yaml.safe_load((home / "kubeconfig").read_text())["users"]
    assert sorted(user["user"]) == ["client-certificate-data", "client-key-data"]


def serving(directory: pathlib.Path) -> Any:
    """An API server that only lets in who has a certificate of the cluster's CA."""
    authority = ClusterStore.open(STORE, NAME).keysets.find(KUBERNETES_CA)
    assert authority
    request = pki.CertificateRequest("server", pki.Subject("apiserver"), alternate_names=(SERVER,))
    pair = pki.issue(request, authority.signer())
    (directory / "server.pem").write_text(pair.certificate + pair.private_key)
    tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    tls.load_cert_chain(directory / "server.pem")
    tls.load_verify_locations(cadata=authority.certificate_bundle())
    tls.verify_mode = ssl.CERT_REQUIRED
    return fake_kubernetes.serving(tls), authority.certificate_bundle()


def test_an_api_server_takes_them(entry: dict[str, Any], home: pathlib.Path) -> None:
    status = answer(start(entry))["status"]
    fake, bundle = serving(home)
    with fake as running:
        credentials = Credentials(bundle, status["clientCertificateData"], status["clientKeyData"])
        port = running.url.rpartition(":")[2]
        client = KubernetesClient(f"https://{SERVER}:{port}", credentials, address="127.0.0.1", retry=RetryPolicy(0))
        assert client.text("/readyz") == "{}"


@pytest.mark.lab_programs
def test_kubectl_runs_it(kubectl: pathlib.Path, home: pathlib.Path) -> None:
    fake, _bundle = serving(home)
    with fake as running:
        address = f"https://127.0.0.1:{running.url.rpartition(':')[2]}"
        written(home, "-e", f"kops_api_server={address}")
        command = [str(kubectl), "get", "--raw", "/readyz"]
        assert subprocess.run(command, check=True, capture_output=True, text=True).stdout == "{}"
        (home / "kubeconfig").write_text(
            (home / "kubeconfig").read_text().replace(f"--cluster={NAME}", "--cluster=no.example.com")
        )
        refused = subprocess.run(command, check=False, capture_output=True, text=True)
        assert "kubeops.kops: no credentials for no.example.com: there is no cluster no.example.com" in refused.stderr
    assert CredentialRequest(STORE, NAME).cache == str(cache_of(home))
