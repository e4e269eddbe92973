#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what of a cluster is not as its specification says."""

from __future__ import annotations

DOCUMENTATION = r"""
module: drift_info
short_description: Read what of a cluster differs from its specification
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Compares the specification of a cluster with its state store, with its cloud, and with what runs in it. Nothing is
    written, so that a schedule may run it; it does the same in check mode.
  - The state store is compared with what an update would write, and with the age that backups of etcd and certificates
    may have.
  - On bare metal, the hosts of an inventory tell what an update would change on them, if they were asked before.
  - The cloud is compared with the plan of an update. Also found are objects that have the tags of the cluster and are
    not in its specification, unknown rules in its security groups, and instances that a rolling update would replace.
  - In the cluster, objects of addons are compared with what the state store says of them, and nodes with the version
    that they should have. The API server is asked with a certificate of an administrator that lives for four hours at
    most and is written to no file, and it is asked to store nothing (C(dryRun=All)).
  - If the API cannot be reached, this is told as not looked at; the rest is returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster.owner
  - kubeops.kops.cluster.api_server
  - kubeops.kops.attributes.info
requirements:
  - cryptography >= 42
options:
  parts:
    description:
      - What is looked at.
      - With V(stack), CloudFormation compares the cluster's stack with its template, which takes some minutes.
    type: list
    elements: str
    choices: [store, cloud, hosts, cluster, stack]
    default: [store, cloud, hosts, cluster]
  lifecycle_overrides:
    description: As updates get them, since they would do something else with others.
    type: list
    elements: str
    default: []
  addon_checksums:
    description: As updates get them.
    type: dict
    default: {}
  certificate_days:
    description: For how many days certificates in the state store must still be valid.
    type: int
    default: 30
  hosts:
    description:
      - On bare metal, what is known of the hosts, by name. Without it they are not looked at.
      - C(changes) and C(deferred_changes) are those of M(kubeops.kops.node_converge) in check mode. C(problem) says why
        there are none. C(node) is V(false) for a host that has to become a node first, and C(rolled) for one that
        rolling updates leave alone.
      - In a playbook they are by default put together from the variables C(kops_plan) of C(localhost), which is the
        result of M(kubeops.kops.node_configs) with C(compare), and C(kops_compared) of each host, which is the result
        of M(kubeops.kops.node_converge).
    type: dict
  hosts_problem:
    description: Why none of the hosts could be compared. By default as O(hosts).
    type: str
seealso:
  - module: kubeops.kops.update_cluster
  - module: kubeops.kops.rolling_update
  - module: kubeops.kops.node_configs
  - module: kubeops.kops.validate_cloud_cluster
"""

EXAMPLES = r"""
- name: Look for drift
  kubeops.kops.drift_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_drift

- name: Tell it
  ansible.builtin.debug:
    msg: "{{ kops_drift.report }}"
  when: kops_drift.drifted or not kops_drift.complete
"""

RETURN = r"""
drifted:
  description: Whether anything is not as it should be.
  returned: success
  type: bool
complete:
  description: >-
    Whether all was looked at that could have been; V(false) if the API of the cluster or a host could not be reached.
  returned: success
  type: bool
drift:
  description: What is not as it should be.
  returned: success
  type: list
  elements: dict
  contains:
    kind:
      description: Kind of the object, as plans and Kubernetes call it.
      type: str
      returned: always
    name:
      description: Name of the object.
      type: str
      returned: always
    where:
      description: V(store), V(cloud), V(hosts) or V(cluster).
      type: str
      returned: always
    what:
      description: V(missing), V(different) or V(unwanted).
      type: str
      returned: always
    change:
      description: The fields that differ, in C(before) as they are, in C(after) as they should be. Secrets are masked.
      type: dict
      returned: always
    reason:
      description: Why, where that is not obvious.
      type: str
      returned: always
    mend:
      description: What makes it as it should be, a playbook or a sentence.
      type: str
      returned: always
    host:
      description: The host of the inventory that it is about; else empty.
      type: str
      returned: always
not_looked_at:
  description: What was not looked at.
  returned: success
  type: list
  elements: dict
  contains:
    what:
      description: What it is.
      type: str
      returned: always
    why:
      description: Why.
      type: str
      returned: always
    failed:
      description: Whether it should have been possible.
      type: bool
      returned: always
text:
  description: All of it for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
report:
  description: How much was found, what was not looked at, and what comes next, in a few lines.
  returned: success
  type: list
  elements: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.hosts import Compared
from ansible_collections.kubeops.kops.plugins.module_utils.operations.drift.look import DriftOptions, look_for_drift

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "parts": {
        "type": "list",
        "elements": "str",
        "choices": ["store", "cloud", "hosts", "cluster", "stack"],
        "default": ["store", "cloud", "hosts", "cluster"],
    },
    "api_server": {"type": "str"},
    "lifecycle_overrides": {"type": "list", "elements": "str", "default": []},
    "addon_checksums": {"type": "dict", "default": {}},
    "certificate_days": {"type": "int", "default": 30},
    "hosts": {"type": "dict"},
    "hosts_problem": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Compare everything."""
    hosts, problem = module.parameters["hosts"], module.text("hosts_problem")
    options = DriftOptions(
        module.state_store,
        module.cluster_name,
        parts=module.parameters["parts"],
        api_server=module.text("api_server"),
        lifecycle_overrides=module.parameters["lifecycle_overrides"],
        addon_checksums=module.parameters["addon_checksums"],
        certificate_days=module.parameters["certificate_days"],
        hosts=Compared(hosts or {}, problem) if hosts is not None or problem else None,
    )
    found = look_for_drift(options)
    values = {
        "drifted": bool(found.found),
        "complete": found.is_complete,
        "drift": [each.as_dict() for each in found.found],
        "not_looked_at": [vars(each) for each in found.unseen],
        "text": found.text(),
        "report": found.report(),
    }
    return Outcome(values=values, warnings=found.warnings)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
