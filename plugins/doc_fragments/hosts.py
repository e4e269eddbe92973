# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules about the hosts of an inventory."""

from __future__ import annotations


class ModuleDocFragment:
    """The hosts, and what is known about them."""

    DOCUMENTATION = r"""
options:
  hosts:
    description:
      - The hosts, by name. In a playbook these are by default all hosts that have the variable C(kops_observed), which
        is the result of M(kubeops.kops.node_info).
      - C(groups) are the inventory groups of a host, C(instance_group) is its variable C(kops_instance_group),
        C(address) its variable C(kops_address) or C(ansible_host), and C(observed) its variable C(kops_observed).
        C(wrong_address) is its variable C(kops_address), if that is not an address; then it is a problem of the host.
    type: dict
"""

    RETURN = r"""
groups:
  description: The instance groups with their nodes, as M(kubeops.kops.validate_cluster) takes them.
  returned: success
  type: list
  elements: dict
podImage:
  description: Image of the pods that validation starts, as M(kubeops.kops.validate_cluster) takes it.
  returned: success
  type: str
podNetwork:
  description: Range of the pods' addresses; empty if the user has installed the network.
  returned: success
  type: str
workloads:
  description: Workloads that the addons must have, as M(kubeops.kops.validate_cluster) takes them.
  returned: success
  type: list
  elements: dict
"""
