# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The specification of a cluster in Hetzner Cloud for tests, and its tasks: that of kops' own case minimal_hetzner."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudFacts, NoFacts
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import actions, cloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import HetznerCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.server_template import ServerTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import making, over_ssh
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.tasks.secret import Secret
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import (
    NONCE_PLACEHOLDER,
    read_credentials,
)
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.hetzner import builders, removed_servers
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.secrets import SERVER_KEY
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.vfs.open import open_path

from .server import HetznerServer

NAME = "minimal.example.com"
# The key of kops' case, whose fingerprint is in names.
KEY = (
    "ssh-rsa AAAAB3NzaC1yc2EAAAADAQABAAAAgQCtWu40XQo8dczLsCq0OWV+hxm9uV3WxeH9Kgh4sMzQxNtoU1pvW0XdjpkBesRKGoolfWeCLXWx"
    "pyQb1IaiMkKoz7MdhQ/6UKjMjP66aFWWp3pwD0uj0HuJ7tq4gKHKRYGTaZIRWpzUiANBrjugVgA+Sd7E/mYwc/DMXkIyRZbvhQ=="
)
CLUSTER = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: NAME}
spec:
  api: {loadBalancer: {type: Public}}
  cloudProvider: hetzner
  configBase: memfs://store/NAME
  etcdClusters:
  - {etcdMembers: [{instanceGroup: master-fsn1, name: etcd-1}], name: main}
  - {etcdMembers: [{instanceGroup: master-fsn1, name: etcd-1}], name: events}
  kubernetesApiAccess: [0.0.0.0/0, "::/0"]
  kubernetesVersion: 1.32.0
  networkCIDR: 10.0.0.0/16
  networking: {cni: {}}
  nonMasqueradeCIDR: 100.64.0.0/10
  sshAccess: [0.0.0.0/0, "::/0"]
  subnets:
  - {name: fsn1, type: Public, zone: fsn1}
  topology: {dns: {type: None}}
"""
GROUP = """
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  labels: {kops.k8s.io/cluster: NAME}
  name: %(name)s
spec:
  {image: ubuntu-24.04, machineType: cx23, minSize: %(size)s, maxSize: %(size)s, role: %(role)s, subnets: [fsn1]}
"""
GROUPS = (("master-fsn1", "Master", 1), ("nodes-fsn1", "Node", 1))


def context_of(
    name: str = NAME,
    change: Callable[[str], str] = str,
    groups: Sequence[tuple[str, str, int]] = GROUPS,
    account: Account | None = None,
    facts: CloudFacts | None = None,
) -> ModelContext:
    """A cluster, as it is specified. change: of the manifest. account: a project that says which servers there are."""
    text = CLUSTER + "".join(GROUP % {"name": group, "role": role, "size": size} for group, role, size in groups)
    objects = manifest.load(change(text.replace("NAME", name)), source="test")
    (cluster,) = (each for each in objects if isinstance(each, Cluster))
    return ModelContext(
        cluster=cluster,
        groups=[each for each in objects if isinstance(each, InstanceGroup)],
        facts=facts or InFalkenstein(),
        account=account or Account(),
        ssh_public_keys=[KEY],
    )


class InFalkenstein(NoFacts):
    """Nothing is known but the network zone."""

    region = "eu-central"


def tasks(*arguments: Any, key_base: str = "", **options: Any) -> dict[str, Any]:
    """The tasks of its objects, as context_of() has it.

    key_base: URL of the secrets, among which is the key by which control planes are given credentials.
    """
    context = context_of(*arguments, **options)
    for build in (*builders.INFRASTRUCTURE, removed_servers.build):
        build(context)
    for group in context.groups_of("ControlPlane"):
        if key_base:
            template = context.tasks[f"ServerTemplate/{group.metadata.name}"]
            vars(template)["server_key"] = context.ensure(Secret(SERVER_KEY, base=key_base))
    return context.tasks


# -- in a project -----------------------------------------------------------------------------------------------------


class Handed(list[str]):
    """The servers that were given credentials, by name. It stands for SSH: a server proves who it is by its nonce."""

    def __init__(self, server: HetznerServer) -> None:
        super().__init__()
        self._server = server

    def hand_over(
        self, address: str, name: str, nonce: bytes, document: bytes, access: over_ssh.Access, known: str = ""
    ) -> str:
        """See over_ssh. Raises KopsError for a server that was told another nonce."""
        project = self._server.project
        (found,) = (each for each in project.objects.all("servers") if each["name"] == name)
        assert found["public_net"]["ipv4"]["ip"] == address
        assert read_credentials(document)["token"] == self._server.environment["HCLOUD_TOKEN"]
        if not known and nonce.hex() not in project.servers.user_data[found["id"]]:
            raise KopsError(f"another server than {name} answers at {address}")
        self.append(name)
        return over_ssh.mark_of_host(f"ssh-ed25519 {name}")


def environment(monkeypatch: pytest.MonkeyPatch, server: HetznerServer) -> Handed:
    """What a controller has: a token, a key of the store, and SSH to servers. No pause between two looks."""
    for name, value in {**server.environment, "S3_ACCESS_KEY_ID": "AKEY", "S3_SECRET_ACCESS_KEY": "a-secret"}.items():
        monkeypatch.setenv(name, value)
    handed = Handed(server)
    monkeypatch.setattr(over_ssh, "hand_over", handed.hand_over)
    for name in ("FIRST_PAUSE", "LONGEST_PAUSE"):
        monkeypatch.setattr(graph, name, 0.01)
    monkeypatch.setattr(cloud, "_MOMENT", 0.0)
    monkeypatch.setattr(actions, "MOMENT", 0.0)
    monkeypatch.setattr(actions, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(making, "_PAUSE", 0.01)
    return handed


def client(name: str = NAME) -> HetznerCloud:
    """A client that knows nothing yet."""
    return HetznerCloud("eu-central", name, f"memfs://store/{name}")


def forget_store() -> None:
    """The stores of these clusters are empty."""
    for file in open_path("memfs://store").list_tree():
        file.path.remove()


def whole(name: str = NAME, **options: Any) -> dict[str, Any]:
    """The tasks of a cluster whose servers are told something, and whose control planes get credentials.

    The project is asked which servers there are.
    """
    base = f"memfs://store/{name}/secrets"
    found = tasks(name, account=Account.of(client(name)), key_base=base, **options)
    for each in found.values():
        if isinstance(each, ServerTemplate):
            each.user_data = f"#!/bin/bash\n# {each.name} {NONCE_PLACEHOLDER}\n"
    return found


def planned(wanted: dict[str, Task[Any]], own: HetznerCloud | None = None) -> Plan:
    return make_plan(wanted, own or client(), explain=lambda error: str(explain(error)))


def applied(wanted: dict[str, Task[Any]], own: HetznerCloud | None = None, deadline: float = 60) -> Plan:
    """Make everything so; returns what was planned."""
    own = own or client()
    plan = planned(wanted, own)
    apply_plan(
        plan,
        own,
        explain=lambda error: str(explain(error)),
        is_conflict=lambda error: isinstance(error, Exists),
        deadline=deadline,
    )
    return plan


def changes(plan: Plan) -> list[str]:
    return [f"{step.action.value} {step.task.key} {sorted(step.changes)}" for step in plan.active()] + [
        f"delete {each.task}" for each in plan.deletions
    ]


def remove(name: str = NAME) -> None:
    """Delete all objects of a cluster."""
    delete_all(discover(client(name)), progress=print, explain=lambda error: str(explain(error)), deadline=60)
