# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API Provider vSphere (CRDs of sigs.k8s.io/cluster-api-provider-vsphere 1.14, v1beta1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.instance_group import InstanceGroup
from ...cloud.vsphere import names
from ...cloud.vsphere.machine_types import read_type, type_of
from ...cloud.vsphere.tasks.vm_template import VMTemplate
from ...engine.task import Task
from ..cluster_api.infrastructure import Infrastructure, Manifest, nothing_found
from ..cluster_api.rows import Row, get

_VSPHERE = "spec.cloudConfig.vsphere"


def _size(text: str) -> dict[str, int] | None:
    size = read_type(str(text))
    return {"numCPUs": size.cpus, "memoryMiB": size.memory} if size else None


def _type(said: Any) -> str | None:
    cpus, memory = said.get("numCPUs"), said.get("memoryMiB")
    return type_of(cpus, memory) if cpus and memory else None


def _devices(network: str) -> list[dict[str, Any]]:
    return [{"networkName": network, "dhcp4": True}]


# What is said of each machine there, and here of the cluster.
PLACING = (
    *(
        Row(f"{_VSPHERE}.{each}", each)
        for each in ("datacenter", "datastore", "folder", "resourcePool", "server", "thumbprint")
    ),
    Row(f"{_VSPHERE}.network", "network.devices", _devices, lambda said: said[0].get("networkName") if said else None),
)
CLUSTER = (
    Row(f"{_VSPHERE}.server", "spec.server"),
    Row(f"{_VSPHERE}.thumbprint", "spec.thumbprint"),
)
MACHINE = (
    Row("spec.image", "template"),
    Row("spec.rootVolumeSize", "diskGiB"),
    Row("spec.machineType", "", _size, _type),
)


def _cluster_needs(cluster: Manifest) -> dict[str, Any]:
    """The user makes the Secret with the login: no specification has one."""
    name = f"{cluster['metadata']['name'].replace('.', '-')}-credentials"
    return {"identityRef": {"kind": "Secret", "name": name}}


def _machine_needs(cluster: Manifest, group: Manifest) -> dict[str, Any]:
    """Without a network of its own, a machine has the only one that there is, which the user names."""
    network = {} if get(cluster, f"{_VSPHERE}.network") else {"devices": _devices("")}
    return {"template": "", "network": network}


def _template(tasks: Mapping[str, Task[Any]], cluster: str, group: InstanceGroup) -> Task[Any]:
    return tasks[f"{VMTemplate.__name__}/{group.metadata.name}"]


def _made_from(template: VMTemplate, cluster: str, group: str) -> dict[str, Any]:
    """Bootstrap servers know a machine by its marks."""
    return {
        **({"folder": template.folder.name} if template.folder else {}),
        **({"resourcePool": template.pool.name} if template.pool else {}),
        **({"diskGiB": template.root_disk} if template.root_disk else {}),
        "customVMXKeys": {**(template.settings or {}), names.CLUSTER: cluster, names.GROUP: group},
    }


INFRASTRUCTURE = Infrastructure(
    kind="VSphere",
    version="v1beta1",
    cluster=CLUSTER,
    machine=MACHINE,
    placing=PLACING,
    cluster_needs=_cluster_needs,
    machine_needs=_machine_needs,
    # There, one is an object that says a place in vCenter, and no specification names it.
    has_failure_domains=False,
    found=nothing_found,
    template=_template,
    made_from=_made_from,
    user_data=lambda template: template.user_data,
)
