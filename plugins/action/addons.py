# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Gives the module of this name its objects, which may be Secrets, without a file of the connecting user."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.plugin_utils.pipelined import PipelinedActionModule


class ActionModule(PipelinedActionModule):
    """kubeops.kops.addons"""
