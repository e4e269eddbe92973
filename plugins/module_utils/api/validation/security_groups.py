# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""References to security groups that exist in AWS."""

from __future__ import annotations

from .problems import Problems, duplicate, invalid

_RULE = "must be the id of a security group, sg-..."


def validate_security_groups(groups: list[str], path: str) -> Problems:
    """A list of security group ids without repetition."""
    found: Problems = []
    for index, group in enumerate(groups):
        if group in groups[:index]:
            found.append(duplicate(f"{path}[{index}]", group))
        if not _is_group(group):
            found.append(invalid(f"{path}[{index}]", group, _RULE))
    return found


def validate_security_group_override(group: str | None, path: str) -> Problems:
    """The security group that takes the place of the one that would be created; None where there is none."""
    return [] if group is None or _is_group(group) else [invalid(path, group, _RULE)]


def _is_group(text: str) -> bool:
    return text.startswith("sg-") and not any(each.isspace() for each in text)
