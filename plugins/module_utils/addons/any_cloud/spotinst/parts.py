# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the objects of Spotinst's controller share."""

from __future__ import annotations

RELEASE, NAMESPACE = "ocean-controller", "kube-system"
CHART, VERSION = "ocean-kubernetes-controller", "2.0.64"
NAME = f"{RELEASE}-{CHART}"
APP = {"app.kubernetes.io/name": CHART, "app.kubernetes.io/instance": RELEASE}
LABELS = {**APP, "helm.sh/chart": f"{CHART}-0.1.50", "app.kubernetes.io/version": VERSION}
