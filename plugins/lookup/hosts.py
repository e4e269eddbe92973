# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible lookup: the hosts of the inventory that are no instances of a cloud."""

from __future__ import annotations

DOCUMENTATION = r"""
name: hosts
short_description: Hosts of the inventory that are no instances of a cloud
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Gives the hosts that the playbooks of this collection take for bare metal. With any of them a playbook works on
    hosts, else on a cluster in a cloud.
  - C(localhost) is not among them, nor are the hosts of the group C(cloud_instances), which the inventory plugin
    P(kubeops.kops.kops#inventory) finds.
options:
  _terms:
    description: Not used.
seealso:
  - plugin: kubeops.kops.kops
    plugin_type: inventory
"""

EXAMPLES = r"""
- name: Show which hosts a playbook would work on
  ansible.builtin.debug:
    msg: "{{ query('kubeops.kops.hosts') }}"
"""

RETURN = r"""
_raw:
  description: Names of hosts, in the order of the inventory.
  type: list
  elements: str
"""

from typing import Any

from ansible.plugins.lookup import LookupBase
from ansible_collections.kubeops.kops.plugins.plugin_utils.playbooks.inventory_hosts import hosts_of


class LookupModule(LookupBase):
    """kubeops.kops.hosts"""

    def run(self, terms: list[Any], variables: dict[str, Any] | None = None, **kwargs: Any) -> list[str]:
        """The names of the hosts."""
        self.set_options(var_options=variables, direct=kwargs)
        return hosts_of((variables or {}).get("groups", {}))
