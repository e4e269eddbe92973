# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of this name in the working directory, where users look for the files of a policy."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.modules import check_policy
from ansible_collections.kubeops.kops.plugins.plugin_utils.local import LocalActionModule


class ActionModule(LocalActionModule):
    """kubeops.kops.check_policy"""

    module = check_policy
