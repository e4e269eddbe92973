#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: secrets in the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: secret
short_description: Keep secrets of a cluster in the state store
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Stores a secret that a cluster needs, or removes it. Its value is neither logged nor returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.lease
  - kubeops.kops.attributes
options:
  name:
    description:
      - V(dockerconfig) gives nodes access to private image registries; it is a JSON object as C(docker login) writes
        it.
      - V(openstack-application-credential) is the id and the secret by which control planes in OpenStack use it, as
        JSON, where the login that updates the cluster cannot make one.
      - V(encryptionconfig) says how the API server encrypts what it stores; it is a YAML mapping of kind
        EncryptionConfiguration.
      - V(ciliumpassword) has the keys with which Cilium encrypts traffic between nodes; it is a YAML mapping.
    type: str
    required: true
    choices: [ciliumpassword, dockerconfig, encryptionconfig, openstack-application-credential]
  state:
    description: Whether the secret is in the store.
    type: str
    choices: [present, absent]
    default: present
  value:
    description: The secret. Either this or O(src) is needed with O(state=present).
    type: str
  src:
    description: File with the secret, read where the module runs.
    type: path
  update:
    description:
      - V(always) replaces a secret that has another value.
      - V(on_create) leaves a secret that exists as it is.
    type: str
    choices: [always, on_create]
    default: always
"""

EXAMPLES = r"""
- name: Give nodes access to a private registry
  kubeops.kops.secret:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: dockerconfig
    value: "{{ registry_credentials | ansible.builtin.to_json }}"

- name: Remove it
  kubeops.kops.secret:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: dockerconfig
    state: absent
"""

RETURN = r"""
names:
  description: Names of all secrets of the cluster.
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
    file_or_text,
    names_outcome,
    store_options,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.secrets import remove_secret, store_secret

_KINDS = ("ciliumpassword", "dockerconfig", "encryptionconfig", "openstack-application-credential")
ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    **LEASE,
    **PRESENT_OR_ABSENT,
    "name": {"type": "str", "required": True, "choices": [*_KINDS]},
    "value": {"type": "str", "no_log": True},
    "src": {"type": "path"},
    "update": {"type": "str", "choices": ["always", "on_create"], "default": "always"},
}


def run(module: Call) -> Outcome:
    """Make the secret what the state says."""
    options, name = store_options(module), module.text("name")
    if module.text("state") == "absent":
        return names_outcome("names", "secrets", remove_secret(options, module.cluster_name, name, check=module.check))
    if module.text("value") and module.text("src"):
        raise KopsError("give either value or src")
    value = file_or_text(module, "value", "src")
    if not value:
        given = "value or src (kops_secret_value or kops_secret_file in a playbook)"
        raise KopsError(f"a secret needs its value; set {given}")
    replace = module.text("update") == "always"
    result = store_secret(options, module.cluster_name, name, value.encode(), replace=replace, check=module.check)
    return names_outcome("names", "secrets", result)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
