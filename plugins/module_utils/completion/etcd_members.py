# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What must be true of etcd clusters before anything else is inferred from them."""

from __future__ import annotations

from ..api.cluster import Cluster
from ..api.etcd import EtcdClusterSpec
from ..base.errors import FieldError, ValidationError


def check_etcd_members(cluster: Cluster) -> None:
    """Raises ValidationError with all problems: names missing or taken, members without a group, an even number."""
    problems: list[FieldError] = []
    for index, etcd in enumerate(cluster.spec.etcd_clusters):
        problems += _problems(f"spec.etcdClusters[{index}]", etcd)
    if problems:
        raise ValidationError(problems, f"cluster {cluster.metadata.name}")


def _problems(path: str, etcd: EtcdClusterSpec) -> list[FieldError]:
    problems = [] if etcd.name else [FieldError("Required", f"{path}.name", "must be given")]
    names: set[str] = set()
    for index, member in enumerate(etcd.etcd_members):
        here = f"{path}.etcdMembers[{index}]"
        if not member.name:
            problems.append(FieldError("Required", f"{here}.name", "must be given"))
        elif member.name in names:
            problems.append(FieldError("Duplicate", f"{here}.name", "names another member, too", member.name))
        if not member.instance_group:
            problems.append(FieldError("Required", f"{here}.instanceGroup", "must be given"))
        names.add(member.name or "")
    if len(etcd.etcd_members) % 2 == 0:
        message = "must be an odd number of members, so that a majority can be told from a minority"
        problems.append(FieldError("Invalid", f"{path}.etcdMembers", message, len(etcd.etcd_members)))
    return problems
