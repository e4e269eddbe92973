# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The client of etcd and the rules of membership, against a server that answers as a test says.

What a real etcd says is in tests/integration/test_etcd_members.py.
"""

from __future__ import annotations

import base64
import hashlib
import json
import pathlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd import membership as etcd_membership
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.client import (
    EtcdClient,
    EtcdError,
    Member,
    majority,
)
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import the_member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.membership import MemberList, NewMember
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.observe import observe_members

MANIFEST = """
apiVersion: v1
kind: Pod
metadata:
  name: etcd-main
spec:
  containers:
  - args:
    - --advertise-client-urls=https://10.0.0.7:4001
    - '--data-dir=/mnt/disks/demo.example.com--main--a/data'
    - --initial-advertise-peer-urls=https://10.0.0.7:2380
    - --initial-cluster-state=new
    - --initial-cluster=a=https://10.0.0.7:2380,b=https://[fd00::8]:2380
    - --listen-client-urls=https://0.0.0.0:4001
    - --name=a
    command:
    - etcd
    image: registry.k8s.io/etcd:v3.6.5
    name: etcd-main
"""
MANIFESTS = "etc/kubernetes/manifests"


class Server:
    """Answers each method of the API with a status and lines."""

    def __init__(self) -> None:
        self.answers: dict[str, tuple[int, list[Any]]] = {}
        self.asked: list[tuple[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                method = self.path.removeprefix("/v3/")
                outer.asked.append((method, request))
                status, lines = outer.answers.get(method, (404, ["Not Found"]))
                self.send_response(status)
                self.end_headers()
                for line in lines:
                    self.wfile.write((line if isinstance(line, str) else json.dumps(line)).encode() + b"\n")

            def log_message(self, *_arguments: Any) -> None:
                """Nothing."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        threading.Thread(target=self._server.serve_forever, args=[0.02], daemon=True).start()

    def stop(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture(name="server")
def serve() -> Iterator[Server]:
    made = Server()
    yield made
    made.stop()


def member(name: str, number: int, *, learner: bool = False, client: str = "") -> dict[str, Any]:
    """As the API lists one. Numbers of 64 bits are text; what is false or empty is left out."""
    found = {"ID": str(number), "name": name, "peerURLs": [f"https://{name or 'x'}:2380"], "isLearner": learner}
    return {key: value for key, value in {**found, "clientURLs": [client] if client else []}.items() if value}


def test_members_as_they_are_listed(server: Server) -> None:
    listed = [member("b", 2**63, client="https://b:4001"), member("a", 255, learner=True), member("", 1)]
    server.answers["cluster/member/list"] = (200, [{"members": listed}])
    found = EtcdClient([server.url], None).members()
    assert [(each.name, each.id, each.learner, each.client_urls) for each in found] == [
        ("", "0000000000000001", False, ()),
        ("a", "00000000000000ff", True, ()),
        ("b", "8000000000000000", False, ("https://b:4001",)),
    ]
    assert server.asked == [("cluster/member/list", {"linearizable": True})]


def test_another_member_is_asked_when_one_cannot_answer(server: Server) -> None:
    other = Server()
    try:
        refusal = {"code": 14, "message": "etcdserver: no leader"}
        server.answers["cluster/member/list"] = (503, [refusal])
        other.answers["cluster/member/list"] = (200, [{"members": [member("a", 1)]}])
        asked = ["http://127.0.0.1:1", server.url, other.url]
        assert [each.name for each in EtcdClient(asked, None).members()] == ["a"]
    finally:
        other.stop()
    with pytest.raises(EtcdError) as told:
        EtcdClient(asked[:2], None).members()
    assert "- http://127.0.0.1:1: Connection refused" in str(told.value)
    assert f"- {server.url}: etcdserver: no leader" in str(told.value)


def test_a_refusal_is_the_answer(server: Server) -> None:
    server.answers["cluster/member/add"] = (400, [{"code": 9, "message": "etcdserver: Peer URLs already exists"}])
    with pytest.raises(
        EtcdError, match=f"etcd \\({server.url}\\) refused the request: etcdserver: Peer URLs already exists"
    ):
        EtcdClient([server.url, "http://127.0.0.1:1"], None).add_learner(["https://b:2380"])
    assert server.asked == [("cluster/member/add", {"peerURLs": ["https://b:2380"], "isLearner": True})]


@pytest.mark.parametrize("lines", [["no JSON"], [[]]], ids=["text", "list"])
def test_an_answer_that_is_none(server: Server, lines: list[Any]) -> None:
    server.answers["cluster/member/list"] = (200, lines)
    client = EtcdClient([server.url], None)
    if lines == [[]]:
        assert client.members() == []
    else:
        with pytest.raises(EtcdError, match="cannot be read"):
            client.members()


def pieces(*blobs: bytes, left: int = 0) -> list[Any]:
    sizes = [sum(map(len, blobs[number + 1 :])) + left for number in range(len(blobs))]
    return [
        {"result": {"blob": base64.b64encode(blob).decode(), **({"remaining_bytes": str(size)} if size else {})}}
        for blob, size in zip(blobs, sizes)
    ]


def test_a_snapshot_comes_in_pieces(server: Server) -> None:
    data = bytes(range(256)) * 40
    digest = hashlib.sha256(data).digest()
    client = EtcdClient([server.url], None)
    server.answers["maintenance/snapshot"] = (200, pieces(data[:100], data[100:], digest))
    assert b"".join(client.snapshot()) == data + digest
    for wrong in (pieces(data, digest[::-1]), pieces(data), pieces(data, digest, left=5), []):
        server.answers["maintenance/snapshot"] = (200, wrong)
        with pytest.raises(EtcdError, match="its checksum is wrong"):
            list(client.snapshot())
    server.answers["maintenance/snapshot"] = (200, [*pieces(data, left=9), {"error": {"message": "disk"}}])
    with pytest.raises(EtcdError, match="etcd ended the snapshot: disk"):
        list(client.snapshot())
    server.answers["maintenance/snapshot"] = (200, ["{half"])
    with pytest.raises(EtcdError, match="the etcd snapshot was interrupted"):
        list(client.snapshot())


def test_majorities() -> None:
    assert [majority(count) for count in range(1, 6)] == [1, 2, 2, 3, 3]


# what a host says


def write_manifest(root: pathlib.Path, name: str = "etcd-main", text: str = MANIFEST) -> None:
    (root / MANIFESTS).mkdir(parents=True, exist_ok=True)
    (root / MANIFESTS / f"{name}.manifest").write_text(text)


def test_a_manifest_says_where_its_member_is(tmp_path: pathlib.Path) -> None:
    write_manifest(tmp_path)
    found = the_member("main", str(tmp_path))
    assert (found.name, found.cluster, found.image) == ("a", "demo.example.com", "registry.k8s.io/etcd:v3.6.5")
    assert found.endpoints() == ["https://127.0.0.1:4001", "https://10.0.0.7:4001", "https://[fd00::8]:4001"]
    with pytest.raises(KopsError, match=r"no member of etcd cluster events .* it has members of: main"):
        the_member("events", str(tmp_path))


def test_what_a_host_says_of_its_members(tmp_path: pathlib.Path) -> None:
    write_manifest(tmp_path)
    write_manifest(tmp_path, "etcd-odd", "not one of ours")
    disks = tmp_path / "mnt/disks"
    for path in ("demo.example.com--main--a", "old.example.com--events--b/data/member/wal", "something/else"):
        (disks / path).mkdir(parents=True)
    running = {"etcd": "main", "cluster": "demo.example.com", "member": "a", "manifest": True, "restoring": False}
    running["initial_cluster"] = "a=https://10.0.0.7:2380,b=https://[fd00::8]:2380"
    running.update(initial_state="new", peer_urls=["https://10.0.0.7:2380"])
    left = {"etcd": "events", "cluster": "old.example.com", "member": "b", "manifest": False, "data": True}
    left.update(restoring=False, initial_cluster="", initial_state="", peer_urls=[])
    assert observe_members(str(tmp_path)) == [{**running, "data": False}, left]
    (disks / "demo.example.com--main--a/data/member/wal").mkdir(parents=True)
    assert observe_members(str(tmp_path)) == [{**running, "data": True}, left]


def test_a_member_whose_restore_was_broken_off_counts_as_born(tmp_path: pathlib.Path) -> None:
    write_manifest(tmp_path)
    aside = tmp_path / "var/lib/kops/etcd-restore"
    aside.mkdir(parents=True)
    (tmp_path / MANIFESTS / "etcd-main.manifest").rename(aside / "etcd-main.manifest")
    (found,) = observe_members(str(tmp_path))
    assert (found["data"], found["manifest"], found["restoring"]) == (True, True, True)


# who may come and go


class Cluster(EtcdClient):
    """A cluster in memory. alive: the members that answer."""

    def __init__(self, *members: Member, alive: str) -> None:
        self.list = list(members)
        self.alive = alive
        self.done: list[str] = []
        self.errors: list[str] = []
        self.places = {}

    def members(self) -> list[Member]:
        return sorted(self.list, key=lambda each: each.name)

    def add_learner(self, peer_urls: Any) -> list[Member]:
        if self.errors:
            raise EtcdError(self.errors.pop(0))
        self.list.append(Member("new", "", tuple(peer_urls), learner=True))
        self.done.append(f"+{peer_urls[0]}")
        return self.list

    def remove(self, member: Member) -> list[Member]:
        self.list.remove(member)
        self.done.append(f"-{member.name}")
        return self.list


def a_member(name: str, learner: bool = False) -> Member:
    return Member(f"id-{name}", name, (f"https://{name}:2380",), (f"https://{name}:4001",), learner)


@pytest.fixture(name="roll_of")
def make_roll(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Function: the member_list of a cluster in memory."""
    monkeypatch.setattr(etcd_membership, "_PAUSE", 0.001)

    def make(cluster: Cluster) -> MemberList:
        monkeypatch.setattr(MemberList, "_is_alive", lambda _member_list, each: each.name in cluster.alive)
        return MemberList(cluster, timeout=0.2)

    return make


def test_who_is_in_already_stays(roll_of) -> None:
    cluster = Cluster(a_member("a"), a_member("b"), alive="ab")
    done = roll_of(cluster).ensure(NewMember("b", ("https://b:2380",)))
    assert (done.changed, cluster.done) == (False, [])
    assert done.initial_cluster() == "a=https://a:2380,b=https://b:2380"


def test_a_fresh_host_at_the_old_address_takes_the_place_of_the_dead(roll_of) -> None:
    cluster = Cluster(a_member("a"), a_member("b"), a_member("c"), alive="ac")
    newcomer = NewMember("b", ("https://b:2380",), fresh=True)
    predicted = roll_of(cluster).ensure(newcomer, check=True)
    assert (predicted.changed, cluster.done) == (True, [])
    done = roll_of(cluster).ensure(newcomer)
    assert cluster.done == ["-b", "+https://b:2380"]
    assert [each.name for each in done.after] == [each.name for each in predicted.after] == ["a", "b", "c"]


def test_etcd_is_asked_again_when_it_is_not_ready(roll_of) -> None:
    cluster = Cluster(a_member("a"), alive="a")
    cluster.errors = ["etcd refused the request: etcdserver: unhealthy cluster"] * 3
    assert roll_of(cluster).ensure(NewMember("b", ("https://b:2380",))).changed
    other = Cluster(a_member("a"), alive="a")
    other.errors = ["etcd refused the request: etcdserver: permission denied"]
    with pytest.raises(EtcdError, match="permission denied"):
        roll_of(other).ensure(NewMember("b", ("https://b:2380",)))


def test_one_at_a_time(roll_of) -> None:
    cluster = Cluster(a_member("a"), a_member("b", learner=True), alive="ab")
    member_list = roll_of(cluster)
    newcomer = NewMember("c", ("https://c:2380",))
    with pytest.raises(KopsError, match=r"one member at a time, and b \(https://b:2380\) is still a learner after 0 s"):
        member_list.ensure(newcomer)

    def promote() -> None:
        cluster.list[1] = a_member("b")

    timer = threading.Timer(0.05, promote)
    timer.start()
    assert member_list.ensure(newcomer, wait=10).changed
    timer.join()
    cluster.list[2:] = []
    cluster.errors = ["etcd refused the request: etcdserver: too many learner members in cluster"] * 2
    assert member_list.ensure(newcomer, wait=10).changed


def test_a_majority_has_to_stay(roll_of) -> None:
    three = [a_member(name) for name in "abc"]
    with pytest.raises(
        KopsError, match=r"without c .*, 2 of 2 members must be available, but 1 are; start these first: b"
    ):
        roll_of(Cluster(*three, alive="ac")).remove("c")
    with pytest.raises(KopsError, match="a .* is the only voter"):
        roll_of(Cluster(a_member("a"), a_member("b", learner=True), alive="a")).remove("a")
    learning = Cluster(a_member("a"), a_member("b", learner=True), alive="")
    assert roll_of(learning).remove("b").changed
    assert learning.done == ["-b"]
    with pytest.raises(KopsError, match="are different members; name one"):
        roll_of(Cluster(*three, alive="abc")).remove("a", ["https://b:2380"])
