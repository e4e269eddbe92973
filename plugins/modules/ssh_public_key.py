#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: SSH public keys in the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ssh_public_key
short_description: Keep the SSH public keys of a cluster in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Stores the public keys whose owners may log in to a cluster's nodes, or removes them.
  - Nodes get them when they are created. A cluster on AWS takes one key.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.lease
  - kubeops.kops.attributes
options:
  public_key:
    description:
      - Public keys, each in the form of a line of C(authorized_keys), or the path of a file that holds one, read where
        the module runs.
      - With O(state=absent) also MD5 fingerprints; all keys are removed if nothing is given.
    type: list
    elements: str
  state:
    description: Whether the keys are in the store.
    type: str
    choices: [present, absent]
    default: present
  exclusive:
    description: Remove all other keys.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Let one key in, and no other
  kubeops.kops.ssh_public_key:
    state_store: s3://example-state
    cluster_name: demo.example.com
    public_key: ~/.ssh/id_ed25519.pub
    exclusive: true

- name: Remove all keys
  kubeops.kops.ssh_public_key:
    state_store: s3://example-state
    cluster_name: demo.example.com
    state: absent
"""

RETURN = r"""
fingerprints:
  description: MD5 fingerprints of all keys of the cluster.
  returned: success
  type: list
  elements: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    LEASE,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import (
    PRESENT_OR_ABSENT,
    names_outcome,
    store_options,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import text_or_file
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.secrets import (
    is_fingerprint,
    remove_ssh_keys,
    store_ssh_keys,
)

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    **LEASE,
    **PRESENT_OR_ABSENT,
    "public_key": {"type": "list", "elements": "str"},
    "exclusive": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Make the keys what the state says."""
    options, cluster = store_options(module), module.cluster_name
    named = [given for given in module.parameters["public_key"] or [] if given]
    keys = [given if is_fingerprint(given) else text_or_file(given) for given in named]
    if module.text("state") == "absent":
        removed = remove_ssh_keys(options, cluster, keys, check=module.check)
        return names_outcome("fingerprints", "SSH public keys", removed)
    if not keys:
        raise KopsError("no public key is given; set public_key (kops_ssh_public_key in a playbook)")
    exclusive = bool(module.parameters["exclusive"])
    result = store_ssh_keys(options, cluster, keys, exclusive=exclusive, check=module.check)
    return names_outcome("fingerprints", "SSH public keys", result)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
