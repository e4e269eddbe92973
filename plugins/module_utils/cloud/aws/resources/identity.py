# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Discovery: IAM roles, instance profiles and OIDC providers of a cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ....engine.resource import Resource
from ..cloud import AWSCloud
from ..errors import error_code, is_denied
from ..ownership import is_owned
from ..stacks.stacks import AWSStacks
from .gone import call, is_gone, removal

# Longer names than this are cut and end in a hash, so that the cluster's name need not be in them.
LONGEST_NAME = 64


def identity(cloud: AWSCloud) -> Iterator[Resource]:
    """What the cluster may do in the account."""
    yield from _instance_profiles(cloud)
    yield from _roles(cloud)
    yield from _oidc_providers(cloud)


def _may_be_ours(cloud: AWSCloud, name: str) -> bool:
    return cloud.cluster_name in name or len(name) >= LONGEST_NAME


def _is_owned(cloud: AWSCloud, operation: str, within: str = "", **parameters: Any) -> bool:
    """Whether the Tags of an answer (or of the object in it) say so."""
    try:
        answer = getattr(cloud.client("iam"), operation)(**parameters)
        tags = (answer[within] if within else answer).get("Tags")
    except Exception as error:
        # An object whose tags may not be read is not the cluster's.
        if is_gone(error_code(error)) or is_denied(error):
            return False
        raise
    return is_owned(cloud, tags)


def _instance_profiles(cloud: AWSCloud) -> Iterator[Resource]:
    for profile in cloud.paged("iam", "list_instance_profiles", "InstanceProfiles"):
        name = profile["InstanceProfileName"]
        if not _may_be_ours(cloud, name):
            continue
        tagged = _is_owned(cloud, "get_instance_profile", "InstanceProfile", InstanceProfileName=name)
        if tagged or _is_of_stack(cloud, name):
            blocks = frozenset(f"iam-role:{role['RoleName']}" for role in profile["Roles"])
            yield Resource("instance-profile", name, profile_removal(cloud, profile), name, blocks)


def _is_of_stack(cloud: AWSCloud, name: str) -> bool:
    """Whether the cluster's stack has made a profile: a template says no tags of it."""
    stacks = AWSStacks()
    try:
        found = stacks.of(cloud, name)
        stack = stacks.find(cloud, found) if found else None
    except Exception as error:
        if is_denied(error):
            return False
        raise
    return stack is not None and stack.is_of(cloud.cluster_name)


def profile_removal(cloud: AWSCloud, profile: dict[str, Any]) -> Callable[[], None]:
    """A function that takes the roles out of an instance profile, as AWS describes it, and deletes it."""
    name = profile["InstanceProfileName"]

    def delete() -> None:
        for role in profile["Roles"]:
            parameters = {"InstanceProfileName": name, "RoleName": role["RoleName"]}
            call(cloud, "iam", "remove_role_from_instance_profile", **parameters)
        call(cloud, "iam", "delete_instance_profile", InstanceProfileName=name)

    return delete


def _roles(cloud: AWSCloud) -> Iterator[Resource]:
    for role in cloud.paged("iam", "list_roles", "Roles"):
        name = role["RoleName"]
        if _may_be_ours(cloud, name) and _is_owned(cloud, "list_role_tags", RoleName=name):
            yield Resource("iam-role", name, role_removal(cloud, name), name)


def role_removal(cloud: AWSCloud, name: str) -> Callable[[], None]:
    """A function that deletes a role with its policies; no instance profile may hold it any more."""

    def delete() -> None:
        try:
            inline = cloud.paged("iam", "list_role_policies", "PolicyNames", RoleName=name)
            attached = cloud.paged("iam", "list_attached_role_policies", "AttachedPolicies", RoleName=name)
        except Exception as error:
            if is_gone(error_code(error)):
                return
            raise
        for policy in inline:
            call(cloud, "iam", "delete_role_policy", RoleName=name, PolicyName=policy)
        for policy in attached:
            call(cloud, "iam", "detach_role_policy", RoleName=name, PolicyArn=policy["PolicyArn"])
        call(cloud, "iam", "delete_role", RoleName=name)

    return delete


def _oidc_providers(cloud: AWSCloud) -> Iterator[Resource]:
    for provider in cloud.client("iam").list_open_id_connect_providers()["OpenIDConnectProviderList"]:
        arn = provider["Arn"]
        if _is_owned(cloud, "list_open_id_connect_provider_tags", OpenIDConnectProviderArn=arn):
            delete = removal(cloud, "iam", "delete_open_id_connect_provider", OpenIDConnectProviderArn=arn)
            yield Resource("oidc-provider", arn, delete, arn.partition("oidc-provider/")[2])
