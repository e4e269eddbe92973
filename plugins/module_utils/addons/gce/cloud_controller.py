# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The cloud controller manager of Google Cloud (gcp-cloud-controller.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.clouds import GCE
from ..conditions import on_cloud
from ..definition import AddonDefinition

ADDON = AddonDefinition(name="gcp-cloud-controller.addons.k8s.io", condition=on_cloud(GCE), replaceable=True)
