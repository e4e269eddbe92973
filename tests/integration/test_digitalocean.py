# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/digitalocean.md shows, typed as it stands there, on an API of tests; and a cluster's life by playbooks.

The state store is a bucket of an account on loopback, by the protocol of S3, as Spaces have it.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.runs import DIGITALOCEAN, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import PUBLIC_KEY, ansible_environment
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer
from ansible_collections.kubeops.kops.tests.support.digitalocean import catalog
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import TOKEN, Account, environment
from ansible_collections.kubeops.kops.tests.support.published_files import published
from ansible_collections.kubeops.kops.tests.support.rest_server import Call, RestServer

NAME, BUCKET = "demo.k8s.local", "example-state"
PLAN, CREATE = taken_by(DIGITALOCEAN, "docs/digitalocean.md")
NODES, CONTROL_PLANE = f"nodes-{catalog.REGION}", f"control-plane-{catalog.REGION}-1"


class Told(dict[int, str]):
    """The user data of droplets by their ids, and in a directory by their names, for what plays the droplets."""

    def __init__(self, account: Account, directory: pathlib.Path) -> None:
        super().__init__()
        self._account, self._directory = account, directory

    def __setitem__(self, number: int, text: str) -> None:
        super().__setitem__(number, text)
        (self._directory / f"{self._account.droplets.objects[number]['name']}.user-data").write_text(text)


@pytest.fixture(name="account")
def make_account(tmp_path: pathlib.Path) -> Account:
    made = Account(looks=1, burst=100000)
    (tmp_path / "servers").mkdir()
    made.droplets.user_data = Told(made, tmp_path / "servers")
    return made


@pytest.fixture(name="api")
def run_api(account: Account) -> Iterator[RestServer]:
    with RestServer(account) as api:
        yield api


@pytest.fixture(name="reader")
def with_an_account(
    server: AWSServer, api: RestServer, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Reader]:
    """Who has a token, a bucket with a key for it, and an SSH key where users have it."""
    server.reset()
    server.client("s3").create_bucket(Bucket=BUCKET)
    given = {
        **environment(api),
        "S3_ENDPOINT": server.environment["AWS_ENDPOINT_URL"],
        "S3_REGION": "us-east-1",
        "S3_ACCESS_KEY_ID": server.environment["AWS_ACCESS_KEY_ID"],
        "S3_SECRET_ACCESS_KEY": server.environment["AWS_SECRET_ACCESS_KEY"],
        "KOPS_STATE_STORE": f"do://{BUCKET}",
        "KOPS_CLUSTER_NAME": NAME,
        "ANSIBLE_SSH_EXECUTABLE": str(ROOT / "tests/support/digitalocean/ssh_client.py"),
        "KUBEOPS_TEST_SERVERS": str(tmp_path / "servers"),
    }
    for name, value in given.items():
        monkeypatch.setenv(name, value)
    with published(tmp_path) as of_publishers:
        found = Reader(tmp_path / "reader", {**os.environ, **ansible_environment(), **of_publishers})
        key = found.directory / ".ssh" / "id_ed25519.pub"
        key.parent.mkdir()
        key.write_text(PUBLIC_KEY)
        yield found


def play(reader: Reader, name: str, *options: str, expect: int = 0, **variables: object) -> str:
    """What a playbook of the collection prints."""
    given = json.dumps(variables)
    return reader.run("ansible-playbook", f"kubeops.kops.{name}", "-e", given, *options, expect=expect)


def droplets(account: Account) -> dict[str, list[dict[str, Any]]]:
    """Instance group -> its droplets."""
    found: dict[str, list[dict[str, Any]]] = {}
    for each in account.droplets.objects.values():
        tags = dict(tag.split(":", 1) for tag in each["tags"])
        found.setdefault(tags["kops-instancegroup"], []).append(each)
    return found


def left(account: Account) -> list[str]:
    return [each for each in account.everything() if not each.startswith("tag ")]


