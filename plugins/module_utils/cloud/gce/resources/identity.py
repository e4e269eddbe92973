# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: the service accounts of a cluster, with the roles that they have in the project.

Roles in buckets end with the account; a policy then names it as deleted, until somebody tidies the policy up.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from ....api.cloud_names import safe_cluster_name, truncate
from ....engine.resource import Resource
from ...errors import Missing
from .. import policies
from ..cloud import IAM, GCECloud
from ..policies import Place
from ..tasks.service_account import accounts

# The accounts that a cluster can have, by what their names begin with (ServiceAccountName of kops).
_ROLES = ("control-plane", "node", "bastion")
_LONGEST = 30
ACCOUNT = "service-account"


def identity(cloud: GCECloud) -> Iterator[Resource]:
    """Accounts whose whole names are those of the cluster's roles."""
    safe = safe_cluster_name(cloud.cluster_name)
    names = {f"{role}-{truncate(safe, _LONGEST - len(role) - 1)}" for role in _ROLES}
    for email in cloud.once(accounts, cloud.project):
        if email.partition("@")[0] in names:
            yield Resource(ACCOUNT, email, partial(_delete, cloud, email), email)


def _delete(cloud: GCECloud, email: str) -> None:
    # A policy that names an account which is gone cannot be changed by some programs.
    policies.remove(cloud, Place(project=cloud.project), f"serviceAccount:{email}")
    try:
        cloud.write("DELETE", IAM, f"{cloud.project}/serviceAccounts/{email}")
    except Missing:
        return
