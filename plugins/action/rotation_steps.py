# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what the variables of the hosts say."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.modules import rotation_steps
from ansible_collections.kubeops.kops.plugins.plugin_utils.hosts import HostsActionModule


class ActionModule(HostsActionModule):
    """kubeops.kops.rotation_steps"""

    module = rotation_steps
