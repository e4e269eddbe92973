#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what a machine says of itself."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_info
short_description: Ask a machine what its certificates and its NodeConfig depend on
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reports the facts of a machine that the texts of a NodeConfig may name, and the certificates that it has, so that
    only those are issued that are missing or about to end.
  - Reports the hash of the NodeConfig that the machine was last made equal to, by which one that is behind is told.
extends_documentation_fragment:
  - kubeops.kops.attributes.info
options:
  certificates:
    description: Where the certificates are, as a NodeConfig lists them.
    type: list
    elements: dict
    default: []
notes:
  - The module runs on the machine, as root, and needs nothing there but Python.
seealso:
  - module: kubeops.kops.node_converge
"""

EXAMPLES = r"""
- name: Ask the machine for its facts and certificates
  kubeops.kops.node_info:
    certificates: "{{ nodeup_config.certificates }}"
  become: true
  register: kops_node
"""

RETURN = r"""
facts:
  description: Values by name, as found by the machine or given to it the last time.
  returned: success
  type: dict
  sample: {"NODE_NAME": "node-1", "INTERNAL_IP": "10.0.0.7"}
certificates:
  description: The certificates that are there together with their keys, as PEM, by name.
  returned: success
  type: dict
hash:
  description: Hash of the NodeConfig that the machine was last made equal to. Empty if a run was not finished.
  returned: success
  type: str
distribution:
  description: The distribution, as conditions of a NodeConfig name it.
  returned: success
  type: str
  sample: debian-12
family:
  description: The family of the distribution.
  returned: success
  type: str
  sample: debian
architecture:
  description: The architecture, as Kubernetes calls it.
  returned: success
  type: str
  sample: amd64
kernel:
  description: The release of the running kernel.
  returned: success
  type: str
"""

from ansible.module_utils.basic import AnsibleModule
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options, find_machine
from ansible_collections.kubeops.kops.plugins.module_utils.node.errors import NodeError
from ansible_collections.kubeops.kops.plugins.module_utils.node.observe import observe

ARGUMENTS = {"certificates": {"type": "list", "elements": "dict", "default": []}}


def main() -> None:
    """Run as a module."""
    module = AnsibleModule(ARGUMENTS, supports_check_mode=True)
    try:
        found = observe(find_machine(Options()), module.params["certificates"])
    except NodeError as error:
        module.fail_json(msg=str(error))
    module.exit_json(changed=False, **found)


if __name__ == "__main__":
    main()
