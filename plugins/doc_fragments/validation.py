# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what modules return that validate a cluster."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values of modules that validate a cluster."""

    RETURN = r"""
nodes:
  description: The nodes that there are.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node.
      type: str
      returned: always
    role:
      description: Role of its instance group.
      type: str
      returned: always
    instance_group:
      description: Its instance group; empty if it is of none.
      type: str
      returned: always
    ready:
      description: V(True), V(False) or V(Unknown).
      type: str
      returned: always
    cordoned_for_update:
      description:
        - When a rolling update that has not finished with the node has cordoned it. Empty for all other nodes, also for
          those that an administrator has cordoned.
      type: str
      returned: always
      sample: "2026-05-08T12:00:00Z"
    needs_update:
      description:
        - Whether the node has the annotation C(kops.k8s.io/needs-update), because an addon has changed that needs it,
          or because a user has set it. A rolling update drains the node, and removes the annotation.
      type: bool
      returned: always
    old_pods:
      description:
        - Its pods of addons that are as they were before their DaemonSet changed. Their DaemonSet does not replace them
          by itself (C(OnDelete)); a rolling update of the node does.
      type: list
      elements: str
      returned: always
      sample: [kube-system/cilium-x7k2p]
    version:
      description: Version of its kubelet.
      type: str
      returned: always
text:
  description: Everything as tables, for people.
  returned: always
  type: str
"""
