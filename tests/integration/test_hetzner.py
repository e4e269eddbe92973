# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/hetzner.md shows, typed as it stands there, on an API of tests; and the life of a cluster by playbooks.

The state store is a bucket of an account on loopback, by the protocol of S3, as Hetzner has it.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import marks
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.runs import HETZNER, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import PUBLIC_KEY, ansible_environment
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

NAME, BUCKET = "demo.k8s.local", "example-state"
PLAN, CREATE = taken_by(HETZNER, "docs/hetzner.md")
NODES = "nodes-fsn1"


class Told(dict[int, str]):
    """The user data of servers by their ids, and in a directory by their names, for what plays the servers."""

    def __init__(self, hetzner: HetznerServer, directory: pathlib.Path) -> None:
        super().__init__()
        self._hetzner, self._directory = hetzner, directory

    def __setitem__(self, number: int, text: str) -> None:
        super().__setitem__(number, text)
        name = self._hetzner.project.objects.kinds["servers"][number]["name"]
        (self._directory / f"{name}.user-data").write_text(text)


@pytest.fixture(name="hetzner")
def run_hetzner(tmp_path: pathlib.Path) -> Iterator[HetznerServer]:
    with HetznerServer() as hetzner:
        (tmp_path / "servers").mkdir()
        hetzner.project.servers.user_data = Told(hetzner, tmp_path / "servers")
        yield hetzner


@pytest.fixture(name="reader")
def with_a_project(
    server: AWSServer, hetzner: HetznerServer, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Reader:
    """Who has a token, a bucket with a key for it, and an SSH key where users have it."""
    server.reset()
    server.client("s3").create_bucket(Bucket=BUCKET)
    given = {
        **hetzner.environment,
        "S3_ENDPOINT": server.environment["AWS_ENDPOINT_URL"],
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY_ID": server.environment["AWS_ACCESS_KEY_ID"],
        "S3_SECRET_ACCESS_KEY": server.environment["AWS_SECRET_ACCESS_KEY"],
        "KOPS_STATE_STORE": f"hos://{BUCKET}",
        "KOPS_CLUSTER_NAME": NAME,
        "ANSIBLE_SSH_EXECUTABLE": str(ROOT / "tests/support/hetzner/ssh_client.py"),
        "KUBEOPS_TEST_SERVERS": str(tmp_path / "servers"),
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    found = Reader(tmp_path / "reader", {**os.environ, **ansible_environment()})
    key = found.directory / ".ssh" / "id_ed25519.pub"
    key.parent.mkdir()
    key.write_text(PUBLIC_KEY)
    return found


def play(reader: Reader, name: str, *options: str, expect: int = 0, **variables: object) -> str:
    """What a playbook of the collection prints."""
    given = json.dumps(variables)
    return reader.run("ansible-playbook", f"kubeops.kops.{name}", "-e", given, *options, expect=expect)


def servers(hetzner: HetznerServer) -> dict[str, list[dict[str, Any]]]:
    """Instance group -> its servers, by their numbers."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in hetzner.project.objects.all("servers"):
        found.setdefault(each["labels"]["kops.k8s.io/instance-group"], []).append(each)
    return {group: sorted(of, key=lambda each: int(each["labels"][marks.NUMBER])) for group, of in found.items()}


def test_a_cluster_from_its_plan_to_its_deletion(
    hetzner: HetznerServer, reader: Reader, tmp_path: pathlib.Path
) -> None:
    assert re.search(r"Plan [0-9a-f]{16}: \d+ to create", reader.typed(PLAN))
    assert (hetzner.writes, open_path(f"hos://{BUCKET}").list_tree()) == ([], [])
    made = reader.typed(CREATE)
    assert "kubeops.kops.validate_cluster -e kops_validate_wait=900" in made
    assert {group: len(of) for group, of in servers(hetzner).items()} == {"control-plane-fsn1": 1, NODES: 1}
    (control_plane,) = servers(hetzner)["control-plane-fsn1"]
    given = json.loads((tmp_path / "servers" / f"{control_plane['name']}.credentials").read_text())
    assert given["token"] == hetzner.environment["HCLOUD_TOKEN"]
    assert given["token"] not in made
    hetzner.calls.clear()
    assert "changed=0" in reader.typed(CREATE)
    assert hetzner.writes == []
    play(reader, "delete_cluster", "--check")
    assert hetzner.writes == []
    play(reader, "delete_cluster")
    assert (hetzner.names(), open_path(f"hos://{BUCKET}").list_tree()) == ([], [])


@pytest.mark.long
def test_the_life_of_a_cluster(hetzner: HetznerServer, reader: Reader) -> None:
    foreign = {"name": f"nodes.{NAME}.theirs", "rules": []}
    hetzner.project.objects.add("firewalls", foreign, {"rules": [], "applied_to": []})
    reader.run(*CREATE.words, "-e", json.dumps({"kops_node_count": 2}))
    before = {each["name"] for of in servers(hetzner).values() for each in of}
    # Other servers.
    play(reader, "edit", kops_groups=[NODES], kops_set=["spec.image=debian-12"])
    assert "another image" in play(reader, "update_cluster")
    assert {each["name"] for of in servers(hetzner).values() for each in of} == before
    assert "another image" in play(reader, "rolling_update", "--check", kops_cloudonly=True)
    play(reader, "rolling_update", kops_cloudonly=True)
    assert [each["image"]["name"] for each in servers(hetzner)[NODES]] == ["debian-12"] * 2
    assert not before & {each["name"] for each in servers(hetzner)[NODES]}
    assert "changed=0" in play(reader, "update_cluster")
    # Fewer servers.
    play(reader, "edit", kops_groups=[NODES], kops_set=["spec.minSize=1", "spec.maxSize=1"])
    assert re.search(
        rf"- Place/{NODES}-\d+\s+\(instance group {NODES} has 1 at most\)", play(reader, "update_cluster", "--check")
    )
    play(reader, "update_cluster")
    play(reader, "rolling_update", kops_cloudonly=True)
    assert len(servers(hetzner)[NODES]) == 1
    play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True)
    # A server that somebody has deleted.
    (worker,) = servers(hetzner)[NODES]
    del hetzner.project.objects.kinds["servers"][worker["id"]]
    drift = play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True, expect=2)
    assert f"Server/{NODES}-" in drift
    play(reader, "update_cluster")
    (again,) = servers(hetzner)[NODES]
    assert again["labels"][marks.NUMBER] == worker["labels"][marks.NUMBER]
    # A server that is named.
    play(reader, "delete_instance", kops_instance=again["name"], kops_cloudonly=True)
    (other,) = servers(hetzner)[NODES]
    assert other["name"] != again["name"]
    assert "changed=0" in play(reader, "update_cluster")
    play(reader, "delete_cluster")
    assert hetzner.names() == [f"firewalls {foreign['name']}"]


def test_terraform_is_refused(hetzner: HetznerServer, reader: Reader) -> None:
    reader.run(*CREATE.words, "-e", json.dumps({"kops_target": "terraform"}), expect=2)
    assert hetzner.names() == []
