#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: instance groups of machine types that meet requirements."""

from __future__ import annotations

DOCUMENTATION = r"""
module: instance_selector
short_description: Keep instance groups of mixed machine types that meet requirements
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Chooses the EC2 instance types that meet requirements and that all zones of an instance group offer, as C(kops
    toolbox instance-selector) does, and stores an instance group for nodes with a C(mixedInstancesPolicy) of them.
  - The first type by name becomes C(machineType). With O(usage_class=spot), all instances are spot instances, and
    capacity decides which type is taken (C(capacity-optimized)).
  - In check mode nothing is stored, and RV(manifest) and RV(instance_types) show what would be.
  - Run again, a group that is stored gets the types that meet the requirements now. Its sizes, subnets, volumes and
    tags stay, unless their options are given. Its image stays as well.
  - Nothing is created or changed in the cloud. M(kubeops.kops.update_cluster) makes the cloud follow the store.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster.owner
  - kubeops.kops.lease
  - kubeops.kops.progress
  - kubeops.kops.attributes
requirements:
  - boto3
options:
  name:
    description: Name of the instance group. With O(ig_count), what the names begin with; a number follows.
    type: str
    required: true
  vcpus:
    description: How many virtual CPUs a type has.
    type: int
  vcpus_min:
    description: At least so many, instead of O(vcpus).
    type: int
  vcpus_max:
    description: At most so many, instead of O(vcpus).
    type: int
  memory:
    description: How much memory a type has, for example V(4gb) or V(512mb). A number without a unit is in GiB.
    type: str
  memory_min:
    description: At least so much, instead of O(memory).
    type: str
  memory_max:
    description: At most so much, instead of O(memory).
    type: str
  vcpus_to_memory_ratio:
    description: Virtual CPUs to GiB of memory, for example V(1:4).
    type: str
  cpu_architecture:
    description:
      - Architecture of the processor. V(x86_64) is the same as V(amd64).
      - If it is not given, that of O(base_instance_type), else V(amd64).
    type: str
    choices: [amd64, arm64, x86_64]
  gpus:
    description:
      - How many GPUs a type has.
      - If neither this nor O(gpu_memory) is required, only types without GPUs are chosen, because machines with and
        without GPUs cannot be in one group.
    type: int
  gpus_min:
    description: At least so many, instead of O(gpus).
    type: int
  gpus_max:
    description: At most so many, instead of O(gpus).
    type: int
  gpu_memory:
    description: How much memory all GPUs of a type have together, written as O(memory).
    type: str
  gpu_memory_min:
    description: At least so much, instead of O(gpu_memory).
    type: str
  gpu_memory_max:
    description: At most so much, instead of O(gpu_memory).
    type: str
  network_interfaces:
    description: How many network interfaces an instance can have.
    type: int
  network_interfaces_min:
    description: At least so many, instead of O(network_interfaces).
    type: int
  network_interfaces_max:
    description: At most so many, instead of O(network_interfaces).
    type: int
  placement_group_strategy:
    description: Strategy of placement groups in which a type can be.
    type: str
    choices: [cluster, partition, spread]
  usage_class:
    description: How instances are paid for.
    type: str
    choices: [on-demand, spot]
    default: on-demand
  ena_support:
    description: Whether a type has the Elastic Network Adapter. If it is not given, it does not matter.
    type: bool
  burst_support:
    description: Whether the performance of a type can burst. If it is not given, it does not matter.
    type: bool
  allow_list:
    description: Regular expression that is found in the names of types, for example V(^m[5-7]).
    type: str
  deny_list:
    description: Regular expression that is not found in the names of types.
    type: str
  base_instance_type:
    description:
      - A type that others must resemble. Where nothing else is required, they have 90 to 120 percent of its virtual
        CPUs and memory, and as many GPUs.
    type: str
  flexible:
    description:
      - Chooses usual types, where nothing else is required. These are virtual machines of the families C(c), C(m),
        C(r) and C(t) with two GiB of memory for each virtual CPU, and with four virtual CPUs if no memory is required.
    type: bool
    default: false
  max_results:
    description: At most so many types are taken, the first ones by name. A warning says how many are left out.
    type: int
    default: 20
  ig_count:
    description:
      - How many groups. Each one has twice as much memory for a virtual CPU as the one before, starting with
        O(vcpus_to_memory_ratio), or with V(1:2).
    type: int
  subnets:
    description: Names of the subnets that the group is in. A new group is in all subnets for nodes otherwise.
    type: list
    elements: str
    default: []
  node_count_min:
    description: Smallest number of nodes. 1 for a new group.
    type: int
  node_count_max:
    description: Largest number of nodes. 10 for a new group.
    type: int
  node_volume_size:
    description: Size of the root volume in GiB.
    type: int
  node_security_groups:
    description: Ids of further security groups for the nodes.
    type: list
    elements: str
    default: []
  cluster_autoscaler:
    description:
      - Whether the group has the tags by which the cluster autoscaler finds it. A new group has them, if this is not
        given.
    type: bool
seealso:
  - module: kubeops.kops.instancegroup
"""

