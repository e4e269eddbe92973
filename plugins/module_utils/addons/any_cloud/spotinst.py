# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The controller of Spotinst (spotinst-kubernetes-cluster-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from ..definition import AddonDefinition

ADDON = AddonDefinition(
    name="spotinst-kubernetes-cluster-controller.addons.k8s.io",
    condition=lambda context: {"Spotinst", "SpotinstController"} <= context.features,
)
