#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: whether a running cluster in a cloud is as it should be."""

from __future__ import annotations

DOCUMENTATION = r"""
module: validate_cloud_cluster
short_description: Tell whether a running cluster in a cloud is as it should be
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Asks the cloud for the instances of a cluster and the Kubernetes API for its nodes and pods, and returns all that is
    not as it should be, as C(kops validate cluster) does. It runs where the state store can be reached.
  - Every instance group has as many instances as the cloud is told to keep, and all of them are nodes that are ready.
    A machine that is none is shown with its age and, if it is older than two minutes, with the last line that the node
    program printed to its console. Consoles of five machines are asked for at each look.
  - Control planes have their static pods, and pods of the priorities C(system-cluster-critical) and
    C(system-node-critical) run. Each addon has all its pods.
  - If the API cannot be reached, the failure names the hop, which is DNS, the load balancer, the security group, the
    connection, TLS or the API server itself, and says what to do. The load balancer is tried, or the name of the API,
    and then each control plane.
  - The API is asked with a certificate of an administrator that lives for four hours and is written to no file.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster
  - kubeops.kops.cluster.api_server
  - kubeops.kops.progress
  - kubeops.kops.api_server
  - kubeops.kops.attributes.info
requirements:
  - cryptography >= 42
options:
  max_unready_nodes:
    description: This many workers may be missing or not ready. Their pods do not count then.
    type: int
    default: 0
  instance_groups:
    description: Names of instance groups. Failures of other groups do not count then.
    type: list
    elements: str
    default: []
  only_api:
    description: Only find out whether the API can be reached and is ready. Nothing else is looked at.
    type: bool
    default: false
    version_added: 0.1.0
  wait:
    description: How many seconds to go on until nothing fails any more.
    type: int
    default: 0
  interval:
    description: Pause between two looks, in seconds.
    type: int
    default: 10
  count:
    description: How many looks in a row must find nothing.
    type: int
    default: 1
notes:
  - While the module waits, what is still missing is shown whenever it changes.
  - Each look at AWS makes two calls, and one more for each console; where the API is behind a load balancer, two more,
    and again two if nothing passes it.
seealso:
  - module: kubeops.kops.validate_cluster
    description: The same for bare metal, on a control plane.
"""

EXAMPLES = r"""
- name: Wait until the cluster is as it should be
  kubeops.kops.validate_cloud_cluster:
    state_store: s3://example-state
    name: demo.example.com
    wait: 900
"""

RETURN = r"""
failures:
  description: All that is not as it should be; empty if the module succeeds.
  returned: always
  type: list
  elements: dict
  contains:
    kind:
      description: >-
        What it is about, such as V(InstanceGroup), V(Machine), V(Node), V(Pod), V(Addon), V(Controller), V(DNS),
        V(LoadBalancer), V(SecurityGroup), V(TCP), V(TLS), V(APIServer) or V(Certificate).
      type: str
      returned: always
    name:
      description: Name of the object.
      type: str
      returned: always
    message:
      description: What is not as it should be, in words that follow its kind and name.
      type: str
      returned: always
    instance_group:
      description: The instance group that it is of; empty if of none.
      type: str
      returned: always
# From plugins/doc_fragments/validation.py, by script/module-docs:
nodes:
  description: The nodes that there are.
  returned: always
  type: list
  elements: dict
  contains:
    name:
      description: Name of the node.
      type: str
      returned: always
    role:
      description: Role of its instance group.
      type: str
      returned: always
    instance_group:
      description: Its instance group; empty if it is of none.
      type: str
      returned: always
    ready:
      description: V(True), V(False) or V(Unknown).
      type: str
      returned: always
    cordoned_for_update:
      description:
        - When a rolling update that has not finished with the node has cordoned it. Empty for all other nodes, also for
          those that an administrator has cordoned.
      type: str
      returned: always
      sample: "2026-05-08T12:00:00Z"
    needs_update:
      description:
        - Whether the node has the annotation C(kops.k8s.io/needs-update), because an addon has changed that needs it,
          or because a user has set it. A rolling update drains the node, and removes the annotation.
      type: bool
      returned: always
    old_pods:
      description:
        - Its pods of addons that are as they were before their DaemonSet changed. Their DaemonSet does not replace them
          by itself (C(OnDelete)); a rolling update of the node does.
      type: list
      elements: str
      returned: always
      sample: [kube-system/cilium-x7k2p]
    version:
      description: Version of its kubelet.
      type: str
      returned: always
text:
  description: Everything as tables, for people.
  returned: always
  type: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Validation
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.run import Timing, check_until, text_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.validation import (
    CloudExpectation,
    CloudValidator,
    lines_of,
)

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    "api_server": {"type": "str"},
    "max_unready_nodes": {"type": "int", "default": 0},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "only_api": {"type": "bool", "default": False},
    "wait": {"type": "int", "default": 0},
    "interval": {"type": "int", "default": 10},
    "count": {"type": "int", "default": 1},
}


def run(module: Call) -> Outcome:
    """Look until the cluster is as it should be, or the time is over."""
    given = module.parameters
    expected = CloudExpectation(
        module.state_store,
        module.cluster_name,
        max_unready_nodes=given["max_unready_nodes"],
        only=given["instance_groups"],
        api_server=module.text("api_server"),
    )
    validator = CloudValidator.open(expected)
    with progress_to(given["progress_file"]) as progress:
        told: list[str] = []

        def look() -> Validation:
            found = validator.look_at_api() if given["only_api"] else validator.look()
            lines = lines_of(found)
            if given["wait"] and lines and lines != told:
                told[:] = lines
                for line in lines:
                    progress(line)
            return found

        found = check_until(look, Timing(given["wait"], given["interval"], given["count"]))
    failures = [failure.as_dict() for failure in found.failures]
    return Outcome(
        values={
            "failures": failures,
            "nodes": found.nodes,
            "text": text_of(found, validator.groups_as_they_are, expected.name),
        },
        warnings=found.warnings,
        failure="\n".join([f"cluster {expected.name} is not as it should be:", *lines_of(found)]) if failures else "",
    )


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
