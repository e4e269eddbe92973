# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows what control planes do while the module of this name waits for them."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan_text import Line
from ansible_collections.kubeops.kops.plugins.modules import etcd_cloud_restore
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import PlanActionModule


class ActionModule(PlanActionModule):
    """kubeops.kops.etcd_cloud_restore"""

    module = etcd_cloud_restore

    def lines(self, result: dict[str, Any], check: bool) -> list[Line]:
        """The backups."""
        return [Line(f"{backup['path']}") for backup in result["backups"]]
