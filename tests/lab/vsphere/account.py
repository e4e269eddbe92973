# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A vCenter on this machine: govmomi's simulator, which a process of its own starts (centre.py), and a bucket."""

from __future__ import annotations

import contextlib
import hashlib
import ssl
from collections.abc import Iterator
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts
from ansible_collections.kubeops.kops.tests.lab.cloud import buckets, network
from ansible_collections.kubeops.kops.tests.lab.cloud.centres import Centre
from ansible_collections.kubeops.kops.tests.support.vsphere import simulator
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter
from pyVmomi import vim

ZONES = ("dc0",)
STORE = f"s3://{buckets.BUCKET}"
PORT = 4576
# Of a load balancer that its user has, before control planes.
API = "172.20.0.9"
CENTRE = Centre("vsphere")


def vcenter() -> VCenter:
    """The simulator."""
    return VCenter(f"{network.BRIDGE.gateway}:{PORT}")


def thumbprint() -> str:
    """The fingerprint of the simulator's certificate, by SHA-256."""
    shown = ssl.get_server_certificate((network.BRIDGE.gateway, PORT))
    return hashlib.sha256(ssl.PEM_cert_to_DER_cert(shown)).hexdigest()


def environment() -> dict[str, str]:
    """What a controller needs in its environment to use this vCenter and no other."""
    return {
        **buckets.environment(),
        **vcenter().environment,
        # The simulator has one user.
        "VSPHERE_NODE_USER": simulator.USER,
        "VSPHERE_NODE_PASSWORD": simulator.PASSWORD,
        "ANSIBLE_PRIVATE_KEY_FILE": str(hosts.key_pair()),
        "KOPS_STATE_STORE": STORE,
    }


@contextlib.contextmanager
def machines() -> Iterator[list[Any]]:
    """All virtual machines as the library describes them, for as long as its session lasts."""
    with vcenter().client() as instance:
        content = instance.RetrieveContent()
        view = content.viewManager.CreateContainerView(content.rootFolder, [vim.VirtualMachine], True)
        yield list(view.view)


def settings_of(machine: Any) -> dict[str, str]:
    """The extra configuration of a virtual machine."""
    return {each.key: str(each.value) for each in machine.config.extraConfig}
