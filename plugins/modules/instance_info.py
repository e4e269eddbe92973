#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the instances of a cluster."""

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_info
short_description: Read which instances a cluster has
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Asks the cloud for the instances of a cluster and the Kubernetes API for its nodes, as C(kops get instances) does.
    It tells which instances are what their group would start now, and which ones a rolling update would replace.
  - Instances in warm pools are told, and those that a rolling update has detached from their group. Instances that end
    are left out.
  - The API is asked with a certificate of an administrator that lives for four hours at most and is written to no
    file. If it cannot be reached, this is a warning, and the rest is returned.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.clouds.instances
  - kubeops.kops.cluster.owner
  - kubeops.kops.cluster.api_server
  - kubeops.kops.attributes.info
requirements:
  - cryptography >= 42 (if the API is asked)
options:
  source:
    description:
      - Who is asked. V(both) are the cloud and the API, V(cloud) is the cloud alone.
      - V(api) is the Kubernetes API alone. It knows nothing of machines that are no nodes, or of launch templates.
      - Bare metal has no cloud. There V(both) means the same as V(api).
    type: str
    choices: [both, cloud, api]
    default: both
  instance_groups:
    description: Names of instance groups. Others are left out.
    type: list
    elements: str
    default: []
  instance_group_roles:
    description: Roles of instance groups (V(control-plane), V(apiserver), V(node), V(bastion)). Others are left out.
    type: list
    elements: str
    default: []
seealso:
  - module: kubeops.kops.validate_cloud_cluster
  - plugin: kubeops.kops.kops
    plugin_type: inventory
    description: The same instances as hosts of an inventory.
"""

EXAMPLES = r"""
- name: Read the instances
  kubeops.kops.instance_info:
    state_store: s3://example-state
    cluster_name: demo.example.com
  register: kops_found

- name: Which ones a rolling update would replace
  ansible.builtin.debug:
    msg: "{{ kops_found.instances | selectattr('status', 'eq', 'NeedsUpdate') | map(attribute='id') }}"
"""

RETURN = r"""
instances:
  description: The instances, by instance group and id.
  returned: success
  type: list
  elements: dict
  contains:
    cluster:
      description: Name of the cluster.
      type: str
      returned: always
    id:
      description: Id of the instance; empty for a node of bare metal.
      type: str
      returned: always
      sample: i-0123456789abcdef0
    node:
      description: Name of its node; empty if it is none. If the API was not asked, the name that its node would have.
      type: str
      returned: always
    instance_group:
      description: Name of its instance group.
      type: str
      returned: always
    role:
      description: V(control-plane), V(apiserver), V(node) or V(bastion).
      type: str
      returned: always
    status:
      description:
        - V(NeedsUpdate) if its group would start it from another launch template now, or from another version of it, or
          if its node has the annotation C(kops.k8s.io/needs-update). Else V(UpToDate), or V(Detached).
        - V(Detached) is an instance that a rolling update has taken out of its group.
        - With O(source=api), it is empty for nodes without the annotation, because nobody says whether they are old; so
          it is in OpenStack, where no update has said yet what servers are made from.
      type: str
      returned: always
    reasons:
      description: Why it needs an update.
      type: list
      elements: str
      returned: always
    state:
      description: V(WarmPool) for an instance in a warm pool, else empty.
      type: str
      returned: always
    health:
      description:
        - V(healthy) if its node is ready, V(unhealthy) if it is not, V(missing) if there is no node.
        - If the API was not asked, it is V(unknown), or V(unhealthy) if the group says so. Bastions are no nodes; they
          are what their group takes them for.
      type: str
      returned: always
    power:
      description: State of the machine as the cloud calls it, such as V(running) or V(stopped).
      type: str
      returned: always
    zone:
      description: Its zone.
      type: str
      returned: always
    machine_type:
      description: Its machine type.
      type: str
      returned: always
    private_addresses:
      description: Its addresses inside the network, IPv4 first.
      type: list
      elements: str
      returned: always
    public_addresses:
      description: Its addresses that can be reached from outside if security groups allow it, IPv4 first.
      type: list
      elements: str
      returned: always
    launched:
      description: When it was launched.
      type: str
      returned: always
      sample: "2026-05-08T12:00:00+00:00"
    kubelet_version:
      description: Version of its kubelet, if the API was asked.
      type: str
      returned: always
    labels:
      description: Labels of its node, if the API was asked.
      type: dict
      returned: always
    tags:
      description: Its tags in the cloud.
      type: dict
      returned: always
text:
  description: The instances as a table, with the columns of kops and the health.
  returned: success
  type: str
bastion:
  description: Host through which SSH enters; empty if the cluster has no bastions, or the cloud was not asked.
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
from ansible_collections.kubeops.kops.plugins.module_utils.operations.status.instances import (
    InstancesOptions,
    read_instances,
    text_of,
)

ARGUMENTS = {
    **STATE_STORE,
    **IN_CLUSTER,
    "source": {"type": "str", "choices": ["both", "cloud", "api"], "default": "both"},
    "api_server": {"type": "str"},
    "instance_groups": {"type": "list", "elements": "str", "default": []},
    "instance_group_roles": {"type": "list", "elements": "str", "default": []},
}


def run(module: Call) -> Outcome:
    """Ask the cloud and the API."""
    options = InstancesOptions(
        module.state_store,
        module.cluster_name,
        source=module.text("source"),
        api_server=module.text("api_server"),
        instance_groups=module.parameters["instance_groups"] or (),
        roles=module.parameters["instance_group_roles"] or (),
    )
    found = read_instances(options)
    values = {"instances": found.found, "text": text_of(found), "bastion": found.bastion}
    return Outcome(values=values, warnings=found.warnings)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
