# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of objects in vCenter, and what is read of each with all others of its kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

DATACENTER, FOLDER, COMPUTE = "Datacenter", "Folder", "ClusterComputeResource"
POOL, DATASTORE, MACHINE = "ResourcePool", "Datastore", "VirtualMachine"
NETWORK, PORT_GROUP, OPAQUE = "Network", "DistributedVirtualPortgroup", "OpaqueNetwork"
NETWORKS = (NETWORK, PORT_GROUP, OPAQUE)
# Kind -> what a person calls it.
WORDS = {
    DATACENTER: "datacenter",
    FOLDER: "folder",
    COMPUTE: "compute cluster",
    POOL: "resource pool",
    DATASTORE: "datastore",
    MACHINE: "virtual machine",
    NETWORK: "network",
    PORT_GROUP: "network",
    OPAQUE: "network",
}
_NAMED = ("name", "parent")
# Of what a vCenter is made of: kind -> properties. They are few for each object, and read by one call.
INVENTORY: Mapping[str, Sequence[str]] = {
    DATACENTER: (*_NAMED, "vmFolder"),
    FOLDER: _NAMED,
    COMPUTE: (*_NAMED, "resourcePool"),
    POOL: (*_NAMED, "owner"),
    DATASTORE: (*_NAMED, "browser"),
    NETWORK: _NAMED,
    PORT_GROUP: (*_NAMED, "key", "config.distributedVirtualSwitch"),
    OPAQUE: (*_NAMED, "summary"),
}
# Of all virtual machines of a datacenter: enough to find a template, and what is in a folder or pool.
PLACES: Mapping[str, Sequence[str]] = {MACHINE: (*_NAMED, "resourcePool", "config.template")}
# Of those in the cluster's folder.
DETAILS: Mapping[str, Sequence[str]] = {
    MACHINE: (
        *_NAMED,
        "resourcePool",
        "config.template",
        "config.uuid",
        "config.instanceUuid",
        "config.extraConfig",
        "config.files.vmPathName",
        "config.hardware",
        "runtime.powerState",
        "runtime.connectionState",
        "guest.net",
        "guest.ipAddress",
        "guest.toolsRunningStatus",
    )
}
