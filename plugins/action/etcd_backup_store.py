# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Runs the module of this name in the controller's process. The backups come from the host, in no readable file."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.modules import etcd_backup_store
from ansible_collections.kubeops.kops.plugins.plugin_utils.host_files import HostFilesActionModule


class ActionModule(HostFilesActionModule):
    """kubeops.kops.etcd_backup_store"""

    module = etcd_backup_store
