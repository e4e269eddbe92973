# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Refusals by the readers of a specification: programs, nodes with their own schema, and the cloud with its limits.

What needs nothing but the specification is in api/validation/: with kops' rules, or in readers.py.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..api.clouds import cloud_of
from ..api.cluster import Cluster
from ..api.instance_group import ROLES, InstanceGroup, InstanceGroupSpec
from ..api.validation.entry import in_group
from ..api.validation.readers import validate_for_readers
from ..base.errors import FieldError
from ..model.node.refused import refused_given
from .clouds import SUPPORTED


def refused(cluster: Cluster, groups: Sequence[InstanceGroup]) -> list[FieldError]:
    """Problems that the readers of a specification would refuse, each with the instance group that it is about.

    It is asked of a specification that is to be stored, and again of the completed one: another version may have stored
    it. Whether all of a NodeConfig can be read is known once it is made (model/node/build.py).
    """
    row = SUPPORTED.get(cloud_of(cluster).name)
    limits = row.limits() if row else None
    found = dict.fromkeys(limits(cluster, groups) if limits else ())
    found.update(dict.fromkeys(validate_for_readers(cluster, groups)))
    # What the cluster gives to all nodes is judged before there are groups, too.
    nodes = groups or [InstanceGroup(spec=InstanceGroupSpec(role=role)) for role in ROLES]
    for group in nodes:
        found.update(dict.fromkeys(refused_given(cluster, group)))
    return [in_group(problem) for problem in found]
