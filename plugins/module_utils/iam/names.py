# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names of IAM roles in AWS, as kops makes them (pkg/model/names.go of kops)."""

from __future__ import annotations

from ..api.cloud_names import truncate

ROLE_NAME_LENGTH = 64

_PREFIXES = {"ControlPlane": "masters", "APIServer": "apiservers", "Node": "nodes", "Bastion": "bastions"}


def instance_role(role: str, cluster: str) -> str:
    """The IAM role and the instance profile that instances of a role share."""
    return truncate(f"{_PREFIXES[role]}.{cluster}", ROLE_NAME_LENGTH)


def service_account_role(name: str, namespace: str, cluster: str) -> str:
    """The IAM role of a Kubernetes service account."""
    return truncate(f"{name}.{namespace.replace('*', 'wildcard')}.sa.{cluster}", ROLE_NAME_LENGTH)
