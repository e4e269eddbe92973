#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: key pairs in the state store."""

from __future__ import annotations

DOCUMENTATION = r"""
module: keypair
short_description: Add, promote, distrust and trust key pairs of a cluster
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - A keyset holds the key pairs of one CA, or of the signer of service account tokens. One of them is primary and
    signs; all that are not distrusted are trusted.
  - A rotation adds a key pair, promotes it, and distrusts the old one. After each step the cluster is updated, and its
    nodes are replaced, before the next step. On bare metal, C(kubeops.kops.rolling_update) changes the hosts and
    restarts the pods.
  - On bare metal, a step that would cut off hosts or pods is refused.
  - Private keys are neither logged nor returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster.owner
  - kubeops.kops.lease
  - kubeops.kops.attributes
requirements:
  - cryptography >= 42
options:
  keyset:
    description:
      - Name of a keyset, such as V(kubernetes-ca), V(service-account) or V(etcd-clients-ca).
      - V(all) means every keyset that can be rotated.
    type: str
    required: true
  state:
    description:
      - V(present) makes sure that the key pair O(certificate), O(private_key) is in the keyset; or, if neither is
        given, that a key pair newer than the primary one is there to be promoted.
      - V(promoted) makes the newest key pair primary, or the one of O(ids).
      - V(distrusted) distrusts all key pairs older than the primary one, or those of O(ids).
      - V(trusted) trusts the key pairs of O(ids) again.
    type: str
    choices: [present, promoted, distrusted, trusted]
    default: present
  ids:
    description: Ids of key pairs in the keyset.
    type: list
    elements: str
  certificate:
    description:
      - Certificate of a CA to add, as PEM text.
      - Without a private key it is only trusted.
    type: str
  private_key:
    description:
      - Private key that belongs to O(certificate), as PEM text. Without a certificate, one is made for it.
    type: str
  primary:
    description:
      - Make the key pair that O(state=present) adds primary at once. The first key pair of a keyset has to be.
    type: bool
    default: false
  hosts:
    description:
      - The hosts of a bare metal cluster, as M(kubeops.kops.node_info) has observed them. Before another key pair signs
        or one is distrusted, it is checked that this cuts off none of them.
      - If it is not given, the hosts of the inventory are used that have the variable C(kops_observed).
    type: dict
  pods:
    description:
      - The result of M(kubeops.kops.pod_trust) on a control plane of a bare metal cluster, which is checked in the same
        way.
    type: dict
  unchecked:
    description:
      - Do the step although it cuts off hosts or pods, or although this is not known.
      - For a cluster on bare metal that has no hosts yet, or whose CA must be distrusted at once. Then
        C(kubeops.kops.hosts) with C(kops_interrupt) brings the hosts back.
    type: bool
    default: false
"""

EXAMPLES = r"""
- name: Begin to rotate all keys
  kubeops.kops.keypair:
    state_store: s3://example-state
    cluster_name: demo.example.com
    keyset: all

- name: Sign with the new keys, once all nodes trust them
  kubeops.kops.keypair:
    state_store: s3://example-state
    cluster_name: demo.example.com
    keyset: all
    state: promoted

- name: Distrust the old keys, once nothing uses them any more
  kubeops.kops.keypair:
    state_store: s3://example-state
    cluster_name: demo.example.com
    keyset: all
    state: distrusted

- name: Use the company's CA from the start
  kubeops.kops.keypair:
    state_store: s3://example-state
    cluster_name: demo.example.com
    keyset: kubernetes-ca
    certificate: "{{ lookup('ansible.builtin.file', 'ca.crt') }}"
    private_key: "{{ vault_ca_key }}"
    primary: true
"""

RETURN = r"""
actions:
  description: What was done, or would be in check mode.
  returned: success
  type: list
  elements: str
  sample: ["kubernetes-ca: created 7203685477580800000000000000"]
needs_nodes:
  description: >-
    Whether the step changes what the nodes of a bare metal cluster depend on, so that O(hosts) and O(pods) are needed.
  returned: success
  type: bool
keypairs:
  description: The key pairs of the keysets, the oldest first.
  returned: success
  type: list
  elements: dict
  contains:
    keyset:
      description: Name of the keyset.
      type: str
      returned: always
    id:
      description: Id of the key pair.
      type: str
      returned: always
    primary:
      description: Whether it signs.
      type: bool
      returned: always
    distrusted:
      description: Since when it is distrusted; null while it is trusted.
      type: str
      returned: always
    has_private_key:
      description: Whether its private key is in the store.
      type: bool
      returned: always
    subject:
      description: Whom the certificate is for.
      type: str
      returned: with a certificate
    issuer:
      description: The subject of the certificate that signed it.
      type: str
      returned: with a certificate
    is_ca:
      description: Whether it may sign certificates.
      type: bool
      returned: with a certificate
    alternate_names:
      description: Further names and addresses in it.
      type: list
      elements: str
      returned: with a certificate
    not_before:
      description: When it begins to be valid.
      type: str
      returned: with a certificate
    not_after:
      description: When it ends to be valid.
      type: str
      returned: with a certificate
    key_length:
      description: Bits of an RSA key.
      type: int
      returned: with a certificate
    certificate:
      description: The certificate as PEM text.
      type: str
      returned: with a certificate
"""


from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    LEASE,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import store_options, yaml_differences
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.store.keypairs import (
    STATES,
    KeypairOptions,
    Nodes,
    change_keypairs,
)

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    **LEASE,
    "keyset": {"type": "str", "required": True, "no_log": False},
    "state": {"type": "str", "choices": list(STATES), "default": "present"},
    "ids": {"type": "list", "elements": "str"},
    "certificate": {"type": "str"},
    "private_key": {"type": "str", "no_log": True},
    "primary": {"type": "bool", "default": False},
    "hosts": {"type": "dict"},
    "pods": {"type": "dict"},
    "unchecked": {"type": "bool", "default": False},
}


def run(module: Call) -> Outcome:
    """Make the keysets what the state says."""
    wanted = KeypairOptions(
        keyset=module.text("keyset"),
        state=module.text("state"),
        ids=[item_id for item_id in module.parameters["ids"] or [] if item_id],
        certificate=module.text("certificate"),
        private_key=module.text("private_key"),
        primary=bool(module.parameters["primary"]),
    )
    given = module.parameters
    nodes = Nodes(given["hosts"] or {}, given["pods"] or {}, unchecked=bool(given["unchecked"]))
    result = change_keypairs(store_options(module), module.cluster_name, wanted, nodes=nodes, check=module.check)
    before, after = (
        [{key: value for key, value in each.items() if key != "certificate"} for each in keypairs]
        for keypairs in (result.before, result.keypairs)
    )
    values = {"actions": result.actions, "keypairs": result.keypairs, "needs_nodes": result.needs_nodes}
    return Outcome(result.changed, values, yaml_differences("keypairs", before, after))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
