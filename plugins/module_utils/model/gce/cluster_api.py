# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Cluster API Provider GCP (CRDs of sigs.k8s.io/cluster-api-provider-gcp 1.13, v1beta1)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.instance_group import InstanceGroup
from ...cloud.gce.tasks.instance_template import InstanceTemplate
from ...engine.task import Task
from ..cluster_api.infrastructure import Infrastructure, Manifest, nothing_found, nothing_needed
from ..cluster_api.rows import Row, get, items, words
from . import names
from .instance_template import STARTUP_SCRIPT, USER_DATA

_IMAGE = ("projects/", "/global/images/")


def _image(text: str) -> str:
    """PROJECT/NAME, as kops writes an image, as the path that Google has."""
    project, slash, name = str(text).partition("/")
    return f"{_IMAGE[0]}{project}{_IMAGE[1]}{name}" if slash and "/" not in name else str(text)


def _image_here(path: str) -> str:
    project, found, name = str(path).removeprefix(_IMAGE[0]).partition(_IMAGE[1])
    return f"{project}/{name}" if found else str(path)


def _network(identifier: str) -> str:
    """The name in PROJECT/NAME."""
    return str(identifier).rpartition("/")[2]


CLUSTER = (
    Row("spec.project", "spec.project"),
    Row("spec.networkID", "spec.network.name", _network),
    items(
        "spec.subnets",
        "spec.network.subnets",
        [
            Row("name", "name"),
            Row("id", "name", lambda name: name, lambda _name: None),
            Row("cidr", "cidrBlock"),
            Row("region", "region"),
        ],
    ),
    Row("spec.cloudLabels", "spec.additionalLabels"),
)
MACHINE = (
    Row("spec.machineType", "instanceType"),
    Row("spec.image", "image", _image, _image_here),
    Row("spec.rootVolumeSize", "rootDeviceSize"),
    Row("spec.rootVolumeType", "rootDeviceType"),
    Row("spec.associatePublicIp", "publicIP"),
    words("spec.gcpProvisioningModel", "provisioningModel", {"SPOT": "Spot", "STANDARD": "Standard"}),
    items(
        "spec.guestAccelerators",
        "guestAccelerators",
        [Row("acceleratorCount", "count"), Row("acceleratorType", "type")],
    ),
    Row("spec.cloudLabels", "additionalLabels"),
)


def _cluster_needs(cluster: Manifest) -> dict[str, Any]:
    regions = [each.get("region") for each in get(cluster, "spec.subnets") or () if each.get("region")]
    return {
        "project": get(cluster, "spec.project") or "",
        "region": regions[0] if regions else "",
        "network": {"name": names.network(cluster["metadata"]["name"])},
    }


def _template(tasks: Mapping[str, Task[Any]], cluster: str, group: InstanceGroup) -> Task[Any]:
    return tasks[f"{InstanceTemplate.__name__}/{names.instance_template(str(group.metadata.name), cluster)}"]


def _made_from(template: InstanceTemplate, cluster: str, group: str) -> dict[str, Any]:
    """Bootstrap servers know an instance by its metadata and its account; firewall rules by its network tags."""
    accounts = [str(account.email) for account in template.service_accounts or ()]
    said = {key: value for key, value in (template.metadata or {}).items() if key not in (USER_DATA, STARTUP_SCRIPT)}
    return {
        "subnet": template.subnet.name if template.subnet else "",
        "rootDeviceSize": template.boot_disk_size_gb,
        "rootDeviceType": template.boot_disk_type,
        "ipForwarding": "Enabled" if template.can_ip_forward else "Disabled",
        "publicIP": bool(template.has_external_ip),
        "additionalNetworkTags": sorted(template.tags or ()),
        "additionalLabels": dict(template.labels or {}),
        "additionalMetadata": [{"key": key, "value": str(said[key])} for key in sorted(said)],
        **({"serviceAccounts": {"email": accounts[0], "scopes": sorted(template.scopes or ())}} if accounts else {}),
    }


def _user_data(template: InstanceTemplate) -> object:
    metadata = template.metadata or {}
    return metadata.get(USER_DATA) or metadata.get(STARTUP_SCRIPT)


INFRASTRUCTURE = Infrastructure(
    kind="GCP",
    version="v1beta1",
    cluster=CLUSTER,
    machine=MACHINE,
    placing=(),
    cluster_needs=_cluster_needs,
    machine_needs=nothing_needed,
    has_failure_domains=True,
    found=nothing_found,
    template=_template,
    made_from=_made_from,
    user_data=_user_data,
)
