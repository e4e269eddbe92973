#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what the state store says about instance groups."""

from __future__ import annotations

DOCUMENTATION = r"""
module: instancegroup_info
short_description: Read the instance groups of a cluster from the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads the specifications of a cluster's instance groups from a state store of kops.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.attributes.info
options:
  name:
    description: Names of the groups; all of them if it is not given. Names that do not exist are left out.
    type: list
    elements: str
seealso:
  - module: kubeops.kops.instancegroup
  - module: kubeops.kops.cluster_info
"""

EXAMPLES = r"""
- name: All groups
  kubeops.kops.instancegroup_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_groups

- name: How many nodes there may be
  ansible.builtin.debug:
    msg: "{{ kops_groups.instancegroups | map(attribute='spec.maxSize') | sum }}"
"""

RETURN = r"""
names:
  description: Names of the groups.
  returned: success
  type: list
  elements: str
instancegroups:
  description: The InstanceGroups, as manifests of API version C(kops.k8s.io/v1alpha2).
  returned: success
  type: list
  elements: dict
manifest:
  description: The groups as one YAML text.
  returned: success
  type: str
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.info import read_groups

ARGUMENTS = {**STATE_STORE, **IN_CLUSTER, "name": {"type": "list", "elements": "str"}}


def run(module: Call) -> Outcome:
    """Read the store."""
    names = [name for name in module.parameters["name"] or [] if name]
    return Outcome(values=read_groups(module.state_store, module.cluster_name, names))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
