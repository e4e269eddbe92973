# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Defaults that both served versions apply when a document is read."""

from __future__ import annotations

from .cluster import AuthorizationSpec, RBACAuthorizationSpec


def authorization_or_default(authorization: AuthorizationSpec | None) -> AuthorizationSpec:
    """The authorization, or RBAC if the document has none."""
    if authorization is not None and (authorization.rbac is not None or authorization.always_allow is not None):
        return authorization
    return AuthorizationSpec(rbac=RBACAuthorizationSpec())
