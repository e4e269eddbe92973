# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Hetzner takes as names and labels (docs.hetzner.cloud: "Labels", and the names of each kind).

kops leaves it to Hetzner, which refuses in the middle of an update.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...cloud.hetzner import names

# A server is called after its group, with seven characters more, and its Node after the server.
LONGEST_GROUP = 56
# Of a label's value, and of its key's last part.
LONGEST_LABEL = 63
LONGEST_VOLUME = 64
# Of user data, of which this collection has about half for itself.
LONGEST_USER_DATA, FOR_OTHERS = 32768, 16384
_VALUE = re.compile(r"([A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?)?")
_KEY = re.compile(
    r"([a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*/)?[A-Za-z0-9]([A-Za-z0-9_.-]*[A-Za-z0-9])?"
)
_RESERVED = "hetzner.cloud/"
_NO_BASTIONS = "servers at Hetzner have public addresses, and no firewall of kops' is for bastions"
_INTERNAL = "Internal"


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What Hetzner would refuse of a specification; it need not be completed."""
    name = str(cluster.metadata.name)
    found = list(_labels("spec.cloudLabels", cluster.spec.cloud_labels))
    if len(name) > LONGEST_LABEL:
        message = f"is a label of all objects, for which Hetzner takes {LONGEST_LABEL} characters, not {len(name)}"
        found.append(FieldError("Invalid", "metadata.name", message, name))
    for index, etcd in enumerate(cluster.spec.etcd_clusters):
        for member in etcd.etcd_members:
            volume = f"{member.name}.etcd-{etcd.name}.{name}"
            if len(volume) > LONGEST_VOLUME:
                message = f"its volume {volume} has {len(volume)} characters, and Hetzner takes {LONGEST_VOLUME}"
                found.append(
                    FieldError("Invalid", f"spec.etcdClusters[{index}].etcdMembers", message, str(member.name))
                )
    balancer = cluster.spec.api.load_balancer
    if balancer is not None and balancer.type == _INTERNAL:
        message = "the load balancer at Hetzner is public, as kops makes it"
        found.append(FieldError("Invalid", "spec.api.loadBalancer.type", message, _INTERNAL))
    for group in groups:
        found += _of_group(group)
    return found


def _of_group(group: InstanceGroup) -> Iterator[FieldError]:
    own = str(group.metadata.name)
    if len(own) > LONGEST_GROUP:
        message = f"servers are named after it; Hetzner takes {LONGEST_GROUP} characters, not {len(own)}"
        yield FieldError("Invalid", "metadata.name", message, own, group=own)
    if group.spec.role == "Bastion":
        yield FieldError("Invalid", "spec.role", _NO_BASTIONS, "Bastion", group=own)
    more = sum(len(str(each.content or "").encode()) for each in group.spec.additional_user_data)
    if more > FOR_OTHERS:
        message = f"Hetzner takes {LONGEST_USER_DATA} bytes of user data, of which {FOR_OTHERS} are left, not {more}"
        yield FieldError("TooLong", "spec.additionalUserData", message, group=own)
    yield from _labels("spec.cloudLabels", group.spec.cloud_labels, own)
    yield from _labels("spec.nodeLabels", group.spec.node_labels, own, before=names.NODE_LABEL)
    for key, size in (("minSize", group.spec.min_size), ("maxSize", group.spec.max_size)):
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)


def _labels(path: str, given: Mapping[str, str], group: str = "", before: str = "") -> Iterator[FieldError]:
    """before: what is put before a key."""
    for key, value in given.items():
        label = before + key
        last = label.rpartition("/")[2]
        if not _KEY.fullmatch(label) or len(last) > LONGEST_LABEL or label.startswith(_RESERVED):
            message = (
                f"servers get a label {label}; Hetzner takes letters, digits and '-_.', at most {LONGEST_LABEL} after a"
                f" domain name and '/', and nothing that begins with {_RESERVED}"
            )
            yield FieldError("Invalid", path, message, key, group=group)
        if not _VALUE.fullmatch(value) or len(value) > LONGEST_LABEL:
            message = f"is a label's value at Hetzner: letters, digits and '-_.' within, at most {LONGEST_LABEL}"
            yield FieldError("Invalid", path, message, f"{key}={value}", group=group)
