#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the names of the secrets of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: secret_info
short_description: List the secrets of a cluster in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Lists which secrets a cluster has. Their values are never read.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes.info
seealso:
  - module: kubeops.kops.secret
"""

EXAMPLES = r"""
- name: List the secrets
  kubeops.kops.secret_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_secrets

- name: Nodes must have access to the private registry
  ansible.builtin.assert:
    that: "'dockerconfig' in kops_secrets.names"
"""

RETURN = r"""
names:
  description: Names of all secrets of the cluster, as M(kubeops.kops.secret) returns them.
  returned: success
  type: list
  elements: str
  sample: [dockerconfig]
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.secrets import list_secrets

ARGUMENTS = {**STATE_STORE, **IN_CLUSTER}


def run(module: Call) -> Outcome:
    """Read the store."""
    return Outcome(values={"names": list_secrets(module.state_store, module.cluster_name)})


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
