# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""By what the bootstrap servers of a cluster know its workers: by their IAM roles (node/aws/verification.py)."""

from __future__ import annotations

from ...iam.names import instance_role
from ..context import ModelContext


def proved_by(context: ModelContext) -> dict[str, list[str]]:
    """The IAM roles of workers, each of which may have instances of any group of workers: EC2 says of which they are.

    A profile that the user names has a role of its name.
    """
    profiles = [group.spec.iam.profile for group in context.groups_of("Node") if group.spec.iam]
    own = {profile.rpartition("/")[2] for profile in profiles if profile}
    return {"roles": sorted({instance_role("Node", context.name), *own})}
