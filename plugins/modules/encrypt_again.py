#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: objects in etcd are encrypted with the key that encrypts now."""

from __future__ import annotations

DOCUMENTATION = r"""
module: encrypt_again
short_description: Encrypt objects in etcd with the present key
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Writes all objects of some resources again without changing them. An API server then encrypts those that were
    encrypted with another key, or not at all. All API servers must have the key before.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.kubernetes
options:
  resources:
    description: The resources, as in an EncryptionConfiguration, such as V(secrets) or V(jobs.batch).
    type: list
    elements: str
    required: true
seealso:
  - module: kubeops.kops.rotation_steps
"""

EXAMPLES = r"""
- name: Encrypt all Secrets with the new key
  kubeops.kops.encrypt_again:
    resources: [secrets]
  become: true
"""

RETURN = r"""
objects:
  description: How many objects there are.
  returned: success
  type: int
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.keys.rewriting import write_again

ARGUMENTS = {**KUBERNETES, "resources": {"type": "list", "elements": "str", "required": True}}


def run(module: Call) -> Outcome:
    """Write them again. Nobody sees from outside whether that changes how they are stored."""
    return Outcome(values={"objects": write_again(client_of(module), module.parameters["resources"])})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
