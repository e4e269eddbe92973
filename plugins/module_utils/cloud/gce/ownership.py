# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ownership of objects by a cluster. No other file decides it.

Few kinds have labels, names are cut and lose their dots, and two clusters' names can be made of the same words. So
every object that is made directly says in its description whose it is; templates and instances say it in their
metadata. Objects without that were made by kops or Terraform: they are known by their labels, or by their names where
the cluster has templates, which name it in full.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...api.cloud_names import safe_cluster_name, truncate
from ...base.errors import KopsError
from .cloud import GCECloud
from .instances import CLUSTER_LABEL, owned_templates

_MARK = "kubeops.kops cluster "
_LONGEST = 63
# Of the cluster's name at least so much is in a name (ClusterSuffixedName in upup/pkg/fi/cloudup/gce/utils.go of kops).
_LEAST_ROOM = 10

Described = Mapping[str, Any]


def mark(cloud: GCECloud) -> str:
    """The description of objects that are made directly."""
    return _MARK + cloud.cluster_name


def owner_of(described: Described) -> str | None:
    """The cluster that an object names, by its mark in full or by its label without dots; None if it names none."""
    description = str(described.get("description") or "")
    if description.startswith(_MARK):
        return description[len(_MARK) :]
    label = (described.get("labels") or {}).get(CLUSTER_LABEL)
    return str(label) if label is not None else None


def is_owned(cloud: GCECloud, described: Described, *, by_reference: bool = False) -> bool:
    """Whether an object, shared ones left out, is the cluster's. Discovery asks it, and deletes what is.

    by_reference: whether the object belongs to something that is the cluster's, as a firewall rule to its network. Of
    objects that name no cluster, that and the name together decide.
    """
    owner = owner_of(described)
    if owner is not None:
        return owner == cloud.cluster_name or (
            owner == safe_cluster_name(cloud.cluster_name) and not _is_marked(described)
        )
    return by_reference and is_named(cloud, str(described.get("name", "")))


def refuse_others(cloud: GCECloud, kind: str, described: Described) -> None:
    """Raise KopsError if an object of this name is not the cluster's, so that it must not be changed or used.

    kind: what plans call it. What names no cluster is the cluster's if the cluster has templates: it was made by kops
    or Terraform, and is taken over.
    """
    owner = owner_of(described)
    if is_owned(cloud, described) or (owner is None and cloud.once(owned_templates)):
        return
    whose = f"of the cluster {owner}" if owner else "and nothing says whose it is"
    raise KopsError(
        f"{kind} {described.get('name')}: there is one in project {cloud.project} already, {whose}; it stays as it is."
        " Delete it, or give the cluster another name"
    )


def is_named(cloud: GCECloud, name: str) -> bool:
    """Whether the cluster's objects can have this name: <what it is>-<cluster>, or <cluster>.

    Another cluster's can, too: of "a.example.com" and of "example.com", "api-a-example-com".
    """
    safe = safe_cluster_name(cloud.cluster_name)
    if name == truncate(safe, _LONGEST):
        return True
    prefixes = (name[: at + 1] for at, letter in enumerate(name) if letter == "-")
    return any(
        name == prefix + truncate(safe, _LONGEST - len(prefix))
        for prefix in prefixes
        if _LONGEST - len(prefix) >= _LEAST_ROOM
    )


def _is_marked(described: Described) -> bool:
    return str(described.get("description") or "").startswith(_MARK)
