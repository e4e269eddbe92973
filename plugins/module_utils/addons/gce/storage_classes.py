# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The storage classes of persistent disks (storage-gce.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.clouds import GCE
from ..conditions import storage_classes_on
from ..definition import AddonDefinition

ADDON = AddonDefinition(name="storage-gce.addons.k8s.io", condition=storage_classes_on(GCE))
