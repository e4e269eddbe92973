# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Options of modules that start a pod on every node for a moment."""

from __future__ import annotations


class ModuleDocFragment:
    """Documentation that modules have in common."""

    DOCUMENTATION = r"""
options:
  pod_image:
    description: Image of the pods that are started, such as that of sandboxes, which all nodes have. Empty starts none.
    type: str
    default: ""
  pod_network:
    description: Range of addresses that pods must have. Empty if any is right.
    type: str
    default: ""
"""
