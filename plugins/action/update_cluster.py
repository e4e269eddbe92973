# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Shows the progress of the module of this name while it runs."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.plugin_utils.progress import ProgressActionModule


class ActionModule(ProgressActionModule):
    """kubeops.kops.update_cluster"""

    text_result = "plan_text"
