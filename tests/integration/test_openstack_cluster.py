# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What docs/openstack.md shows, typed as it stands there, on OpenStack's own services; and how groups change.

It is short; what may go wrong is in test_openstack_objects.py.
"""

from __future__ import annotations

import json
import os
import pathlib
import re
from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.tasks.application_credential import (
    own_credentials,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.documented.reader import Reader
from ansible_collections.kubeops.kops.tests.documented.runs import OPENSTACK, taken_by
from ansible_collections.kubeops.kops.tests.integration.conftest import ansible_environment
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import Cloud
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import KEY
from ansible_collections.kubeops.kops.tests.support.openstack.objects import inventory

pytestmark = pytest.mark.xdist_group("openstack")
NAME, STORE = "demo.k8s.local", "swift://cluster-state"
PLAN, CREATE = taken_by(OPENSTACK, "docs/openstack.md")
# Beside what the page shows.
MORE = {
    "kops_zones": "az-1,az-2",
    "kops_node_count": 2,
    "kops_os_octavia": True,
    "kops_api_loadbalancer_type": "public",
    "kops_topology": "private",
    "kops_bastion": True,
    "kops_etcd_storage_type": "standard",
}


@pytest.fixture(scope="module")
def login(whole_openstack: Cloud) -> dict[str, str]:
    """Of a member of a project of its own."""
    return whole_openstack.user("cluster")


@pytest.fixture
def client(login: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenStackCloud]:
    """A client of the project, whose login is in the environment."""
    for name, value in login.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KOPS_STATE_STORE", STORE)
    monkeypatch.setenv("KOPS_CLUSTER_NAME", NAME)
    found = OpenStackCloud("", NAME)
    found.connection.object_store.create_container(STORE.partition("://")[2])
    yield found
    found.connection.close()


@pytest.fixture
def reader(client: OpenStackCloud, tmp_path: pathlib.Path) -> Reader:
    """Who has an SSH key where users have it."""
    found = Reader(tmp_path / "reader", {**os.environ, **ansible_environment()})
    key = found.directory / ".ssh" / "id_ed25519.pub"
    key.parent.mkdir()
    key.write_text(KEY)
    return found


def play(reader: Reader, name: str, *options: str, **variables: object) -> str:
    """What a playbook of the collection prints."""
    return reader.run("ansible-playbook", f"kubeops.kops.{name}", "-e", json.dumps(variables), *options)


def test_a_cluster_from_its_plan_to_its_deletion(client: OpenStackCloud, reader: Reader) -> None:
    before = inventory(client)
    assert re.search(r"Plan [0-9a-f]{16}: \d+ to create", reader.typed(PLAN))
    assert (inventory(client), open_path(STORE).list_tree()) == (before, [])
    # Their consoles say a key, for which the control plane is given its credential.
    assert "kubeops.kops.validate_cluster -e kops_validate_wait=900" in reader.typed(CREATE)
    assert [each["name"] for each in own_credentials(client)] == [f"kubeops.kops {NAME} {client.project}"]
    servers = inventory(client)[kinds.SERVER.word]
    assert servers == [f"{name}-demo-k8s-local" for name in ("control-plane-az-1-1", "nodes-az-1-1")]
    assert "changed=0" in reader.typed(CREATE)
    play(reader, "delete_cluster")
    assert (inventory(client), own_credentials(client), open_path(STORE).list_tree()) == (before, [], [])


def test_groups_change_and_nothing_is_left(client: OpenStackCloud, reader: Reader) -> None:
    before = inventory(client)
    reader.run(*CREATE.words, "-e", json.dumps(MORE))
    assert inventory(client)[kinds.BALANCER.word] == [f"api.{NAME}"]
    play(reader, "edit", kops_groups=["nodes-az-2"], kops_set=["spec.minSize=0", "spec.maxSize=0"])
    planned = play(reader, "update_cluster", "--check")
    assert re.search(r"- Place/nodes-az-2-1-demo-k8s-local\s+\(instance group nodes-az-2 has 0 at most\)", planned)
    play(reader, "update_cluster")
    play(reader, "rolling_update", kops_cloudonly=True)
    found = inventory(client)
    assert found[kinds.SERVER.word] == [
        f"{name}-demo-k8s-local" for name in ("bastions-1", "control-plane-az-1-1", "nodes-az-1-1")
    ]
    assert "changed=0" in play(reader, "update_cluster")
    play(reader, "drift", kops_drift_parts=["store", "cloud"], kops_fail_on_drift=True)
    assert "- 3 server\n" in play(reader, "delete_cluster", "--check")
    assert inventory(client) == found
    play(reader, "delete_cluster")
    assert inventory(client) == before
    assert open_path(STORE).list_tree() == []
