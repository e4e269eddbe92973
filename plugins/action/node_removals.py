# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name what the variables of the hosts say."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.action import node_configs


class ActionModule(node_configs.ActionModule):
    """kubeops.kops.node_removals"""
