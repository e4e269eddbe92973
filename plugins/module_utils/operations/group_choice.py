# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Choice of instance groups for an operation, by their names or by their roles."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..api.instance_group import InstanceGroup
from ..base.errors import KopsError

# How roles are written in options, and what kops takes for the same.
ROLES = {"control-plane": "ControlPlane", "apiserver": "APIServer", "node": "Node", "bastion": "Bastion"}
_OTHER_SPELLINGS = {"controlplane": "control-plane", "master": "control-plane"}


def choose_groups(
    groups: Sequence[InstanceGroup], names: Sequence[str] = (), roles: Sequence[str] = ()
) -> frozenset[str] | None:
    """The names of the groups that are chosen; None when nothing is said, which means all of them.

    roles: upper and lower case and the plural mean the same. A role that no group has chooses none.
    Raises KopsError that has all unknown names or roles, and what is known.
    """
    names, roles = [name for name in names if name], [role for role in roles if role]
    if names and roles:
        raise KopsError("instance_groups and instance_group_roles exclude each other: give one of them")
    if names:
        known = [str(group.metadata.name) for group in groups]
        _refuse("instance group", [name for name in names if name not in known], known)
        return frozenset(names)
    if roles:
        _refuse("role", [role for role in roles if _role(role) not in ROLES], ROLES)
        wanted = {ROLES[role_named(role)] for role in roles}
        return frozenset(str(group.metadata.name) for group in groups if group.spec.role in wanted)
    return None


def role_named(text: str) -> str:
    """Find the key of ROLES for a written role. Raises KopsError, which names all roles."""
    _refuse("role", [] if _role(text) in ROLES else [text], ROLES)
    return _role(text)


def _role(text: str) -> str:
    plain = text.lower().removesuffix("s")
    return _OTHER_SPELLINGS.get(plain, plain)


def _refuse(what: str, unknown: Sequence[str], known: Iterable[str]) -> None:
    if unknown:
        missing = " and no ".join(f"{what} {name!r}" for name in unknown)
        raise KopsError(f"there is no {missing}; there are {', '.join(known)}")
