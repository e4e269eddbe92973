# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Batched reads of IAM: all roles of the cluster at once.

IAM knows no filter by tag. GetAccountAuthorizationDetails gives roles with their policies in one call; where it is
refused, or where the account is too large for one answer, the roles that are missing are read one by one (there
are three or four of them, plus one for each service account with permissions of its own).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from .cloud import AWSCloud, from_tags
from .errors import error_code, is_denied

# One answer of this many roles costs less than reading three of them by themselves.
LARGEST_ACCOUNT = 200


@dataclass
class Role:
    """A role as it exists. Documents are parsed; inline: name -> document; attached: ARNs of managed policies."""

    name: str
    id: str
    assume_role_policy: Any = None
    permissions_boundary: str | None = None
    tags: dict[str, str] = field(default_factory=dict)
    inline: dict[str, Any] = field(default_factory=dict)
    attached: list[str] = field(default_factory=list)
    profiles: list[dict[str, Any]] = field(default_factory=list)


def read_roles(cloud: AWSCloud) -> dict[str, Role]:
    """The announced roles (cloud.want("iam-role", name)) that exist, by name."""
    found, complete = cloud.once(_account_roles)
    wanted = cloud.wanted("iam-role")
    roles = {name: found.get(name) or (None if complete else _single_role(cloud, name)) for name in wanted}
    return {name: role for name, role in roles.items() if role is not None}


def find_role(cloud: AWSCloud, name: str, *, ask: bool) -> Role | None:
    """The role of that name. ask: whether to ask for it by itself when the account is too large for one answer."""
    found, complete = cloud.once(_account_roles)
    if name in found or complete or not ask:
        return found.get(name)
    return _single_role(cloud, name)


def read_instance_profile(cloud: AWSCloud, name: str) -> dict[str, Any] | None:
    """An instance profile with its tags and roles; None when there is none of that name."""
    for role in cloud.once(read_roles).values():
        for profile in role.profiles:
            # AWS may leave the tags out of a role's profiles; then the profile is asked for by itself.
            if profile["InstanceProfileName"] == name and profile.get("Tags"):
                return profile
    return get_instance_profile(cloud, name)


def get_instance_profile(cloud: AWSCloud, name: str) -> dict[str, Any] | None:
    """Ask AWS for one instance profile; None when there is none of that name."""
    try:
        return dict(cloud.client("iam").get_instance_profile(InstanceProfileName=name)["InstanceProfile"])
    except Exception as error:
        if error_code(error) == "NoSuchEntity":
            return None
        raise


def get_role(cloud: AWSCloud, name: str) -> dict[str, Any] | None:
    """Ask AWS for one role; None when there is none of that name."""
    try:
        return dict(cloud.client("iam").get_role(RoleName=name)["Role"])
    except Exception as error:
        if error_code(error) == "NoSuchEntity":
            return None
        raise


def _account_roles(cloud: AWSCloud) -> tuple[dict[str, Role], bool]:
    """Roles of the first answer, and whether these are all."""
    try:
        page = cloud.client("iam").get_account_authorization_details(Filter=["Role"], MaxItems=LARGEST_ACCOUNT)
    except Exception as error:
        if is_denied(error):
            return {}, False
        raise
    return {found["RoleName"]: _role(found) for found in page["RoleDetailList"]}, not page.get("IsTruncated")


def _role(found: dict[str, Any]) -> Role:
    return Role(
        name=found["RoleName"],
        id=found["RoleId"],
        assume_role_policy=found.get("AssumeRolePolicyDocument"),
        permissions_boundary=(found.get("PermissionsBoundary") or {}).get("PermissionsBoundaryArn"),
        tags=from_tags(found.get("Tags")),
        inline={policy["PolicyName"]: policy["PolicyDocument"] for policy in found.get("RolePolicyList") or ()},
        attached=[policy["PolicyArn"] for policy in found.get("AttachedManagedPolicies") or ()],
        profiles=list(found.get("InstanceProfileList") or ()),
    )


def _single_role(cloud: AWSCloud, name: str) -> Role | None:
    found = get_role(cloud, name)
    if found is None:
        return None
    client = cloud.client("iam")
    inline = cloud.paged("iam", "list_role_policies", "PolicyNames", RoleName=name)
    attached = cloud.paged("iam", "list_attached_role_policies", "AttachedPolicies", RoleName=name)
    found["RolePolicyList"] = [client.get_role_policy(RoleName=name, PolicyName=policy) for policy in inline]
    found["AttachedManagedPolicies"] = attached
    return _role(found)
