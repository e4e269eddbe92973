# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Names and labels of the cluster autoscaler's objects."""

from __future__ import annotations

ADDON_NAME = "cluster-autoscaler.addons.k8s.io"
NAME, NAMESPACE = "cluster-autoscaler", "kube-system"
APP = {"app": NAME}
SERVICE = {"app.kubernetes.io/name": NAME}
LABELS = {**SERVICE, "k8s-addon": ADDON_NAME, "k8s-app": NAME}
PORT = 8085
