#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the key pairs of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: keypair_info
short_description: Read the key pairs of a cluster from the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads which key pairs the keysets of a cluster have, which one signs, and until when their certificates are valid.
  - Private keys are never returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes.info
options:
  keysets:
    description: Names of the keysets; all of them if it is not given. Names that do not exist are left out.
    type: list
    elements: str
seealso:
  - module: kubeops.kops.keypair
"""

EXAMPLES = r"""
- name: All key pairs
  kubeops.kops.keypair_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_keypairs

- name: The CA must be valid for another year
  ansible.builtin.assert:
    that: item.not_after > '%Y-%m-%d' | strftime(now().timestamp() + 365 * 86400)
  loop: "{{ kops_keypairs.keypairs | selectattr('primary') }}"
  loop_control:
    label: "{{ item.keyset }}"
"""

RETURN = r"""
keypairs:
  description: The key pairs, by keyset and the oldest first, as M(kubeops.kops.keypair) returns them.
  returned: success
  type: list
  elements: dict
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.keypairs import read_keypairs

ARGUMENTS = {**STATE_STORE, **IN_CLUSTER, "keysets": {"type": "list", "elements": "str", "no_log": False}}


def run(module: Call) -> Outcome:
    """Read the store."""
    names = [name for name in module.parameters["keysets"] or [] if name]
    return Outcome(values={"keypairs": read_keypairs(module.state_store, module.cluster_name, names)})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
