# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance templates: what each instance of a group is (pkg/model/gcemodel/autoscalinggroup.go of kops)."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup, InstanceRootVolumeSpec
from ...api.networking import ClusterSubnetSpec
from ...cloud.gce.identifiers import last_component
from ...cloud.gce.tasks.disk import Disk
from ...cloud.gce.tasks.instance_template import AcceleratorConfig, InstanceTemplate
from ...completion.gce.questions import uses_ip_aliases
from ...engine.task import Deferred
from .. import bootstrap_script, disks
from ..context import ModelContext, runs_api_server
from . import bucket_access, labels, names, network
from .service_accounts import account_of
from .spec import gce_spec

DEFAULT_DISK_TYPE = "pd-standard"
DEFAULT_NODE_CIDR_MASK_SIZE = 24
PUBLIC_TYPES = ("Public", "Utility")
SPOT = "SPOT"

_SCOPE = "https://www.googleapis.com/auth/"
COMMON_SCOPES = ("compute", "monitoring", "logging.write", "cloud-platform")
READ_STORE, WRITE_STORE = "devstorage.read_only", "devstorage.read_write"
CHANGE_DNS = "ndev.clouddns.readwrite"

# Keys of an instance's metadata, by which it, kops and the cluster autoscaler know what it is.
CLUSTER_NAME, GROUP_NAME = "cluster-name", "kops-k8s-io-instance-group-name"
AUTOSCALER, SSH_KEYS = "kube-env", "ssh-keys"
USER_DATA, STARTUP_SCRIPT = "user-data", "startup-script"

# Users that Google's agent creates for SSH keys. Ubuntu's images have a group admin, which is in the way of the other.
SSH_USER, UBUNTU_SSH_USER = "admin", "ubuntu"
CONTAINER_OPTIMIZED_OS = "cos-cloud/"


def build(context: ModelContext, group: InstanceGroup, subnet: ClusterSubnetSpec) -> InstanceTemplate:
    """The template of an instance group, whose instances are in that subnet."""
    spec, name = group.spec, str(group.metadata.name)
    volume = spec.root_volume or InstanceRootVolumeSpec()
    account = account_of(context, group)
    has_aliases = uses_ip_aliases(context.cluster)
    return context.add(
        InstanceTemplate(
            names.instance_template(name, context.name),
            context.layers.cluster,
            name_prefix=names.template_prefix(name, context.name),
            project=str(gce_spec(context).project),
            network=network.network_of(context),
            tags=labels.instance_tags(context, group),
            labels=labels.of_instance_group(context.cluster, group),
            labels_in_terraform=labels.only_in_terraform(context.cluster, group),
            preemptible=spec.gcp_provisioning_model == SPOT,
            gcp_provisioning_model=spec.gcp_provisioning_model,
            boot_disk_image=spec.image,
            boot_disk_size_gb=volume.size or disks.ROOT_SIZES_GB[str(spec.role)],
            boot_disk_type=volume.type or DEFAULT_DISK_TYPE,
            boot_disk_iops=volume.iops or 0,
            boot_disk_throughput=volume.throughput or 0,
            # Instances that forward pods' traffic have to be allowed to; with aliases the network does it.
            can_ip_forward=not has_aliases,
            subnet=network.subnet_of(context, subnet),
            alias_ip_ranges=_aliases(context) if has_aliases else {},
            scopes=[_SCOPE + scope for scope in _scopes(context, group)],
            service_accounts=[account],
            metadata=_metadata(context, group),
            machine_type=spec.machine_type,
            has_external_ip=_has_external_ip(group, subnet),
            stack_type=network.stack_type(context),
            guest_accelerators=[
                AcceleratorConfig(accelerator.accelerator_count, accelerator.accelerator_type)
                for accelerator in spec.guest_accelerators
            ],
        )
    )


def _has_external_ip(group: InstanceGroup, subnet: ClusterSubnetSpec) -> bool:
    if group.spec.associate_public_ip is not None:
        return group.spec.associate_public_ip
    return subnet.type in PUBLIC_TYPES or group.spec.role == "Bastion"


def _aliases(context: ModelContext) -> dict[str, str]:
    manager = context.cluster.spec.kube_controller_manager
    size = manager.node_cidr_mask_size if manager else None
    return {network.alias_range(context, network.PODS): f"/{size or DEFAULT_NODE_CIDR_MASK_SIZE}"}


def _scopes(context: ModelContext, group: InstanceGroup) -> list[str]:
    """What the instances may do, as far as their account may: today that is governed by IAM roles."""
    store = WRITE_STORE if bucket_access.writes_backups(context.cluster, group) else READ_STORE
    return [*COMMON_SCOPES, store, *([CHANGE_DNS] if runs_api_server(group) else [])]


def _metadata(context: ModelContext, group: InstanceGroup) -> dict[str, str | Deferred]:
    metadata: dict[str, str | Deferred] = {CLUSTER_NAME: context.name, GROUP_NAME: str(group.metadata.name)}
    script = bootstrap_script.user_data(context, group)
    if script is not None:
        key = STARTUP_SCRIPT if gce_spec(context).use_startup_script else USER_DATA
        metadata[key] = _after_disks(context, group, script)
    if group.spec.role == "Node":
        metadata[AUTOSCALER] = f"AUTOSCALER_ENV_VARS: {_for_autoscaler(group)}"
    if context.ssh_public_keys:
        user = ssh_user(group.spec.image or "")
        metadata[SSH_KEYS] = "\n".join(f"{user}: {key.strip()}" for key in context.ssh_public_keys)
    return metadata


def _after_disks(context: ModelContext, group: InstanceGroup, script: Deferred) -> Deferred:
    """User data, which control planes get when all disks of etcd are there: they count the members by these."""
    if group.spec.role != "ControlPlane":
        return script
    members = [task for task in context.tasks.values() if isinstance(task, Disk)]
    return Deferred([*script.needs, *members], script.build)


def ssh_user(image: str) -> str:
    """The user who logs in to instances of an image with the cluster's SSH keys."""
    return UBUNTU_SSH_USER if last_component(image).lower().startswith("ubuntu") else SSH_USER


def _for_autoscaler(group: InstanceGroup) -> str:
    """What a node will be, for the cluster autoscaler to know before there is any."""
    spec = group.spec
    distribution = "cos" if (spec.image or "").startswith(CONTAINER_OPTIMIZED_OS) else "ubuntu"
    parts = [f"os_distribution={distribution}", "arch=amd64", "os=linux"]
    if spec.node_labels:
        parts.append("node_labels=" + ",".join(f"{key}={value}" for key, value in sorted(spec.node_labels.items())))
    if spec.taints:
        parts.append("node_taints=" + ",".join(spec.taints))
    return ";".join(parts)
