# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of objects in Google Cloud: kops' own, to the letter. They have no dots, and at most 63 characters.

Source: upup/pkg/fi/cloudup/gce and pkg/model/gcemodel/context.go of kops.
"""

from __future__ import annotations

from ...api.cloud_names import safe_cluster_name, truncate
from ...base.errors import KopsError

LONGEST = 63
LONGEST_TEMPLATE_PREFIX = 32
LONGEST_ACCOUNT_ID = 30
# Of the cluster's name at least so much has to be left.
_LEAST_ROOM = 10


def suffixed(name: str, cluster: str, longest: int = LONGEST) -> str:
    """<name>-<cluster>, the cluster's name cut where it is too long; KopsError when name leaves it no room."""
    prefix = f"{name}-"
    room = longest - len(prefix)
    if room < _LEAST_ROOM:
        raise KopsError(
            f"{name!r} is too long for a name in Google Cloud, which leaves it {longest - _LEAST_ROOM - 1} characters"
        )
    return prefix + truncate(safe_cluster_name(cluster), room)


def network(cluster: str) -> str:
    """The cluster's own network."""
    return truncate(safe_cluster_name(cluster), LONGEST)


def instance_template(group: str, cluster: str) -> str:
    """The template of an instance group, in Terraform; in the cloud its names begin with template_prefix()."""
    return safe_cluster_name(f"{group}-{cluster}")


def template_prefix(group: str, cluster: str) -> str:
    """What the names of an instance group's templates begin with."""
    return truncate(instance_template(group, cluster), LONGEST_TEMPLATE_PREFIX)


def service_account_id(role: str, cluster: str) -> str:
    """The account that instances of a role ("control-plane", "node", "bastion") run as."""
    return suffixed(role, cluster, LONGEST_ACCOUNT_ID)


def etcd_disk(member: str, etcd_cluster: str, cluster: str) -> str:
    """The disk of a member of an etcd cluster; like every name here it begins with a letter."""
    prefix = f"{member}.etcd-{etcd_cluster}".replace(".", "-")
    return suffixed(f"d{prefix}" if prefix[0] in "0123456789-" else prefix, cluster)
