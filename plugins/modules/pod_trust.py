#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: pods that know the keys which a cluster had before."""

from __future__ import annotations

DOCUMENTATION = r"""
module: pod_trust
short_description: Find and restart the pods that know the keys which a cluster had before
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - A pod gets the CAs of the API server and a token when it starts, and most programs read the CAs only then. So after
    each step of a key rotation, the pods that started before must be restarted, or they lose the API server after the
    next step.
  - Records in a ConfigMap which keys the control plane uses, and since when. Pods that were created before are
    outdated.
  - Restarts outdated pods node by node, by evictions, so PodDisruptionBudgets are kept. It waits until the pods of a
    node are replaced before it continues with the next node.
  - Pods that no controller would create again are not restarted.
extends_documentation_fragment:
  - kubeops.kops.attributes
  - kubeops.kops.kubernetes
options:
  keys:
    description:
      - Hash of the keys that the whole control plane uses now, as M(kubeops.kops.node_configs) returns it. It is
        recorded if it differs from what was recorded before.
      - Without it, nothing is recorded.
    type: str
  authorities:
    description:
      - CAs of the API server, as PEM. Before O(keys) are recorded, the module waits until the controller manager has
        given these CAs to the pods of all namespaces.
      - Required with O(keys).
    type: str
  wait:
    description: Seconds to wait for the controller manager.
    type: int
    default: 120
  restart:
    description: Whether to restart outdated pods.
    type: bool
    default: false
  timeout:
    description: Seconds until the pods of one node must be replaced. With V(0) there is no limit.
    type: int
    default: 900
seealso:
  - module: kubeops.kops.keypair
"""

EXAMPLES = r"""
- name: Restart the pods that started before the last step of a key rotation
  kubeops.kops.pod_trust:
    restart: true
  become: true
"""

RETURN = r"""
recorded:
  description: Hash of the keys that is recorded now. Empty if none is.
  returned: success
  type: str
outdated:
  description: Pods that are outdated now.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Namespace and name of the pod.
      type: str
      returned: always
      sample: kube-system/coredns-6d4b75cb6d-abcde
    node:
      description: Name of its node.
      type: str
      returned: always
nodes:
  description: Names of all nodes that the API server knows.
  returned: success
  type: list
  elements: str
token_keys:
  description:
    - The keys that have signed the tokens in Secrets, as in the header of the tokens, by namespace and name of the
      Secret.
  returned: success
  type: dict
changes:
  description: What changed, or would change in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: The record, or a pod that was restarted.
      type: str
      returned: always
    before:
      description: What was recorded; of a pod, its node.
      type: raw
      returned: always
    after:
      description: What is recorded; of a pod, nothing.
      type: raw
      returned: always
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.kubernetes import KUBERNETES, client_of
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.report import Report
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.keys import trust
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.eviction import title

ARGUMENTS = {
    **KUBERNETES,
    "keys": {"type": "str", "no_log": False},
    "authorities": {"type": "str"},
    "wait": {"type": "int", "default": 120},
    "restart": {"type": "bool", "default": False},
    "timeout": {"type": "int", "default": 900},
}


def run(module: Call) -> Outcome:
    """Record, restart, and return what is left."""
    given, client = module.parameters, client_of(module)
    report = Report()
    if module.text("keys"):
        step, keys = trust.record(client, module.text("keys"), module.text("authorities"), wait=given["wait"])
        report.steps.append(step)
    else:
        keys = trust.recorded(client)
    if given["restart"]:
        report.steps += trust.restart_outdated(client, keys, trust.RestartOptions(given["timeout"])).steps
    return report.outcome(
        recorded=keys.keys,
        outdated=[{"name": title(pod), "node": pod["spec"]["nodeName"]} for pod in trust.outdated(client, keys)],
        nodes=trust.node_names(client),
        token_keys=trust.token_keys(client),
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, required_by={"keys": ["authorities"]}).run(run)


if __name__ == "__main__":
    main()
