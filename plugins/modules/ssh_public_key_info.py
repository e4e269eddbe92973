#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the SSH public keys of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: ssh_public_key_info
short_description: Read the SSH public keys of a cluster from the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads the public keys whose owners may log in to a cluster's nodes.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes.info
seealso:
  - module: kubeops.kops.ssh_public_key
"""

EXAMPLES = r"""
- name: Read the keys
  kubeops.kops.ssh_public_key_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
"""

RETURN = r"""
fingerprints:
  description: MD5 fingerprints of all keys of the cluster, as M(kubeops.kops.ssh_public_key) returns them.
  returned: success
  type: list
  elements: str
public_keys:
  description: The keys, in the order of their fingerprints.
  returned: success
  type: list
  elements: dict
  contains:
    fingerprint:
      description: MD5 fingerprint, by which O(kubeops.kops.ssh_public_key#module:public_key) removes it.
      type: str
      returned: always
    public_key:
      description: The key, as a line of C(authorized_keys).
      type: str
      returned: always
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.secrets import list_ssh_keys

ARGUMENTS = {**STATE_STORE, **IN_CLUSTER}


def run(module: Call) -> Outcome:
    """Read the store."""
    keys = list_ssh_keys(module.state_store, module.cluster_name)
    found = [{"fingerprint": identity, "public_key": key} for identity, key in keys.items()]
    return Outcome(values={"fingerprints": list(keys), "public_keys": found})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
