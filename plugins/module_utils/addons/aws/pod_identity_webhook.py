# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The webhook that gives pods the IAM role of their service account (eks-pod-identity-webhook.addons.k8s.io)."""

from __future__ import annotations

from ..definition import AddonDefinition
from .conditions import enabled_on_aws

ADDON = AddonDefinition(name="eks-pod-identity-webhook.addons.k8s.io", condition=enabled_on_aws("pod_identity_webhook"))
