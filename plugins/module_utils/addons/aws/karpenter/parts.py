# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of Karpenter share."""

from __future__ import annotations

NAME, NAMESPACE = "karpenter", "kube-system"
# Of its objects and of the definitions of its kinds, also where the specification names another image.
VERSION = "1.13.0"
APP = {"app.kubernetes.io/name": NAME, "app.kubernetes.io/instance": NAME}
LABELS = {**APP, "app.kubernetes.io/version": VERSION, "helm.sh/chart": f"{NAME}-{VERSION}"}
# The groups of its kinds.
CORE, AWS = "karpenter.sh", "karpenter.k8s.aws"
NODE_POOL = f"{CORE}/nodepool"
