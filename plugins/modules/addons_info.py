#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the addons of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: addons_info
short_description: Read which addons a cluster has
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reads the indexes of addons in the state store, and asks the cluster which addons it was given, as
    C(channels get addons) of kops does. It tells which ones the control planes still have to apply.
  - The cluster is asked with a certificate of an administrator that lives for four hours at most and is written to no
    file. If it cannot be reached, this is a warning, and what the store says is returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.cluster.api_server
  - kubeops.kops.attributes.info
requirements:
  - cryptography >= 42 (if the cluster is asked)
options:
  source:
    description: Whether V(both) the state store and the cluster are asked, or the V(store) alone.
    type: str
    choices: [both, store]
    default: both
seealso:
  - module: kubeops.kops.addons
  - module: kubeops.kops.validate_cloud_cluster
"""

EXAMPLES = r"""
- name: Read the addons
  kubeops.kops.addons_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_found

- name: Which ones are not applied yet
  ansible.builtin.debug:
    msg: "{{ kops_found.addons | rejectattr('status', 'eq', 'applied') | map(attribute='name') }}"
"""

RETURN = r"""
addons:
  description: The addons, in the order of the indexes, and then those that only the cluster has.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the addon.
      type: str
      returned: always
      sample: coredns.addons.k8s.io
    id:
      description: Id of its variant, which depends on the version of Kubernetes.
      type: str
      returned: always
      sample: k8s-1.12
    version:
      description: Its version, if the index or the cluster has one. Indexes of today tell variants by their hash.
      type: str
      returned: always
    channel:
      description:
        - V(bootstrap) for an addon of kops, V(channels) for one of a channel in C(spec.addons). Empty if the store does
          not have the addon.
      type: str
      returned: always
    manifest:
      description: Its manifest, by its path beside the index.
      type: str
      returned: always
      sample: coredns.addons.k8s.io/k8s-1.12.yaml
    manifest_hash:
      description: SHA-256 of the manifest.
      type: str
      returned: always
    needs_rolling_update:
      description: Which nodes have to be updated when the addon changes; empty for none.
      type: str
      returned: always
    status:
      description:
        - V(applied) if the cluster was given what the store has, V(pending) if it was given something else before,
          V(missing) if it was given nothing.
        - V(unwanted) if the cluster was given an addon that the store does not have any more.
        - V(unknown) if the cluster was not asked.
      type: str
      returned: always
    applied_id:
      description: Id of what the cluster was given; empty if that is not known.
      type: str
      returned: always
    applied_hash:
      description: SHA-256 of what the cluster was given; empty if that is not known.
      type: str
      returned: always
    applied_channel:
      description: Index from which kops has applied it; empty in clusters of this collection, which record none.
      type: str
      returned: always
text:
  description: The addons as a table.
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
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.addons import (
    AddonsOptions,
    read_addons,
    text_of,
)

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "source": {"type": "str", "choices": ["both", "store"], "default": "both"},
    "api_server": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Read the store, and ask the cluster."""
    options = AddonsOptions(
        module.state_store, module.cluster_name, module.text("source"), api_server=module.text("api_server")
    )
    found = read_addons(options)
    return Outcome(values={"addons": found.found, "text": text_of(found.found)}, warnings=found.warnings)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
