# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that choose backups of etcd."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that say which backups."""

    DOCUMENTATION = r"""
options:
  etcd_clusters:
    description: The etcd clusters; all that have backups if neither this nor O(names) is given.
    type: list
    elements: str
    default: []
  names:
    description: The name of the backup for an etcd cluster, as M(kubeops.kops.etcd_backups_info) lists it.
    type: dict
    default: {}
  before:
    description: Take the last backup that was stored no later than this, such as V(2026-05-08T12:00:00Z).
    type: str
"""
