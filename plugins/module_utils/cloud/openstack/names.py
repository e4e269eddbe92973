# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and tags by which objects in OpenStack are known to be a cluster's: kops' own, to the letter.

Source: pkg/model/openstackmodel and upup/pkg/fi/cloudup/openstack of kops.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...api.cloud_names import safe_cluster_name, truncate

# Of tags, kops keeps so many characters.
LONGEST_TAG = 60
TAG_CLUSTER, TAG_GROUP, TAG_NAME = "KubernetesCluster", "KopsInstanceGroup", "KopsName"
# What servers say of themselves.
OF_CLUSTER, ROLE, CONTROL_PLANE = "k8s", "KopsRole", "ControlPlane"
# Not of kops: the state store of their cluster, which another one of the same name would not have.
STORE = "kubeops-store"
# What a server was made from (pools/made_from.py); and that it leaves its group, which has that size. Ports have the
# latter as a tag.
MADE_FROM, LEAVING = "kubeops-made-from", "kubeops-leaving"
# A part of that: servers that have it are given a key of the state store.
STORE_KEY = "store-key"
ETCD = "k8s.io/etcd/"
_SECURITY_GROUPS = {"ControlPlane": "masters", "APIServer": "masters", "Node": "nodes", "Bastion": "bastion"}


def application_credential(cluster: str, project: str) -> str:
    """That of a cluster, among those of the user in all projects. project: its id."""
    return f"kubeops.kops {cluster} {project}"


def application_credentials(cluster: str, project: str) -> re.Pattern[str]:
    """All of a cluster: one that is made while the former is used has a number behind that name."""
    return re.compile(re.escape(application_credential(cluster, project)) + r"(?: (\d+))?")


def next_application_credential(cluster: str, project: str, taken: Iterable[str]) -> str:
    """What a new one is called. Beside another one it is never called as the first, which has succeeded none."""
    title, pattern = application_credential(cluster, project), application_credentials(cluster, project)
    numbers = [int(found[1] or 1) for found in map(pattern.fullmatch, taken) if found]
    return f"{title} {max(numbers) + 1}" if numbers else title


def mark(cluster: str) -> str:
    """The description of objects that get their tags only after they are made. Kops gives them none."""
    return f"kubeops.kops cluster {cluster}"


def api(cluster: str) -> str:
    """Load balancer, listener and security group of the API, where the specification has no public name."""
    return f"api.{cluster}"


def router(cluster: str) -> str:
    """The cluster's router."""
    return safe_cluster_name(cluster)


def subnet(name: str, cluster: str) -> str:
    """A subnet that the cluster makes."""
    return f"{name}.{cluster}"


def security_group(role: str, cluster: str) -> str:
    """The security group of a role's servers."""
    return f"{_SECURITY_GROUPS[role]}.{cluster}"


def security_groups(cluster: str) -> set[str]:
    """Those of all roles, and of the API."""
    return {*(security_group(role, cluster) for role in _SECURITY_GROUPS), api(cluster)}


def key_pair(fingerprint: str, cluster: str) -> str:
    """The key pair made from an SSH public key. fingerprint: of the key, colon-separated."""
    return f"kubernetes-{safe_cluster_name(cluster)}-{fingerprint.replace(':', '_')}"


def server(group: str, number: int, cluster: str) -> str:
    """The stable name of a server of a group, whatever the one that has it at the moment is called. number: from 1."""
    return dashed(f"{group}-{number}.{cluster}")


def number_of(name: str, group: str, cluster: str) -> int | None:
    """The number in a server's stable name; None if it is none of the group's."""
    before, after = dashed(f"{group}-"), dashed(f".{cluster}")
    number = name[len(before) : -len(after)]
    is_of_group = name.startswith(before) and name.endswith(after) and number.isdecimal()
    return int(number) if is_of_group and server(group, int(number), cluster) == name else None


def port(group: str, number: int, cluster: str) -> str:
    """The port of a server."""
    return f"port-{server(group, number, cluster)}"


def server_of_port(port_name: str) -> str:
    """The stable name of a port's server."""
    return port_name.removeprefix("port-")


def group_of(port: Mapping[str, Any]) -> str:
    """The instance group that a port names in its tags, as servers' names have it; "" if it names none."""
    tags = (str(each) for each in port.get("tags") or ())
    return next((each.partition("=")[2] for each in tags if each.startswith(f"{TAG_GROUP}=")), "")


def floating_ip(name: str) -> str:
    """The description of a floating address. name: of the server or load balancer."""
    return f"fip-{name}"


def floating_ip_of_port(port_name: str) -> str:
    """The description of the floating address of a server's port."""
    return floating_ip(server_of_port(port_name))


def port_tags(group: str, number: int, cluster: str) -> list[str]:
    """The tags of a server's port."""
    return [group_tag(group), _tag(TAG_NAME, dashed(f"port-{group}-{number}")), cluster_tag(cluster)]


def group_tag(group: str) -> str:
    """The tag that the ports of a group's servers have."""
    return _tag(TAG_GROUP, dashed(group))


def cluster_tag(cluster: str) -> str:
    """The tag that all ports of the cluster's servers have."""
    return _tag(TAG_CLUSTER, cluster)


def _tag(key: str, value: str) -> str:
    return truncate(f"{key}={value}", LONGEST_TAG)


def dashed(text: str) -> str:
    """As in names of servers and in tags."""
    return text.lower().replace("_", "-").replace(".", "-")
