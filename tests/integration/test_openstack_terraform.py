# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A cluster in OpenStack whose infrastructure is Terraform's: made by it, or taken over, on OpenStack's own services.

Neither Terraform nor a direct update finds anything to change in what the other one has made.
"""

from __future__ import annotations

import pathlib
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.dns_placeholders import PLACEHOLDERS
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack import kinds
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import IMPORTS
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import CONFIGURATION
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import DeleteOptions, delete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import upstream_files
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    UpdateResult,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path
from ansible_collections.kubeops.kops.tests.support.openstack import terraform_provider
from ansible_collections.kubeops.kops.tests.support.openstack.cloud import EXTERNAL, IMAGE, Cloud
from ansible_collections.kubeops.kops.tests.support.openstack.clusters import KEY
from ansible_collections.kubeops.kops.tests.support.openstack.objects import inventory
from ansible_collections.kubeops.kops.tests.support.terraform import Terraform
from ansible_collections.kubeops.kops.tests.support.upstream import small_definition

pytestmark = [pytest.mark.long, pytest.mark.xdist_group("openstack")]
NAME, ZONE, STORE = "demo.terraform.test", "terraform.test", "swift://terraform-state"
WANTED = {
    "cloud": "openstack",
    "zones": ["az-1", "az-2"],
    "os_ext_net": EXTERNAL,
    "network_cidr": ["10.0.0.0/16"],
    "image": IMAGE,
    "os_octavia": True,
    "api_loadbalancer_type": "public",
    "topology": "private",
    "bastion": True,
    "etcd_storage_type": "standard",
    "networking": "calico",
    "dns": "public",
    "dns_zone": ZONE,
    "ssh_public_key": KEY,
}
# As few servers as there can be.
SMALL = {**WANTED, "zones": ["az-1"], "bastion": False, "node_count": 1}
# What servers have, and Terraform does not make.
OF_SERVERS = {
    *("ApplicationCredential", "FloatingIP", "PoolMember", "Port", "Server", "ServerTemplate"),
    *("ConfidentialFile", "ManagedFile"),
}


@pytest.fixture(scope="module")
def mirror() -> pathlib.Path:
    """Where Terraform finds its provider."""
    return terraform_provider.mirror()


@pytest.fixture(scope="module")
def login(mirror: pathlib.Path, whole_openstack: Cloud) -> dict[str, str]:
    """Of a member of a project of its own."""
    return whole_openstack.user("terraform")


@pytest.fixture
def client(login: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenStackCloud]:
    """A client of the project, whose login is in the environment. It has a zone."""
    for name, value in login.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(upstream_files, "fetch", small_definition)
    found = OpenStackCloud("", NAME)
    found.connection.object_store.create_container(STORE.partition("://")[2])
    dns = found.connection.dns
    if dns.find_zone(f"{ZONE}.") is None:
        dns.create_zone(name=f"{ZONE}.", email=f"hostmaster@{ZONE}")
    yield found
    found.connection.close()


@pytest.fixture
def terraform(login: dict[str, str], mirror: pathlib.Path, tmp_path: pathlib.Path) -> Terraform:
    """Terraform, logged in."""
    return Terraform(tmp_path / "terraform", login, terraform_provider.PROVIDER, mirror)


@pytest.fixture
def out(tmp_path: pathlib.Path) -> pathlib.Path:
    return tmp_path / "out"


def create(wanted: dict[str, Any]) -> None:
    """Store a cluster."""
    create_cluster({"name": NAME, "state_store": STORE, **wanted}, check_mode=False)


def update(out: pathlib.Path | None = None, *, check: bool = False) -> UpdateResult:
    """Update directly, or for Terraform to a directory."""
    more: dict[str, Any] = {"target": "terraform", "out": str(out)} if out else {}
    return update_cluster(UpdateOptions(STORE, NAME, **more), check=check)


def changed(result: UpdateResult) -> set[str]:
    """What a plan changes of kinds that Terraform makes."""
    return {step.task.key for step in result.plan.active() if step.task.kind not in OF_SERVERS}


def stored() -> list[str]:
    return sorted(each.name for each in open_path(STORE).list_tree())


def test_terraform_makes_what_stays_and_an_update_the_servers(
    client: OpenStackCloud, terraform: Terraform, out: pathlib.Path
) -> None:
    create(WANTED)
    before, files = inventory(client), stored()
    assert update(out, check=True).files == [CONFIGURATION]
    assert (inventory(client), stored(), out.exists()) == (before, files, False)
    written = update(out)
    assert written.files == [CONFIGURATION]
    assert written.written.next_step.endswith("kubeops.kops.update_cluster without a target makes the instances")
    assert not update(out).changed
    assert inventory(client) == before

    terraform.init(out)
    with terraform.attached():
        terraform.apply(out)
        assert terraform.plan(out) == {}
        servers = update(check=True)
        assert changed(servers) == set()
        assert servers.plan.deletions == []
        update()
        assert inventory(client)[kinds.SERVER.word] == [
            f"{name}-demo-terraform-test"
            for name in ("bastions-1", "control-plane-az-1-1", "nodes-az-1-1", "nodes-az-2-1")
        ]
        _as_control_planes_do(client)
        assert terraform.plan(out) == {}
        for again in (update(), update(out)):
            assert not again.changed
    delete_cluster(DeleteOptions(STORE, NAME))
    assert (inventory(client), stored()) == (before, [])


def test_a_cluster_that_was_made_directly_is_imported(
    client: OpenStackCloud, terraform: Terraform, out: pathlib.Path
) -> None:
    create(SMALL)
    before = inventory(client)
    update()
    _as_control_planes_do(client)
    made = inventory(client)
    written = update(out)
    assert written.files == [IMPORTS, CONFIGURATION]
    blocks, resources = ((out / name).read_text() for name in written.files)
    number = blocks.count("import {")
    assert number == resources.count('resource "openstack_')
    terraform.init(out)
    with terraform.attached():
        said = terraform.apply(out)
        assert f"Apply complete! Resources: {number} imported, 0 added, 0 changed, 0 destroyed." in said
        assert terraform.plan(out) == {}
        assert inventory(client) == made
        # The directory has a configuration now.
        assert not update(out).changed
        assert not update().changed
        assert (out / IMPORTS).read_text() == blocks
        _lose_a_rule(client)
        # The state forgets it, and its block names what is not there.
        terraform.refresh(out)
        assert update(out).files == [IMPORTS]
        assert (out / IMPORTS).read_text().count("import {") == number - 1
        assert [actions for (_address, attribute), actions in terraform.plan(out).items() if not attribute] == [
            ["create"]
        ]
        terraform.apply(out)
        assert terraform.plan(out) == {}
    delete_cluster(DeleteOptions(STORE, NAME))
    assert inventory(client) == before


def _lose_a_rule(client: OpenStackCloud) -> None:
    """Somebody deletes it."""
    network = client.connection.network
    rules = network.security_group_rules(direction="ingress", protocol="tcp", project_id=client.project)
    network.delete_security_group_rule(next(each for each in rules if each.port_range_min == 22))


def _as_control_planes_do(client: OpenStackCloud) -> None:
    """Write the names that control planes keep."""
    dns = client.connection.dns
    (zone,) = dns.zones(name=f"{ZONE}.")
    kept = [each for each in dns.recordsets(zone) if each.records == [PLACEHOLDERS["A"]]]
    assert kept
    for each in kept:
        dns.update_recordset(each, records=["10.0.64.5"], ttl=60)