EXAMPLES = r"""
- name: Spot instances of usual types with four virtual CPUs and 8 GiB
  kubeops.kops.instance_selector:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: spot
    usage_class: spot
    flexible: true

- name: What would be chosen
  kubeops.kops.instance_selector:
    state_store: s3://example-state
    cluster_name: demo.example.com
    name: small
    vcpus_min: 2
    vcpus_max: 4
    memory_min: 2gb
    memory_max: 4gb
  check_mode: true
  register: kops_selection
"""

RETURN = r"""
instance_types:
  description: The machine types that were chosen, by the names of the instance groups.
  returned: success
  type: dict
  sample:
    spot: [c5.xlarge, c5a.xlarge, c6i.xlarge]
text:
  description: The same for a reader, a line for each group.
  returned: success
  type: str
plan:
  description: What was stored, or would be in check mode, in the form of RV(kubeops.kops.instancegroup#module:plan).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
manifest:
  description: All that the store would say of the cluster, as one YAML text.
  returned: in check mode
  type: str
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    IN_CLUSTER,
    LEASE,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import store_options, store_outcome
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.selected_groups import (
    SelectedGroups,
    create_selected_groups,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.type_requirements import (
    ARCHITECTURES,
    NUMBERS,
    PLACEMENT_STRATEGIES,
    QUANTITIES,
    USAGE_CLASSES,
    requirements_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to

ARGUMENTS: dict[str, Any] = {
    **STATE_STORE,
    **IN_CLUSTER,
    **LEASE,
    **PROGRESS,
    "name": {"type": "str", "required": True},
    **{f"{name}{end}": {"type": "int"} for name in NUMBERS for end in ("", "_min", "_max")},
    **{f"{name}{end}": {"type": "str"} for name in QUANTITIES for end in ("", "_min", "_max")},
    "vcpus_to_memory_ratio": {"type": "str"},
    "cpu_architecture": {"type": "str", "choices": sorted(ARCHITECTURES)},
    "placement_group_strategy": {"type": "str", "choices": list(PLACEMENT_STRATEGIES)},
    "usage_class": {"type": "str", "choices": list(USAGE_CLASSES), "default": USAGE_CLASSES[0]},
    "ena_support": {"type": "bool"},
    "burst_support": {"type": "bool"},
    "allow_list": {"type": "str"},
    "deny_list": {"type": "str"},
    "base_instance_type": {"type": "str"},
    "flexible": {"type": "bool", "default": False},
    "max_results": {"type": "int", "default": 20},
    "ig_count": {"type": "int"},
    "subnets": {"type": "list", "elements": "str", "default": []},
    "node_count_min": {"type": "int"},
    "node_count_max": {"type": "int"},
    "node_volume_size": {"type": "int"},
    "node_security_groups": {"type": "list", "elements": "str", "default": []},
    "cluster_autoscaler": {"type": "bool"},
}


def run(module: Call) -> Outcome:
    """Choose the types and store the groups."""
    given = module.parameters
    subnets, security_groups = (
        [each for each in given[name] or [] if each] for name in ("subnets", "node_security_groups")
    )
    groups = SelectedGroups(
        module.text("name"),
        requirements_of(given),
        base_type=module.text("base_instance_type"),
        flexible=bool(given["flexible"]),
        most=given["max_results"],
        count=given["ig_count"],
        subnets=subnets,
        min_size=given["node_count_min"],
        max_size=given["node_count_max"],
        volume_size=given["node_volume_size"],
        security_groups=security_groups,
        autoscaled=given["cluster_autoscaler"],
    )
    with progress_to(given["progress_file"]) as progress:
        options = store_options(module, progress)
        result, found = create_selected_groups(options, module.cluster_name, groups, check=module.check)
    lines = [f"{name}: {', '.join(types)}" for name, types in found.types.items()]
    return store_outcome(module, result, instance_types=found.types, text="\n".join(lines))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