def test_a_cluster_from_its_plan_to_its_deletion(
    account: Account, api: RestServer, reader: Reader, tmp_path: pathlib.Path
) -> None:
    assert re.search(r"Plan [0-9a-f]{16}: \d+ to create", reader.typed(PLAN))
    assert (api.writes, open_path(f"do://{BUCKET}").list_tree()) == ([], [])
    made = reader.typed(CREATE)
    assert "kubeops.kops.validate_cluster -e kops_validate_wait=900" in made
    assert {group: len(of) for group, of in droplets(account).items()} == {CONTROL_PLANE: 1, NODES: 1}
    (control_plane,) = droplets(account)[CONTROL_PLANE]
    given = json.loads((tmp_path / "servers" / f"{control_plane['name']}.credentials").read_text())
    assert given["token"] == TOKEN
    assert TOKEN not in made
    api.calls.clear()
    assert "changed=0" in reader.typed(CREATE)
    assert api.writes == []
    play(reader, "delete_cluster", "--check")
    assert api.writes == []
    play(reader, "delete_cluster")
    assert (left(account), open_path(f"do://{BUCKET}").list_tree()) == ([], [])


@pytest.mark.long
def test_the_life_of_a_cluster(account: Account, api: RestServer, reader: Reader) -> None:
    foreign = {"region": catalog.REGION, "size": catalog.SIZE, "image": catalog.IMAGE, "name": f"{NODES}-theirs"}
    account.answer(Call("POST", "/v2/droplets", (), foreign, {"Authorization": f"Bearer {TOKEN}"}))
    (theirs,) = account.droplets.objects.values()
    theirs["tags"] = ["kops-instancegroup:theirs"]
    reader.run(*CREATE.words, "-e", json.dumps({"kops_node_count": 2}))
    before = {each["name"] for of in droplets(account).values() for each in of}
    # Other droplets.
    play(reader, "edit", kops_groups=[NODES], kops_set=[f"spec.image={catalog.OTHER_IMAGE}"])
    assert "another image" in play(reader, "update_cluster")
    assert {each["name"] for of in droplets(account).values() for each in of} == before
    assert "another image" in play(reader, "rolling_update", "--check", kops_cloudonly=True)
    play(reader, "rolling_update", kops_cloudonly=True)
    assert [each["image"]["slug"] for each in droplets(account)[NODES]] == [catalog.OTHER_IMAGE] * 2
    assert not before & {each["name"] for each in droplets(account)[NODES]}
    assert "changed=0" in play(reader, "update_cluster")
    # Fewer droplets.
    play(reader, "edit", kops_groups=[NODES], kops_set=["spec.minSize=1", "spec.maxSize=1"])
    planned = play(reader, "update_cluster", "--check")
    assert re.search(rf"- Place/{NODES}-\d+\s+\(instance group {NODES} has 1 at most\)", planned)
    play(reader, "update_cluster")
    play(reader, "rolling_update", kops_cloudonly=True)
    assert len(droplets(account)[NODES]) == 1
    play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True)
    # A droplet that somebody has deleted.
    (worker,) = droplets(account)[NODES]
    del account.droplets.objects[worker["id"]]
    drift = play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True, expect=2)
    assert f"Droplet/{NODES}-" in drift
    play(reader, "update_cluster")
    (again,) = droplets(account)[NODES]
    shown = play(reader, "get_instances", kops_instance_source="cloud")
    assert re.search(rf"{again['name']} +{again['name']} +UpToDate", shown)
    (reader.directory / "kops.yml").write_text("plugin: kubeops.kops.kops\nstrict: true\n")
    graph = reader.run("ansible-inventory", "-i", "kops.yml", "--graph")
    assert again["name"] in graph
    assert theirs["name"] not in graph
    play(reader, "delete_cluster")
    assert left(account) == [f"droplet {NODES}-theirs"]


def test_terraform_is_refused(account: Account, reader: Reader) -> None:
    reader.run(*CREATE.words, "-e", json.dumps({"kops_target": "terraform"}), expect=2)
    assert account.everything() == []
