# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""metrics-server, from which autoscalers and kubectl top read (metrics-server.addons.k8s.io of kops)."""

from __future__ import annotations

from ..conditions import enabled
from ..definition import AddonDefinition

ADDON = AddonDefinition(name="metrics-server.addons.k8s.io", condition=enabled("metrics_server"))
