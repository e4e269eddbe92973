# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Whole clusters in a vCenter of tests: their options, what a controller has, and guests that say their addresses."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.pools import making, over_ssh
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import marks, power
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.account import Account
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.cloud import VSphereCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.facts import VSphereFacts
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.ownership import machines, settings_of
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.states import addresses, is_on
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere.tasks.vm_template import VMTemplate
from ansible_collections.kubeops.kops.plugins.module_utils.engine import graph
from ansible_collections.kubeops.kops.plugins.module_utils.exchange.server_credentials import read_credentials
from ansible_collections.kubeops.kops.plugins.module_utils.model.context import ModelContext
from ansible_collections.kubeops.kops.plugins.module_utils.model.vsphere import builders, removed_vms
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.tests.support.vsphere.applying import applied
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import TEMPLATE, VCenter

NAME, NODES, CONTROL_PLANE = "demo.k8s.local", "nodes-dc0", "control-plane-dc0"
API = "10.9.9.9"
KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo"
LOGIN_OF_NODES = {"VSPHERE_NODE_USER": "nodes@vsphere.local", "VSPHERE_NODE_PASSWORD": "password-of-nodes"}
KEY_OF_STORE = {"S3_ACCESS_KEY_ID": "AKEY", "S3_SECRET_ACCESS_KEY": "a-secret-key"}
NETWORK = "VM Network"


def stored(store: str, **options: Any) -> str:
    """A state store with a cluster of one control plane and two workers."""
    given = {
        "name": NAME,
        "state_store": store,
        "cloud": "vsphere",
        "zones": ["dc0"],
        "node_count": 2,
        "image": TEMPLATE,
        "ssh_public_key": KEY,
        "networking": "cilium",
        "api_public_name": API,
        "vsphere_network": NETWORK,
        "kubernetes_version": "1.34.4",
        **options,
    }
    create_cluster(given, check_mode=False)
    return store


class Handed(list[str]):
    """The machines that were given credentials, by name. It stands for SSH: one proves who it is by its nonce."""

    def __init__(self, vcenter: VCenter) -> None:
        super().__init__()
        self._vcenter = vcenter
        self._numbers = itertools.count(1)
        self.addresses: dict[str, str] = {}
        self.nonces: dict[str, str] = {}

    def boot(self, machine: Any) -> None:
        """A guest begins: VMware Tools say its address."""
        name = str(machine["name"])
        self.addresses[name] = self.addresses.get(name) or f"10.0.0.{next(self._numbers)}"
        self.nonces[name] = user_data_of(settings_of(machine))
        # A test may let its answer be lost, too: the guest has its address nevertheless.
        with contextlib.suppress(ConnectionError):
            self._vcenter.give_address(name, self.addresses[name])

    def boot_all(self, store: str) -> None:
        """Guests whose machines are on, and whose controller was killed at that moment."""
        for each in seen(store):
            if is_on(each) and not addresses(each):
                self.boot(each)

    def hand_over(
        self, address: str, name: str, nonce: bytes, document: bytes, access: over_ssh.Access, known: str = ""
    ) -> str:
        """See over_ssh. Raises KopsError for a machine that was told another nonce."""
        assert self.addresses[name] == address
        assert LOGIN_OF_NODES["VSPHERE_NODE_PASSWORD"] in read_credentials(document)["token"]
        if not known and nonce.hex() not in self.nonces[name]:
            raise KopsError(f"another server than {name} answers at {address}")
        self.append(name)
        return over_ssh.mark_of_host(f"ssh-ed25519 {name}")


