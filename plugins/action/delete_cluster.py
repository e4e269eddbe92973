# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the progress of the module of this name while it runs."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.modules import delete_cluster
from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import ProgressActionModule


class ActionModule(ProgressActionModule):
    """kubeops.kops.delete_cluster"""

    module = delete_cluster

    def outcome(self, result: dict[str, Any], check: bool) -> list[str]:
        """What would be deleted, by kind; after a deletion only the first line, since the objects were shown before."""
        lines = str(result.get("text", "")).splitlines()
        return lines if check else lines[:1]
