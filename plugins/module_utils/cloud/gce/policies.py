# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""IAM policies of projects and buckets: members come and go one by one, whoever else writes at the same time."""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from ...engine.task import AnswerLost, TryAgainLater
from ..errors import CloudError
from .cloud import PROJECTS, STORAGE, GCECloud
from .errors import Changed

# How often a write is tried that another writer overtakes, and the first pause in seconds.
_ATTEMPTS, _PAUSE = 10, 0.2
# Google keeps conditions of bindings only for those who say that they know them.
_VERSION = 3
# What Google says of a service account that it has just made, and that not all of it knows yet.
_UNKNOWN_MEMBER = "does not exist"

Policy = dict[str, Any]


@dataclass(frozen=True)
class Place:
    """What has a policy: a project, or a bucket."""

    project: str = ""
    bucket: str = ""

    def read(self, cloud: GCECloud) -> Policy:
        """The policy as it is now, with its etag."""
        if self.bucket:
            path = f"b/{self.bucket}/iam"
            found = cloud.get(STORAGE, path, optionsRequestedPolicyVersion=str(_VERSION))
            if found is None:
                raise CloudError(f"there is no bucket {self.bucket}")
            return found
        return cloud.ask(PROJECTS, f"{self.project}:getIamPolicy", {"options": {"requestedPolicyVersion": _VERSION}})

    def write(self, cloud: GCECloud, policy: Policy) -> None:
        """Replace the policy. Raises Changed if it is not the one with this etag any more."""
        if self.bucket:
            cloud.write("PUT", STORAGE, f"b/{self.bucket}/iam", policy)
        else:
            cloud.write("POST", PROJECTS, f"{self.project}:setIamPolicy", {"policy": policy})


def read(cloud: GCECloud, place: Place) -> Policy:
    """The policy of a place, with its etag."""
    return place.read(cloud)


def members(policy: Mapping[str, Any], role: str) -> set[str]:
    """The members that have a role without a condition ("serviceAccount:a@b")."""
    return {
        member
        for binding in policy.get("bindings") or ()
        if binding.get("role") == role and not binding.get("condition")
        for member in binding.get("members") or ()
    }


def add(cloud: GCECloud, place: Place, role: str, member: str) -> None:
    """Give a member a role. Raises TryAgainLater while Google does not know the member yet."""

    def change(policy: Policy) -> None:
        bindings = policy.setdefault("bindings", [])
        for binding in bindings:
            if binding.get("role") == role and not binding.get("condition"):
                if member not in binding.setdefault("members", []):
                    binding["members"].append(member)
                return
        bindings.append({"role": role, "members": [member]})

    try:
        _changed(cloud, place, change)
    except CloudError as error:
        if _UNKNOWN_MEMBER in str(error):
            raise TryAgainLater(str(error)) from error
        raise


def remove(cloud: GCECloud, place: Place, member: str) -> None:
    """Take all roles from a member, with whatever condition."""

    def change(policy: Policy) -> None:
        for binding in policy.get("bindings") or ():
            if member in (binding.get("members") or ()):
                binding["members"].remove(member)
        policy["bindings"] = [binding for binding in policy.get("bindings") or () if binding.get("members")]

    _changed(cloud, place, change)


def _changed(cloud: GCECloud, place: Place, change: Callable[[Policy], None]) -> None:
    """Read, change and write a policy, again if another writer was faster, or if the answer was lost."""
    for attempt in range(_ATTEMPTS):
        before = place.read(cloud)
        after = copy.deepcopy(before)
        change(after)
        if after == before:
            return
        try:
            place.write(cloud, {**after, "version": max(int(after.get("version") or 1), 1)})
            return
        except (Changed, AnswerLost):
            if attempt == _ATTEMPTS - 1:
                raise
        time.sleep(_PAUSE * 2 ** min(attempt, 4))
