# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and marks of a cluster's objects in vCenter.

kops' own support of vSphere ended with 1.19, and had no marks: these are ours.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence

# Extra configuration of a virtual machine, which vCenter shows. It is no guestinfo.*: that, a guest may write. What the
# cluster, the store, the group and the role are; the stable name of its place; what it was made from
# (pools/made_from.py); that it leaves its group, which has that size; and which disks of etcd it has.
_OURS = "kubeops."
CLUSTER, STORE, GROUP, ROLE = f"{_OURS}cluster", f"{_OURS}store", f"{_OURS}group", f"{_OURS}role"
NAME, MADE_FROM, LEAVING, DISKS = f"{_OURS}name", f"{_OURS}made-from", f"{_OURS}leaving", f"{_OURS}disks"
CONTROL_PLANE, NODE, BASTION = "ControlPlane", "Node", "Bastion"
# What vCenter takes as a name.
LONGEST = 80

_BY, _OF = "kubeops.kops", " of "
# Ids of tags and categories can be chosen: so a cluster's are found by one request each.
_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "kops.kubeops.dev")
_CATEGORY_ID, _TAG_ID = "urn:vmomi:InventoryServiceCategory", "urn:vmomi:InventoryServiceTag"
# What vCenter writes otherwise in names.
_ESCAPED = (("%2f", "/"), ("%5c", "\\"), ("%25", "%"))


def category(cluster: str) -> str:
    """The category of the cluster's tag."""
    return f"{_BY}/{cluster}"


def category_id(cluster: str) -> str:
    """The id of that category."""
    return f"{_CATEGORY_ID}:{uuid.uuid5(_NAMESPACE, cluster)}:GLOBAL"


def tag(cluster: str) -> str:
    """The tag of the cluster's folder, resource pool and machines."""
    return cluster


def tag_id(cluster: str) -> str:
    """The id of that tag."""
    return f"{_TAG_ID}:{uuid.uuid5(_NAMESPACE, cluster)}:GLOBAL"


def folder(cluster: str) -> str:
    """The folder of the cluster's machines."""
    return cluster


def pool(cluster: str) -> str:
    """Their resource pool."""
    return cluster


def directory(datastore: str, cluster: str) -> str:
    """The directory with the disks of etcd, as vCenter writes paths."""
    return f"[{datastore}] kubeops-{cluster}"


def rule(group: str, cluster: str) -> str:
    """The rule that keeps the machines of a group on different hosts."""
    return f"{group}{_OF}{cluster}"


def group_of_rule(name: str, cluster: str) -> str:
    """The group in a rule's name; "" if it is none of the cluster's."""
    end = f"{_OF}{cluster}"
    return name.removesuffix(end) if name.endswith(end) else ""


def server(group: str, number: int, cluster: str) -> str:
    """The stable name of a machine's place in its group. number: from 1."""
    return f"{group}-{number}.{cluster}"


def number_of(name: str, group: str, cluster: str) -> int | None:
    """The number in such a name; None if it is none of the group's."""
    number = name.removeprefix(f"{group}-").removesuffix(f".{cluster}")
    is_of_group = number.isdecimal() and server(group, int(number), cluster) == name
    return int(number) if is_of_group else None


def disk(etcd: str, member: str, cluster: str) -> str:
    """The disk of a member of etcd, as kops names volumes. etcd: main or events."""
    return f"{member}.etcd-{etcd}.{cluster}"


def disks_said(mark: str, cluster: str) -> Mapping[str, str]:
    """The disks of etcd that a machine says it has: uuid -> name."""
    try:
        return {str(each["uuid"]).lower(): disk(each["etcd"], each["member"], cluster) for each in json.loads(mark)}
    except (ValueError, KeyError, TypeError):
        return {}


def decoded(name: str) -> str:
    """A name as people know it."""
    for escaped, plain in _ESCAPED:
        name = name.replace(escaped, plain).replace(escaped.upper(), plain)
    return name


# -- what a description says --------------------------------------------------------------------------------------


def described(**said: object) -> str:
    """The description of a tag or category of ours."""
    return json.dumps({"by": _BY, **said}, sort_keys=True)


def said_by(description: str) -> Mapping[str, object] | None:
    """What such a description says; None if it is none of ours."""
    try:
        said = json.loads(description)
    except ValueError:
        return None
    return said if isinstance(said, dict) and said.get("by") == _BY else None


def directories(said: Mapping[str, object]) -> Sequence[str]:
    """The directories of disks that a tag's description names."""
    found = said.get("disks")
    return [str(each) for each in found] if isinstance(found, list) else []
