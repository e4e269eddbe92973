# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and tags by which objects in DigitalOcean are known to be a cluster's: kops' own, to the letter, and a mark.

Kops writes dots of a cluster's name as dashes, so that two names may become one. What is made here has a tag, or a
description, that says the name in full besides.

Source: pkg/model/domodel, pkg/model/master_volumes.go and upup/pkg/fi/cloudup/do of kops.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...api.cloud_names import safe_cluster_name

CLUSTER, CONTROL_PLANES = "KubernetesCluster", "KubernetesCluster-Master"
GROUP, ROLE, INDEX = "kops-instancegroup", "kops-instance-role", "k8s-index"
ETCD = "etcdCluster-"
# What firewalls are for.
NODES, CONTROL_PLANE = "nodes", "control-plane"
# Not of kops: the cluster's name in full. Tags have no dots, and names of clusters no underscores.
MARK = "kubeops-cluster"
# Not of kops either: tags that only droplets of one cluster have, whatever they say; the last is one droplet's alone.
OF_ONE_CLUSTER = ("kubeops-made-from", "kubeops-store", "kubeops-given")
NUMBER, GIVEN = "kubeops-number", "kubeops-given"
# The API takes no longer ones.
LONGEST_TAG = 255
_LONGEST_VOLUME_NAME = 64


def tag(key: str, value: str) -> str:
    """A tag with a value, as kops writes them."""
    return f"{key}:{value}"


def cluster_tag(cluster: str) -> str:
    """The tag of kops that all droplets and volumes of a cluster have."""
    return tag(CLUSTER, safe_cluster_name(cluster))


def control_plane_tag(cluster: str) -> str:
    """The tag of kops by which the load balancer finds control planes."""
    return tag(CONTROL_PLANES, safe_cluster_name(cluster))


def mark_tag(cluster: str) -> str:
    """The tag that names the cluster in full."""
    return tag(MARK, cluster.replace(".", "_"))


def mark(cluster: str) -> str:
    """The description, or the text of a record, that names the cluster in full."""
    return f"kubeops.kops cluster {cluster}"


def is_mark(text: str) -> bool:
    """Whether it names a cluster in full."""
    return text.startswith(mark(""))


def tags_of(found: Mapping[str, Any]) -> list[str]:
    """The tags of an object."""
    return [str(each) for each in found.get("tags") or ()]


def has_tag(found: Mapping[str, Any], wanted: str) -> bool:
    """Whether an object has a tag. The account keeps the capitals of whoever used a tag first."""
    return wanted.lower() in (each.lower() for each in tags_of(found))


def value_of(found: Mapping[str, Any], key: str) -> str | None:
    """What an object says in a tag; None if it has no such tag."""
    return next(iter(values_in(tags_of(found), key)), None)


def values_in(tags: Iterable[str], key: str) -> list[str]:
    """What tags say of a key."""
    prefix = tag(key, "").lower()
    return [each[len(prefix) :] for each in tags if each.lower().startswith(prefix)]


def etcd_tags(etcd_cluster: str, member: str, cluster: str) -> list[str]:
    """The tags of a volume for a member of etcd."""
    member = safe_cluster_name(member)
    return [
        tag(ETCD + etcd_cluster, member),
        tag(INDEX, member),
        cluster_tag(cluster),
        mark_tag(cluster),
    ]


def etcd_volume(etcd_cluster: str, member: str, cluster: str) -> str:
    """The volume of a member of etcd."""
    return f"kops-{safe_cluster_name(f'{member}.etcd-{etcd_cluster}.{cluster}')}"[:_LONGEST_VOLUME_NAME]


def vpc(cluster: str) -> str:
    """The network that a cluster makes."""
    return f"vpc-{safe_cluster_name(cluster)}"


def api(cluster: str) -> str:
    """The load balancer of the API."""
    return f"api-{safe_cluster_name(cluster)}"


def firewall(part: str, cluster: str) -> str:
    """A firewall of the cluster. part: whose. Unlike tags, names may have dots."""
    return f"{part}.{cluster}"


def ssh_key(fingerprint: str, cluster: str) -> str:
    """The SSH key of a cluster. fingerprint: of the key, colon-separated. Keys are the account's."""
    return f"kubernetes.{cluster}-{fingerprint}"
