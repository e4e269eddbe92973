# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The objects of a cluster in OpenStack for tests: how they are planned, made and deleted, in whichever project."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.facts import CloudFacts, NoFacts
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.cloud import OpenStackCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.openstack.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.openstack import builders, records, removed_servers

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo"
NAME = "demo.k8s.local"
# Seconds that one object may take where services share a slow machine.
DEADLINE = 600
BALANCER = """
      loadbalancer: {floatingNetwork: external, method: ROUND_ROBIN, provider: octavia, useOctavia: true}
"""
CLUSTER = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: NAME}
spec:
  api: {loadBalancer: {type: Public}}
  cloudConfig:
    openstack:
      blockStorage: {bs-version: v3, ignore-volume-az: true, override-volume-az: nova}
      router: {externalNetwork: external, dnsServers: "192.0.2.53"}
MORE
  cloudLabels: {team: storage}
  cloudProvider: openstack
  configBase: memfs://store/NAME
  etcdClusters:
  - etcdMembers: [{instanceGroup: control-plane-az-1, name: a, volumeType: standard, volumeSize: 1}]
    name: main
  - etcdMembers: [{instanceGroup: control-plane-az-1, name: a, volumeType: standard, volumeSize: 1}]
    name: events
  kubernetesApiAccess: [0.0.0.0/0, "::/0"]
  kubernetesVersion: 1.34.4
  networkCIDR: 10.0.0.0/16
  networking: {calico: {}}
  nonMasqueradeCIDR: 100.64.0.0/10
  sshAccess: [0.0.0.0/0]
  subnets:
  - {cidr: 10.0.64.0/18, name: az-1, type: Private, zone: az-1}
  - {cidr: 10.0.0.0/21, name: utility-az-1, type: Utility, zone: az-1}
  topology: {dns: {type: None}}
"""
GROUP = """
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  labels: {kops.k8s.io/cluster: NAME}
  name: %(name)s
  annotations:
    openstack.kops.io/allowedAddressPair/0: "10.123.0.10,12:34:56:78:90:AB"
    # The zone has one host.
    openstack.kops.io/serverGroupAffinity: soft-anti-affinity
spec:
  {image: debian-12, machineType: medium, minSize: %(size)s, maxSize: %(size)s, role: %(role)s, subnets: [%(subnet)s]}
"""
GROUPS = (
    ("control-plane-az-1", "Master", 1, "az-1"),
    ("nodes-az-1", "Node", 2, "az-1"),
    ("bastions", "Bastion", 1, "utility-az-1"),
)


def tasks(
    name: str = NAME,
    more: str = BALANCER,
    change: Callable[[str], str] = str,
    groups: Sequence[tuple[str, str, int, str]] = GROUPS,
    account: Account | None = None,
    facts: CloudFacts | None = None,
) -> dict[str, Task[Any]]:
    """The tasks of a cluster. more: of the specification for OpenStack. change: of the manifest.

    account: a project that says which servers there are. facts: what the project has.
    """
    text = CLUSTER.replace("MORE", more.strip("\n"))
    for group, role, size, subnet in groups:
        text += GROUP % {"name": group, "role": role, "size": size, "subnet": subnet}
    objects = manifest.load(change(text.replace("NAME", name)), source="test")
    (cluster,) = (each for each in objects if isinstance(each, Cluster))
    context = ModelContext(
        cluster=cluster,
        groups=[each for each in objects if isinstance(each, InstanceGroup)],
        facts=facts or NoFacts(),
        account=account or Account(),
        ssh_public_keys=[KEY],
    )
    for build in (*builders.INFRASTRUCTURE, records.build, removed_servers.build):
        build(context)
    return context.tasks


def in_lent_network(network: str, subnet: str, public_name: str = "") -> Callable[[str], str]:
    """A change of the manifest: the cluster is in a subnet that it is given. public_name: of its API."""

    def change(text: str) -> str:
        named = f"\n  masterPublicName: {public_name}" if public_name else ""
        text = text.replace("networkCIDR: 10.0.0.0/16", f"networkCIDR: 10.0.0.0/16\n  networkID: {network}{named}")
        text = text.replace("name: az-1, type: Private", f"name: az-1, id: {subnet}, type: Private")
        text = text.replace("  - {cidr: 10.0.0.0/21, name: utility-az-1, type: Utility, zone: az-1}\n", "")
        return text.replace("utility-az-1", "az-1")

    return change


def planned(cloud: OpenStackCloud, wanted: dict[str, Task[Any]], **options: Any) -> Plan:
    return make_plan(wanted, cloud, explain=lambda error: str(explain(error)), **options)


def applied(cloud: OpenStackCloud, wanted: dict[str, Task[Any]], **options: Any) -> Plan:
    """Make everything so; returns what was planned."""
    plan = planned(cloud, wanted, **options)
    apply_plan(
        plan,
        cloud,
        explain=lambda error: str(explain(error)),
        is_conflict=lambda error: isinstance(error, Exists),
        deadline=DEADLINE,
    )
    return plan


def changes(plan: Plan) -> list[str]:
    return [f"{step.action.value} {step.task.key} {sorted(step.changes)}" for step in plan.active()]


def remove(cloud: OpenStackCloud) -> None:
    """Delete all objects of a client's cluster."""
    delete_all(discover(cloud), progress=print, explain=lambda error: str(explain(error)), deadline=DEADLINE)
