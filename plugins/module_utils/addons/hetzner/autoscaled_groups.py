# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""How the cluster autoscaler knows instance groups at Hetzner, where it makes the servers itself."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import Any

from ...api.instance_group import InstanceGroup
from ...api.taints import parse_taint
from ...completion.node_labels import node_labels
from ..any_cloud.cluster_autoscaler.scaled import Scaled
from ..context import AddonContext
from ..objects.core import config_map
from ..objects.pods import config_map_volume, mount, secret_variable, variables

_CONFIG, _VOLUME = "cluster-autoscaler-hcloud-config", "hcloud-cluster-config"
_DIRECTORY, _FILE = "/etc/cluster-autoscaler", "cluster-config.json"
_NODE_LABEL = "node-label.kops.k8s.io."
_NODE_TAINT = "k8s.io/cluster-autoscaler/node-template/taint/"
# The Secret with the token and the network, which the cloud's own addon makes.
_CREDENTIALS = "hcloud"


def server_group(group: InstanceGroup) -> Scaled:
    """An instance group: the type of its servers, their location (the name of its subnet) and its name."""
    return Scaled.of(group, f"{group.spec.machine_type}:{group.spec.subnets[0]}:{group.metadata.name}")


def cluster_config_map(context: AddonContext, namespace: str, labels: Mapping[str, str]) -> dict[str, Any]:
    """The ConfigMap that says what servers of each group are made with."""
    return config_map(_CONFIG, namespace, labels, {_FILE: _cluster_config(context) + "\n"})


def cluster_config_checksum(context: AddonContext) -> str:
    """Of that text: a change of it replaces the autoscaler's pods."""
    return hashlib.sha256(_cluster_config(context).encode()).hexdigest()


def reads_cluster_config(pod: dict[str, Any]) -> None:
    """Give the autoscaler's pod what it needs for the API of Hetzner, and the ConfigMap."""
    container = pod["containers"][0]
    container["env"] = [
        secret_variable("HCLOUD_TOKEN", _CREDENTIALS, "token"),
        secret_variable("HCLOUD_NETWORK", _CREDENTIALS, "network"),
        *variables(
            {
                # The number of the SSH key in the cloud, which is only known when the key has been made.
                "HCLOUD_SSH_KEY": "",
                "HCLOUD_PUBLIC_IPV4": "true",
                "HCLOUD_PUBLIC_IPV6": "false",
                "HCLOUD_CLUSTER_CONFIG_FILE": f"{_DIRECTORY}/{_FILE}",
            }
        ),
    ]
    container["volumeMounts"] = [mount(_VOLUME, _DIRECTORY, readOnly=True)]
    pod["volumes"] = [config_map_volume(_VOLUME, _CONFIG)]


def _cluster_config(context: AddonContext) -> str:
    """Without cloudInit and the label with its hash: what makes servers of this cloud nodes is not here yet."""
    groups = [group for group in context.groups_of("Node") if group.spec.autoscale is not False]
    configs = {str(group.metadata.name): _node_config(context, group) for group in groups}
    ordered = {name: configs[name] for name in sorted(configs)}
    return json.dumps({"nodeConfigs": ordered} if ordered else {}, indent=2, ensure_ascii=False)


def _node_config(context: AddonContext, group: InstanceGroup) -> dict[str, Any]:
    labels = node_labels(context.cluster, group, context.features)
    taints = [parse_taint(taint) for taint in group.spec.taints]
    return {
        "labels": _sorted(labels),
        "serverLabels": _sorted(_server_labels(context, group, labels, taints)),
        **({"taints": taints} if taints else {}),
        "imagesForArch": dict.fromkeys(("amd64", "arm64"), group.spec.image),
    }


def _server_labels(
    context: AddonContext, group: InstanceGroup, labels: Mapping[str, str], taints: Sequence[Mapping[str, str]]
) -> dict[str, str]:
    """As CloudTagsForInstanceGroup of kops: by these it knows its servers, and the autoscaler their groups."""
    name = str(group.metadata.name)
    return {
        **context.cluster.spec.cloud_labels,
        **group.spec.cloud_labels,
        **{f"{_NODE_LABEL}{label}": value for label, value in labels.items()},
        **{f"{_NODE_TAINT}{taint['key']}": f"{taint.get('value', '')}:{taint['effect']}" for taint in taints},
        "kops.k8s.io/instance-role": str(group.spec.role),
        "kops.k8s.io/cluster": str(context.cluster.metadata.name),
        "kops.k8s.io/instance-group": name,
        "hcloud/node-group": name,
    }


def _sorted(values: Mapping[str, str]) -> dict[str, str]:
    return {name: values[name] for name in sorted(values)}
