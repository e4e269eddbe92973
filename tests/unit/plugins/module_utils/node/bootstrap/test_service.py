# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What workers get, as far as a running server does not show it (tests/integration/test_bootstrap_server.py)."""

from __future__ import annotations

import base64
import json

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.bootstrap import Request
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.document import content_hash
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.admission import Admission
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.bounds import Rate
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.service import Files, Service
from ansible_collections.kubeops.kops.plugins.module_utils.node.bootstrap.verdicts import Malformed
from ansible_collections.kubeops.kops.plugins.module_utils.node.cloud.identity import (
    Evidence,
    Identity,
    Refused,
    Unavailable,
)

CLUSTER = "demo.example.com"
ADMISSION = Admission(Rate(1000, 1000), 4, 5)


class Cloud:
    """It believes everybody."""

    def __init__(self, group: str = "nodes-a") -> None:
        self.group = group

    def identify(self, evidence: Evidence, admission: object) -> Identity:
        return Identity(self.group, {"NODE_NAME": "i-1", "INTERNAL_IP": "10.0.0.1"})


class Nodes:
    """None is ready."""

    def is_ready(self, name: str) -> bool:
        return False


def stored(**more: object) -> tuple[dict[str, bytes], str]:
    """The files of a store with one NodeConfig, and its hash."""
    config = {"cluster": CLUSTER, "instanceGroup": "nodes-a", "role": "Node", **more}
    content = json.dumps(config).encode()
    sha256 = content_hash(content)
    return {f"igconfig/node/nodes-a/nodeconfig/{sha256}.json": content}, sha256


def sent(body: bytes) -> Evidence:
    return Evidence("", body, "10.0.0.1")


def service(files: dict[str, bytes]) -> Service:
    return Service(CLUSTER, files.get, Cloud(), Nodes())


@pytest.mark.parametrize(
    "reference", ["key/kubernetes-ca", "key/service-account", "signer/kubernetes-ca", "secret/encryptionconfig"]
)
def test_a_key_is_never_given_whatever_a_node_config_says(reference: str) -> None:
    files, sha256 = stored(files=[{"path": "/x", "reference": reference}])
    with pytest.raises(Refused, match=f"i-1: .* refers to {reference}, which is not for workers"):
        service(files).bootstrap(sent(Request({}, sha256).text()), ADMISSION)


@pytest.mark.parametrize("more", [{"cluster": "other.example.com"}, {"instanceGroup": "nodes-b"}])
def test_a_node_config_that_is_at_the_wrong_place_is_not_given(more: dict[str, str]) -> None:
    files, sha256 = stored(**more)
    with pytest.raises(Refused, match="of another group or cluster"):
        service(files).bootstrap(sent(Request({}, sha256).text()), ADMISSION)


@pytest.mark.parametrize("group", ["control-plane-a", "../control-plane/control-plane-a", "nodes-b", ""])
def test_only_groups_of_workers_have_node_configs_here(group: str) -> None:
    files, sha256 = stored(instanceGroup="control-plane-a", role="ControlPlane")
    content = files.popitem()[1]
    files[f"igconfig/control-plane/control-plane-a/nodeconfig/{sha256}.json"] = content
    with pytest.raises(Refused, match=f"i-1: group {group} has no NodeConfig {sha256} for workers"):
        Service(CLUSTER, files.get, Cloud(group), Nodes()).bootstrap(sent(Request({}, sha256).text()), ADMISSION)


def test_a_store_that_does_not_answer_is_no_refusal() -> None:
    def read(location: str) -> bytes | None:
        raise KopsError("timed out")

    made = Service(CLUSTER, read, Cloud(), Nodes())
    with pytest.raises(Unavailable, match="timed out"):
        made.bootstrap(sent(Request({}, "0" * 64).text()), ADMISSION)
    with pytest.raises(Unavailable, match="timed out"):
        made.program("0" * 64)


def test_a_missing_keyset_is_no_refusal() -> None:
    files, sha256 = stored(files=[{"path": "/x", "reference": "authority/kubernetes-ca"}])
    with pytest.raises(Unavailable, match="no keyset kubernetes-ca"):
        service(files).bootstrap(sent(Request({}, sha256).text()), ADMISSION)


def test_a_node_gets_no_older_keys_than_it_was_started_for(monkeypatch: pytest.MonkeyPatch) -> None:
    files, sha256 = stored(files=[{"path": "/x", "reference": "authority/kubernetes-ca"}])
    clock, asked = [1000.0], []
    monkeypatch.setattr("time.monotonic", lambda: clock[0])

    def read(location: str) -> bytes | None:
        asked.append(location)
        return files.get(location)

    def keyset(*ids: str) -> bytes:
        keys = [{"id": each, "publicMaterial": base64.b64encode(f"{each}\n".encode()).decode()} for each in ids]
        return json.dumps({"kind": "Keyset", "spec": {"primaryId": "1", "keys": keys}}).encode()

    def answered(*ids: str) -> str:
        request = Request({}, sha256, {"kubernetes-ca": ids, "service-account": ["9"]})
        _identity, answer = made.bootstrap(sent(request.text()), ADMISSION)
        return base64.b64decode(answer.secrets["authority/kubernetes-ca"]).decode()

    place = "pki/private/kubernetes-ca/keyset.yaml"
    files[place] = keyset("1")
    made = Service(CLUSTER, read, Cloud(), Nodes())
    assert answered("1") == "1\n"
    files[place] = keyset("1", "2")
    clock[0] += 5
    assert answered("1") == "1\n"
    assert answered("1", "2") == "1\n2\n"
    # One that was started before gets what there is now, and nobody makes it ask each time.
    assert answered("1") == "1\n2\n"
    assert asked.count(place) == 2
    # What it does not use is not looked at.
    assert not any("service-account" in each for each in asked)


def test_messages_that_cannot_be_read_are_malformed() -> None:
    for body in (b"", b"[]", b"{}", b"[" * 100000):
        with pytest.raises(Malformed, match="^i-1: "):
            service({}).bootstrap(sent(body), ADMISSION)


def test_files_are_read_once_and_only_with_their_content() -> None:
    asked: list[str] = []
    files = {"good": b"content", "bad": b"other"}

    def read(location: str) -> bytes | None:
        asked.append(location)
        return files.get(location)

    found = Files(read)
    sha256 = content_hash(b"content")
    for _count in range(3):
        assert found.find("good", sha256) == b"content"
        assert found.find("bad", sha256) is None
        assert found.find("missing", sha256) is None
    assert asked == ["good", "bad", "missing"]
