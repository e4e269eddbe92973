# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that collect for a dump."""

from __future__ import annotations


class ModuleDocFragment:
    """kubeops.kops.dump"""

    DOCUMENTATION = r"""
options:
  log_bytes:
    description: Of each log, these many bytes of its end are taken.
    type: int
    default: 5242880
  node_timeout:
    description: Seconds for each node. What has not been collected then is named in the index.
    type: int
    default: 120
  nodes:
    description: Names of the nodes whose logs are taken by the API; all if it is empty.
    type: list
    elements: str
    default: []
  max_nodes:
    description: No more nodes are asked by the API, control planes and nodes that are not ready before all others.
    type: int
    default: 500
  objects:
    description: Whether objects of the Kubernetes API are taken. Of Secrets, the values never are.
    type: bool
    default: true
  namespaces:
    description: Namespaces whose objects and pods' logs are taken; all if it is empty.
    type: list
    elements: str
    default: []
"""
