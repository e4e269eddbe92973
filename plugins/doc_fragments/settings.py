# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options that change single fields."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that set and unset fields of stored objects."""

    DOCUMENTATION = r"""
options:
  set:
    description:
      - Fields to set, each in the form C(path=value). All others stay as they are.
      - They are set in the stored specification, or in the one that is given with it.
      - Paths are those of C(kops edit --set), such as C(spec.kubernetesVersion), C(spec.networking.cilium.version),
        C(spec.etcdClusters[0].manager.backupRetentionDays) or C(spec.etcdClusters[*].version).
      - A list gets the values, separated by commas, that it does not have yet; unset it first to replace it. A mapping
        takes C(path=key=value).
      - Give a list where a value holds a comma, because a comma separates settings in a text.
    type: list
    elements: str
  unset:
    description: Paths of fields to unset. This happens before O(set).
    type: list
    elements: str
"""
