# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of this name in the controller's process, where it can."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.modules import cluster_api_export
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule


class ActionModule(LocalActionModule):
    """kubeops.kops.cluster_api_export"""

    module = cluster_api_export
