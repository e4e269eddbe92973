# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The bootstrap server of a control plane on AWS, as its unit runs it: what workers get, and what nobody gets.

The account checks signatures and policies; the server is the node program, in a process of its own, over TLS.
"""

from __future__ import annotations

import base64
import dataclasses
import datetime
import itertools
import json
import pathlib
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.distributions import DISTRIBUTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash, render
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.kubeconfigs import kubeconfig_text
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import identity
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot import from_servers
from ansible_collections.kubeops.kops.plugins.module_utils.node.boot_file import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap import client
from ansible_collections.kubeops.kops.plugins.module_utils.node.loader.from_servers import fetch
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.host import Host
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import Machine
from ansible_collections.kubeops.kops.plugins.module_utils.statestore import pki
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.certificates import read_certificate
from ansible_collections.kubeops.kops.tests.support import fake_kubernetes
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.bad_requests import bad_requests, send
from ansible_collections.kubeops.kops.tests.support.bootstrapping import (
    CLUSTER,
    DOCKER_CONFIG,
    MASTERS,
    NAME,
    NODES,
    BootstrapServer,
    Worker,
    WorkerInstance,
    new_keys,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes

FORBIDDEN = (403, b"Forbidden\n")


@pytest.fixture(scope="module", name="kubernetes")
def run_kubernetes() -> Iterator[FakeKubernetes]:
    with fake_kubernetes.serving() as fake:
        yield fake


@pytest.fixture(scope="module", name="server")
def run_server(tmp_path_factory: pytest.TempPathFactory, kubernetes: FakeKubernetes) -> Iterator[BootstrapServer]:
    with AWSServer(checked=True) as aws:
        made = BootstrapServer(tmp_path_factory.mktemp("server"), aws, kubernetes.url)
        made.fill()
        with made.running():
            yield made


SOURCES = (f"127.0.0.{number}" for number in itertools.count(2))


@pytest.fixture(name="source")
def next_source() -> str:
    """An address of its own for each test: requests are counted by address."""
    return next(SOURCES)


@pytest.fixture(name="worker")
def make_worker(server: BootstrapServer, source: str) -> Worker:
    return server.worker(source=source)


def set_ready(kubernetes: FakeKubernetes, name: str, status: str = "True") -> None:
    kubernetes.add("Node", name, status={"conditions": [{"type": "Ready", "status": status}]})


def test_a_worker_gets_what_it_needs_and_no_more(server: BootstrapServer, worker: Worker) -> None:
    private, public = new_keys()
    status, answer = server.bootstrap(worker, public)
    assert status == 200
    assert answer["nodeConfig"]["nodeupConfig"] == render(server.configs["nodes-a"])
    secrets = {name: base64.b64decode(each) for name, each in answer["nodeConfig"]["nodeSecrets"].items()}
    assert secrets == {
        "authority/kubernetes-ca": server.authority.certificate_bundle().encode(),
        "secret/dockerconfig": DOCKER_CONFIG,
    }
    assert "PRIVATE KEY" not in json.dumps(answer)
    issued = {name: read_certificate(pem) for name, pem in answer["certs"].items()}
    assert {name: facts.subject for name, facts in issued.items()} == {
        "kubelet": f"o=system:nodes,cn=system:node:{worker.instance}",
        "kubelet-server": f"cn={worker.instance}",
        "kube-proxy": "cn=system:kube-proxy",
    }
    assert issued["kubelet-server"].alternate_names == sorted([worker.instance, worker.address])
    assert {name: facts.type for name, facts in issued.items()} == {
        "kubelet": "client",
        "kubelet-server": "server",
        "kube-proxy": "client",
    }
    now = datetime.datetime.now(datetime.timezone.utc)
    for name, pem in answer["certs"].items():
        assert pki.is_issued_by(pem, server.authority.signer().certificate)
        assert pki.belongs_to(pem, private[name])
        assert 455 <= (issued[name].not_after - now).days < 486
    assert f"{worker.source}: {worker.instance} of group nodes-a: kube-proxy, kubelet, kubelet-server" in server.log()


def test_a_node_config_alone(server: BootstrapServer, worker: Worker) -> None:
    status, answer = server.bootstrap(worker, {})
    assert (status, answer["certs"]) == (200, {})


def test_the_program_is_for_everybody_who_knows_its_hash(server: BootstrapServer, source: str) -> None:
    assert server.ask("GET", f"/program/{content_hash(server.program)}", source=source) == (200, server.program)
    assert server.ask("GET", f"/program/{'0' * 64}", source=source)[0] == 404
    for path in ("/program/", f"/program/../{'0' * 64}", "/", "/bootstrap", "/healthz/x"):
        assert server.ask("GET", path, source=source)[0] == 404


def test_the_health_check_is_not_counted(server: BootstrapServer, source: str) -> None:
    assert {server.ask("GET", "/healthz", source=source) for _count in range(40)} == {(200, b"ok\n")}


# -- who is refused -------------------------------------------------------------------------------------------------


def ago(**duration: float) -> datetime.datetime:
    return datetime.datetime.now(datetime.timezone.utc) - datetime.timedelta(**duration)


def with_headers(proof: str, change: Callable[[dict[str, list[str]]], object]) -> str:
    scheme, _space, packed = proof.partition(" ")
    headers = json.loads(base64.b64decode(packed))
    change(headers)
    return f"{scheme} {base64.b64encode(json.dumps(headers).encode()).decode()}"


def altered(name: str, old: str, new: str) -> Callable[[dict[str, list[str]]], object]:
    def change(headers: dict[str, list[str]]) -> None:
        assert old in headers[name][0]
        headers[name][0] = headers[name][0].replace(old, new, 1)

    return change


PROOFS: dict[str, tuple[Callable[[str], str], str]] = {
    "none": (lambda proof: "", "no proof of identity"),
    "scheme": (lambda proof: proof.replace("x-aws-sts", "Bearer"), "no proof of identity"),
    "huge": (lambda proof: proof + "A" * 20000, "no proof of identity"),
    "no base64": (lambda proof: "x-aws-sts !", "cannot be read"),
    "no JSON": (lambda proof: "x-aws-sts AAAA", "cannot be read"),
    "two values": (lambda proof: with_headers(proof, lambda given: given["x-amz-date"].append("x")), "cannot be read"),
    "missing": (lambda proof: with_headers(proof, lambda given: given.pop("x-amz-date")), "other headers"),
    "more": (lambda proof: with_headers(proof, lambda given: given.update({"x-amz-target": ["x"]})), "other headers"),
    "unsigned": (
        lambda proof: with_headers(proof, altered("authorization", "x-kops-request-sha", "x-kops-request-shb")),
        "leaves headers unsigned",
    ),
    "line break": (
        lambda proof: with_headers(proof, lambda given: given["x-amz-security-token"].__setitem__(0, "a\r\nb: c")),
        "not plain text",
    ),
    "signature": (
        lambda proof: with_headers(proof, lambda given: given["authorization"].__setitem__(0, flipped(given))),
        "SignatureDoesNotMatch",
    ),
    "content type": (
        lambda proof: with_headers(proof, altered("content-type", "utf-8", "latin1")),
        "of another kind",
    ),
}


def flipped(headers: dict[str, list[str]]) -> str:
    text = headers["authorization"][0]
    return text[:-1] + ("0" if text[-1] != "0" else "1")


@pytest.mark.parametrize(("change", "reason"), PROOFS.values(), ids=PROOFS)
def test_an_altered_proof_is_refused(
    server: BootstrapServer, worker: Worker, change: Callable[[str], str], reason: str
) -> None:
    body = Request(new_keys()[1], server.hashes["nodes-a"]).text()
    proof = change(server.proof(worker, body))
    status, content = server.ask("POST", "/bootstrap", body, proof, worker.source)
    assert reason in last_line(server, worker.source)
    assert (status, content) == FORBIDDEN if len(proof) < 20000 else status in (403, 413)


def last_line(server: BootstrapServer, source: str) -> str:
    return [line for line in server.log().splitlines() if line.startswith(f"{source}:")][-1]


def test_a_proof_is_for_one_request_only(server: BootstrapServer, worker: Worker) -> None:
    """A request that was seen on the way is good for nothing but the same answer."""
    body = Request(new_keys()[1], server.hashes["nodes-a"]).text()
    proof = server.proof(worker, body)
    other = Request(new_keys()[1], server.hashes["nodes-a"]).text()
    assert server.ask("POST", "/bootstrap", other, proof, worker.source) == FORBIDDEN
    assert "is of another request" in last_line(server, worker.source)
    assert server.ask("POST", "/bootstrap", body, proof, worker.source)[0] == 200
    assert server.ask("POST", "/bootstrap", body, proof, worker.source)[0] == 200


@pytest.mark.parametrize("minutes", [5.1, 60, -5.1])
def test_a_request_is_refused_after_the_window(server: BootstrapServer, worker: Worker, minutes: float) -> None:
    body = Request({}, server.hashes["nodes-a"]).text()
    proof = server.proof(worker, body, now=ago(minutes=minutes))
    assert server.ask("POST", "/bootstrap", body, proof, worker.source) == FORBIDDEN
    assert "300 s are allowed" in last_line(server, worker.source)
    near = server.proof(worker, body, now=ago(minutes=4.8 if minutes > 0 else -4.8))
    assert server.ask("POST", "/bootstrap", body, near, worker.source)[0] == 200


def test_a_later_time_does_not_make_an_old_request_new(server: BootstrapServer, worker: Worker) -> None:
    body = Request({}, server.hashes["nodes-a"]).text()
    old = server.proof(worker, body, now=ago(minutes=10))
    fresh = ago(minutes=0).strftime("%Y%m%dT%H%M%SZ")
    proof = with_headers(old, lambda given: given["x-amz-date"].__setitem__(0, fresh))
    assert server.ask("POST", "/bootstrap", body, proof, worker.source) == FORBIDDEN
    assert "SignatureDoesNotMatch" in last_line(server, worker.source)


def test_another_region_is_refused(server: BootstrapServer, worker: Worker) -> None:
    body = Request({}, server.hashes["nodes-a"]).text()
    proof = server.proof(worker, body, region="eu-west-1")
    assert server.ask("POST", "/bootstrap", body, proof, worker.source) == FORBIDDEN


@pytest.mark.parametrize(
    ("role", "account", "reason"),
    [
        (MASTERS, "123456789012", "is not a role of the cluster's workers"),
        ("nodes.other.example.com", "123456789012", "is not a role of the cluster's workers"),
        (NODES, "210987654321", "is not the cluster's"),
    ],
)
def test_foreign_roles_and_accounts_are_refused(
    server: BootstrapServer, worker: Worker, role: str, account: str, reason: str
) -> None:
    foreign = dataclasses.replace(worker, credentials=server.session(role, worker.instance, account))
    assert server.bootstrap(foreign, new_keys()[1]) == FORBIDDEN
    assert reason in last_line(server, worker.source)


@pytest.mark.parametrize(
    ("session", "reason"),
    [("someone", "is not an instance"), ("i-0123456789abcdef0", "EC2 knows no instance i-0123456789abcdef0")],
)
def test_sessions_that_are_no_instances_are_refused(
    server: BootstrapServer, worker: Worker, session: str, reason: str
) -> None:
    other = dataclasses.replace(worker, credentials=server.session(NODES, session))
    assert server.bootstrap(other, new_keys()[1]) == FORBIDDEN
    assert reason in last_line(server, worker.source)


@pytest.mark.parametrize(
    ("group", "tags", "asked", "reason"),
    [
        ("nodes-a", {"KubernetesCluster": "other.example.com"}, "nodes-a", f"is not of cluster {CLUSTER}"),
        ("nodes-a", {"kops.k8s.io/instancegroup": ""}, "nodes-a", "has no tag kops.k8s.io/instancegroup"),
        ("../nodes-a", {}, "nodes-a", "has no tag kops.k8s.io/instancegroup"),
        ("control-plane-a", {}, "control-plane-a", "group control-plane-a has no NodeConfig"),
        ("nodes-b", {}, "nodes-a", "group nodes-b has no NodeConfig"),
        ("nodes-b", {}, "control-plane-a", "group nodes-b has no NodeConfig"),
    ],
)
def test_a_role_and_a_tag_give_only_their_own_group(
    server: BootstrapServer, source: str, group: str, tags: dict[str, str], asked: str, reason: str
) -> None:
    worker = server.worker(group, source=source, **tags)
    assert server.bootstrap(worker, new_keys()[1], asked) == FORBIDDEN
    assert reason in last_line(server, source)


def test_an_instance_that_ended_is_refused(server: BootstrapServer, worker: Worker) -> None:
    server.aws.client("ec2").terminate_instances(InstanceIds=[worker.instance])
    assert server.bootstrap(worker, new_keys()[1]) == FORBIDDEN
    assert f"instance {worker.instance} is terminated" in last_line(server, worker.source)


def test_only_the_certificates_of_workers_are_issued(server: BootstrapServer, worker: Worker) -> None:
    for name in ("kubecfg", "master", "kops-controller", "kube-router", "../kubelet"):
        assert server.bootstrap(worker, new_keys(name)[1]) == FORBIDDEN
    public = new_keys("kubelet")[1]
    assert server.bootstrap(worker, {"kubelet": public["kubelet"].replace("MFkw", "MFkx")})[0] == 400
    assert server.bootstrap(worker, public, "0" * 64) == FORBIDDEN
    assert server.bootstrap(worker, public, "../../../../pki")[0] == 400
    assert server.bootstrap(worker, public, "")[0] == 400


def test_a_worker_reads_nothing_of_the_store_itself(server: BootstrapServer, worker: Worker) -> None:
    import boto3
    import botocore.exceptions

    given = worker.credentials
    s3 = boto3.client(
        "s3",
        endpoint_url=server.aws.url,
        region_name="us-east-1",
        aws_access_key_id=given.access_key_id,
        aws_secret_access_key=given.secret_access_key,
        aws_session_token=given.token,
    )
    with pytest.raises(botocore.exceptions.ClientError, match="AccessDenied"):
        s3.get_object(Bucket="store", Key=f"{CLUSTER}/pki/private/kubernetes-ca/keyset.yaml")


# -- other keys for the same instance -------------------------------------------------------------------------------


def test_a_node_that_is_ready_gets_no_other_keys(
    server: BootstrapServer, worker: Worker, kubernetes: FakeKubernetes, tmp_path: pathlib.Path
) -> None:
    private, public = new_keys()
    status, first = server.bootstrap(worker, public)
    assert status == 200
    # Before the node is ready, it may have lost its keys.
    private, public = new_keys()
    status, first = server.bootstrap(worker, public)
    assert status == 200
    set_ready(kubernetes, worker.instance)
    other = new_keys()[1]
    assert server.bootstrap(worker, other) == (409, b"Conflict\n")
    assert "its Node is Ready" in last_line(server, worker.source)
    # The answer was lost: it asks again.
    assert server.bootstrap(worker, public)[0] == 200
    # It renews its certificates, and shows the one that it has.
    shown = tmp_path / "kubelet.pem"
    shown.write_text(first["certs"]["kubelet"] + private["kubelet"])
    assert server.bootstrap(worker, other, client=str(shown))[0] == 200
    set_ready(kubernetes, worker.instance, "Unknown")
    assert server.bootstrap(worker, new_keys()[1])[0] == 200


def test_the_certificate_of_another_node_does_not_help(
    server: BootstrapServer, worker: Worker, kubernetes: FakeKubernetes, tmp_path: pathlib.Path
) -> None:
    other = server.worker(source=worker.source)
    private, public = new_keys()
    _status, answer = server.bootstrap(other, public)
    set_ready(kubernetes, worker.instance)
    for name in ("kubelet", "kube-proxy"):
        shown = tmp_path / f"{name}.pem"
        shown.write_text(answer["certs"][name] + private[name])
        assert server.bootstrap(worker, new_keys()[1], client=str(shown))[0] == 409


def test_without_an_api_server_nothing_is_issued(
    server: BootstrapServer, worker: Worker, kubernetes: FakeKubernetes
) -> None:
    kubernetes.faults[:] = [503] * 100
    try:
        assert server.bootstrap(worker, new_keys()[1])[0] == 503
    finally:
        kubernetes.faults.clear()
    assert server.bootstrap(worker, new_keys()[1])[0] == 200


# -- the client of workers -------------------------------------------------------------------------------------------


def settings_of(server: BootstrapServer) -> Settings:
    """What user data tells a worker."""
    servers = {
        "addresses": ["127.0.0.1"],
        "name": NAME,
        "port": server.port,
        "ca": server.authority.certificate_bundle(),
    }
    names = ("kubelet", "kubelet-server", "kube-proxy")
    return Settings("aws", CLUSTER, "nodes-a", "Node", {}, servers=servers, certificates=names)


def test_a_worker_boots_with_it_and_renews_its_certificates_later(
    server: BootstrapServer, kubernetes: FakeKubernetes, tmp_path: pathlib.Path
) -> None:
    worker = server.worker()
    machine = Machine(str(tmp_path), Host(str(tmp_path)), DISTRIBUTIONS[0])
    sha256 = server.hashes["nodes-a"]
    first = from_servers.given(settings_of(server), WorkerInstance(server, worker), machine, sha256)
    assert first.config == server.configs["nodes-a"]
    assert first.secrets.keys() == {
        *("authority/kubernetes-ca", "secret/dockerconfig", "kubeconfig/kubelet", "kubeconfig/kube-proxy"),
        *("certificate/kubelet-server", "key/kubelet-server"),
    }
    kubeconfig = tmp_path / "var/lib/kubelet/kubeconfig"
    kubeconfig.parent.mkdir(parents=True)
    kubeconfig.write_bytes(base64.b64decode(first.secrets["kubeconfig/kubelet"]))
    client.forget_keys(machine)
    set_ready(kubernetes, worker.instance)
    again = from_servers.given(settings_of(server), WorkerInstance(server, worker), machine, sha256)
    assert again.secrets["kubeconfig/kubelet"] != first.secrets["kubeconfig/kubelet"]
    # Without the certificate that it has, it is not known as the node any more.
    client.forget_keys(machine)
    kubeconfig.unlink()
    with pytest.raises(client.Refused, match="its node is ready already"):
        from_servers.given(settings_of(server), WorkerInstance(server, worker), machine, sha256)
    # A certificate that servers do not accept is no obstacle.
    set_ready(kubernetes, worker.instance, "False")
    key = pki.generate_elliptic_key()
    foreign = pki.issue(pki.CertificateRequest("ca", pki.Subject("kubernetes-ca"), private_key=key))
    kubeconfig.write_text(kubeconfig_text("kubelet", "https://x", "CA", foreign.certificate, key))
    assert from_servers.given(settings_of(server), WorkerInstance(server, worker), machine, sha256).secrets


def test_the_loader_of_workers_gets_the_program(server: BootstrapServer) -> None:
    boot = {"servers": settings_of(server).servers, "program": {"sha256": content_hash(server.program)}}
    assert fetch(boot) == server.program


# -- abuse ----------------------------------------------------------------------------------------------------------


def test_bodies_and_heads_are_limited(server: BootstrapServer, worker: Worker) -> None:
    body = Request({"kubelet": "x" * 70000}, server.hashes["nodes-a"]).text()
    assert server.ask("POST", "/bootstrap", body, server.proof(worker, body), worker.source)[0] == 413
    assert server.ask("GET", "/healthz", proof="x" * 60000, source=worker.source)[0] == 413


@pytest.mark.long
def test_slow_callers_are_cut_off(server: BootstrapServer, source: str) -> None:
    begin = time.monotonic()
    slow = [server.connected(source) for _count in range(4)]
    silent = [server.connected(source), socket.create_connection(("127.0.0.1", server.port), 30, (source, 0))]
    for connection in slow:
        connection.send(b"GET /healthz HTTP/1.1\r\n")
    assert server.ask("GET", "/healthz", source=source) == (200, b"ok\n")
    drip = threading.Thread(target=dripping, args=(slow[0],))
    drip.start()
    for connection in silent:
        assert connection.recv(1) == b""
    assert 3 < time.monotonic() - begin < 8, "nothing came"
    for connection in slow[1:]:
        assert connection.recv(1) == b""
    drip.join()
    assert 8 < time.monotonic() - begin < 16, "too little came"
    for connection in (*slow, *silent):
        connection.close()


def test_others_behind_the_address_of_200_slow_callers_are_served(server: BootstrapServer, source: str) -> None:
    """As behind a load balancer that shows its own address only. There are 64 places; those who lose one come again."""
    selector = selectors.DefaultSelector()
    stopped = threading.Event()

    def connect() -> None:
        connection = socket.socket()
        connection.bind((source, 0))
        connection.setblocking(False)
        connection.connect_ex(("127.0.0.1", server.port))
        selector.register(connection, selectors.EVENT_READ)

    def come_again() -> None:
        while not stopped.is_set():
            for key, _events in selector.select(0.1):
                selector.unregister(key.fileobj)
                key.fileobj.close()
                connect()

    for _count in range(200):
        connect()
    slow = threading.Thread(target=come_again)
    slow.start()
    try:
        worker = server.worker(source=source)
        for _count in range(2):
            begin = time.monotonic()
            assert server.bootstrap(worker, new_keys()[1])[0] == 200
            assert time.monotonic() - begin < 10
    finally:
        stopped.set()
        slow.join()
        for key in list(selector.get_map().values()):
            key.fileobj.close()
    assert f"{source}: dropped, because others were waiting for its place" in server.log()


def dripping(connection: socket.socket) -> None:
    """A header that never ends."""
    try:
        while True:
            connection.send(b"x")
            time.sleep(0.2)
    except OSError:
        return


def test_one_address_cannot_ask_too_often(server: BootstrapServer, source: str) -> None:
    statuses = [server.ask("POST", "/bootstrap", b"{}", source=source)[0] for _count in range(30)]
    assert statuses[:20] == [403] * 20
    assert 429 in statuses[20:]
    assert server.ask("GET", "/healthz", source=source)[0] == 200


def test_bad_requests_do_not_end_the_server(server: BootstrapServer, worker: Worker) -> None:
    """tests/bench/bootstrap.py sends 10,000."""
    keys = new_keys()[1]
    assert server.bootstrap(worker, keys)[0] == 200
    threads = len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir()))
    answers = {send(server, source, request) for source, request in bad_requests(server, worker, 300)}
    assert {0, 400, 403, 404} <= answers <= {0, 400, 403, 404, 413, 429}
    assert server.process.poll() is None
    assert server.bootstrap(worker, keys)[0] == 200
    time.sleep(0.5)
    assert len(list(pathlib.Path(f"/proc/{server.process.pid}/task").iterdir())) <= threads + 2


def test_nothing_secret_is_in_the_log(server: BootstrapServer, worker: Worker) -> None:
    private, public = new_keys()
    server.bootstrap(worker, public)
    log = server.log()
    assert worker.instance in log
    for secret in (worker.credentials.token, "PRIVATE", "auths", server.authority.signer().private_key[40:80]):
        assert secret not in log
    assert identity.SCHEME not in log
