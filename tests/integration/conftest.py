# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An AWS account on loopback for each worker, emptied for each test, and short ways to make and look at clusters."""

from __future__ import annotations

import contextlib
import os
import pathlib
import re
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.options import OPTIONS
from ansible_collections.kubeops.kops.plugins.module_utils.operations.delete import (
    DeleteOptions,
    DeleteResult,
    delete_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update import upstream_files
from ansible_collections.kubeops.kops.plugins.module_utils.operations.update.cluster import (
    UpdateOptions,
    UpdateResult,
    update_cluster,
)
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.store import GROUP_COPY, LEASE, ClusterStore
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.support import warm_ansible
from ansible_collections.kubeops.kops.tests.support.aws_server import AWSServer, is_write
from ansible_collections.kubeops.kops.tests.support.inventory import inventory, without_tag
from ansible_collections.kubeops.kops.tests.support.upstream import small_definition

BUCKET = "kops-state"
STORE = f"s3://{BUCKET}"
NAME = "demo.example.com"
ZONE = "us-east-1a"
PUBLIC_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo"


class Account:
    """An AWS account that holds the state store's bucket and what every account has."""

    def __init__(self, server: AWSServer) -> None:
        self.server = server
        self.store, self.name = STORE, NAME

    def client(self, service: str) -> Any:
        return self.server.client(service)

    def inventory(self) -> dict[str, list[str]]:
        return inventory(self.server.client)

    def untagged(self, before: dict[str, list[str]]) -> list[str]:
        """The objects that are new since an inventory and do not carry the cluster's tags."""
        tags = (f"kubernetes.io/cluster/{self.name}", "KubernetesCluster")
        return [name for tag in tags for name in without_tag(self.client, tag, before)]

    def stored(self) -> dict[str, str]:
        """What the state store says of the cluster: the name of each file and its content, but for the lease's.

        Times of writing count for nothing; the copy of the groups is only that.
        """
        return {
            file.name: re.sub(r"creationTimestamp: .*", "", file.path.read().decode(errors="surrogateescape"))
            for file in ClusterStore.open(self.store, self.name).files()
            if file.name not in (LEASE, GROUP_COPY)
        }

    def counts(self) -> dict[str, int]:
        """How many objects of each kind exist."""
        return {kind: len(names) for kind, names in self.inventory().items()}

    def writes(self, calls: dict[str, int]) -> list[str]:
        """Those of the calls that change something."""
        return sorted(operation for operation in calls if is_write(operation))

    def create(self, *, check: bool = False, **options: Any) -> dict[str, Any]:
        """Infer a cluster from options and store it."""
        assert options.keys() <= OPTIONS.keys(), options
        arguments = {"name": self.name, "state_store": self.store, "ssh_public_key": PUBLIC_KEY, **options}
        return create_cluster(arguments, check_mode=check).as_result()

    def change_group(self, name: str, **values: Any) -> None:
        """Set fields of a stored instance group's spec."""
        store = ClusterStore.open(self.store, self.name)
        group = next(group for group in store.read()[1] if group.metadata.name == name)
        for field, value in values.items():
            setattr(group.spec, field, value)
        store.write_group(group)

    def update(self, *, check: bool = False, **options: Any) -> UpdateResult:
        return update_cluster(UpdateOptions(state_store=self.store, name=self.name, **options), check=check)

    def delete(self, *, check: bool = False, **options: Any) -> DeleteResult:
        return delete_cluster(DeleteOptions(state_store=self.store, name=self.name, **options), check=check)

    def ansible(self, *command: str, expect: int = 0) -> str:
        """Run ansible or ansible-playbook against the account; returns what it printed."""
        return run_ansible(*command, expect=expect)


def run_ansible(*command: str, directory: pathlib.Path = ROOT, expect: int = 0, modules_in_forks: bool = False) -> str:
    """Run ansible or ansible-playbook in a directory, to this exit code; returns what it printed."""
    environment = {**os.environ, **ansible_environment()}
    done = warm_ansible.run(command, directory=directory, environment=environment, modules_in_forks=modules_in_forks)
    assert done.returncode == expect, done.stdout
    return done.stdout


def ansible_environment() -> dict[str, str]:
    """Ansible with this collection and without its own decorations."""
    return {
        "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".venv" / "collections"),
        "ANSIBLE_LOCALHOST_WARNING": "false",
        "ANSIBLE_INVENTORY_UNPARSED_WARNING": "false",
        "ANSIBLE_CALLBACK_RESULT_FORMAT": "yaml",
        "ANSIBLE_NOCOLOR": "1",
        "PATH": f"{ROOT / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}",
    }


@pytest.fixture(scope="session")
def server() -> Iterator[AWSServer]:
    with AWSServer() as running:
        yield running


@pytest.fixture(scope="session")
def whole_openstack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """OpenStack's own services, a Cloud with two hosts in two zones. Tests that use it are of the group "openstack"."""
    # Few tests need it, and its library takes a while to load.
    from ansible_collections.kubeops.kops.tests.support.openstack import cloud as openstack

    with openstack.whole(tmp_path_factory.mktemp("openstack"), openstack.ZONES) as found:
        yield found


@pytest.fixture()
def account(server: AWSServer, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Account:
    """The account, as new; the environment of this process and its children points at it."""
    return fresh_account(server, monkeypatch, tmp_path)


def fresh_account(server: AWSServer, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> Account:
    server.reset()
    use_account(server, monkeypatch, tmp_path)
    monkeypatch.setattr(upstream_files, "fetch", small_definition)
    s3 = server.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    s3.put_bucket_versioning(Bucket=BUCKET, VersioningConfiguration={"Status": "Enabled"})
    return Account(server)


@pytest.fixture(scope="module")
def checked() -> Iterator[AWSServer]:
    """A server that checks signatures and policies."""
    with AWSServer(checked=True) as running:
        yield running


@contextlib.contextmanager
def account_with_cluster(server: AWSServer, directory: pathlib.Path) -> Iterator[Account]:
    """An account in which the objects of a cluster in ZONE are there, for as long as a test file needs it."""
    with pytest.MonkeyPatch.context() as patch:
        account = fresh_account(server, patch, directory)
        account.create(zones=[ZONE])
        account.update()
        yield account


def use_account(server: AWSServer, monkeypatch: pytest.MonkeyPatch, tmp_path: pathlib.Path) -> None:
    """Point the environment at the account and its state store."""
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("KOPS_STATE_STORE", STORE)
    monkeypatch.setenv("KOPS_CLUSTER_NAME", NAME)
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