def environment(monkeypatch: pytest.MonkeyPatch, vcenter: VCenter) -> Handed:
    """What a controller has: logins, a key of the store, and SSH to machines, which say their addresses when they run.

    No pause between two looks.
    """
    for name, value in {**vcenter.environment, **LOGIN_OF_NODES, **KEY_OF_STORE}.items():
        monkeypatch.setenv(name, value)
    handed = Handed(vcenter)
    monkeypatch.setattr(over_ssh, "hand_over", handed.hand_over)
    for name in ("FIRST_PAUSE", "LONGEST_PAUSE"):
        monkeypatch.setattr(graph, name, 0.02)
    monkeypatch.setattr(making, "_PAUSE", 0.02)
    switch_on = power.switch_on

    def boots(cloud: VSphereCloud, machine: Any) -> None:
        try:
            switch_on(cloud, machine)
        finally:
            # Whatever its controller got to know of it.
            if vcenter.is_on(str(machine["name"])):
                handed.boot(machine)

    monkeypatch.setattr(power, "switch_on", boots)
    return handed


GROUP_OF_CONTRACT = """
apiVersion: kops.k8s.io/v1alpha2
kind: Cluster
metadata: {name: NAME}
spec:
  cloudProvider: vsphere
  cloudConfig: {vsphere: {network: VM Network}}
  configBase: STORE/NAME
  kubernetesVersion: 1.34.4
  networking: {cilium: {}}
  subnets:
  - {name: dc0, type: Public, zone: dc0}
---
apiVersion: kops.k8s.io/v1alpha2
kind: InstanceGroup
metadata:
  labels: {kops.k8s.io/cluster: NAME}
  name: GROUP
spec: {image: IMAGE, machineType: TYPE, minSize: SIZE, maxSize: SIZE, role: Node, subnets: [dc0]}
"""


def group_applied(store: str, name: str, group: str, size: int, machine_type: str) -> None:
    """Make a cluster of one group of workers, with all that it is in. store: of all clusters."""
    told = {"NAME": name, "STORE": store, "GROUP": group, "IMAGE": TEMPLATE, "TYPE": machine_type, "SIZE": str(size)}
    text = GROUP_OF_CONTRACT
    for word, value in told.items():
        text = text.replace(word, value)
    objects = manifest.load(text, source="test")
    (cluster,) = (each for each in objects if isinstance(each, Cluster))
    own = client(store, name)
    context = ModelContext(
        cluster=cluster,
        groups=[each for each in objects if isinstance(each, InstanceGroup)],
        facts=VSphereFacts(own),
        account=Account(own),
        ssh_public_keys=[KEY],
    )
    for build in (*builders.INFRASTRUCTURE, removed_vms.build):
        build(context)
    for each in context.tasks.values():
        if isinstance(each, VMTemplate):
            each.user_data = f"#!/bin/bash\n# {machine_type}\n"
    applied(own, context.tasks)


def user_data_of(settings: Any) -> str:
    """What a machine's cloud-init reads; "" for nothing."""
    import base64
    import gzip

    packed = settings.get(marks.USER_DATA) or ""
    return gzip.decompress(base64.b64decode(packed)).decode() if packed else ""


def client(store: str, name: str = NAME) -> VSphereCloud:
    """A client that knows nothing yet. store: of all clusters."""
    return VSphereCloud("", "", name, f"{store}/{name}")


def seen(store: str, name: str = NAME) -> list[Any]:
    """The cluster's machines, by their places, as its client sees them."""
    return sorted(machines(client(store, name)), key=lambda each: settings_of(each)["kubeops.name"])


def places(store: str, name: str = NAME) -> list[str]:
    """The places of the cluster's machines."""
    return [settings_of(each)["kubeops.name"].removesuffix(f".{name}") for each in seen(store, name)]


def names_in(vcenter: VCenter) -> Iterator[str]:
    """What there is in vCenter that clusters make: folders, pools, machines, tags and rules."""
    from pyVmomi import vim

    with vcenter.client() as instance:
        content = instance.RetrieveContent()
        kinds = [vim.Folder, vim.ResourcePool, vim.VirtualMachine]
        view = content.viewManager.CreateContainerView(content.rootFolder, kinds, True)
        for each in view.view:
            yield f"{type(each).__name__.rpartition('.')[2]} {each.name}"
        computes = content.viewManager.CreateContainerView(content.rootFolder, [vim.ClusterComputeResource], True)
        for each in computes.view:
            yield from (f"rule {rule.name}" for rule in each.configurationEx.rule or ())
