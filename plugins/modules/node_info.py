#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: what a machine says of itself."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_info
short_description: Ask a machine what its certificates and its NodeConfig depend on
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Reports the facts of a machine that the texts of a NodeConfig may name, and the certificates that it has, so that
    only those are issued that are missing or about to end.
  - Reports the hash of the NodeConfig that the machine was last made equal to, so that outdated machines are found.
extends_documentation_fragment:
  - kubeops.kops.attributes.info
options:
  certificates:
    description: Where the certificates are, as a NodeConfig lists them. Those that the machine knows of if not given.
    type: list
    elements: dict
    default: []
notes:
  - The module runs on the machine, as root, and needs nothing there but Python.
seealso:
  - module: kubeops.kops.node_converge
"""

EXAMPLES = r"""
- name: Ask the machine for its facts and certificates
  kubeops.kops.node_info:
  become: true
  register: kops_node
"""

RETURN = r"""
facts:
  description: Values by name, as found by the machine or given to it the last time.
  returned: success
  type: dict
  sample: {"NODE_NAME": "node-1", "INTERNAL_IP": "10.0.0.7"}
certificates:
  description: The certificates that are there together with their keys, as PEM, by name.
  returned: success
  type: dict
kubeconfigs:
  description: The kubeconfigs that the machine knows of, by the names of their certificates.
  returned: success
  type: dict
  contains:
    server:
      description: URL of the API server. Empty if there is none.
      type: str
      returned: always
    authorities:
      description: CAs by which the API server is known, as PEM. Empty if there are none.
      type: str
      returned: always
authorities:
  description:
    - What the machine trusts, by keyset. These are the contents of its files with trusted certificates or public
      keys, as PEM.
  returned: success
  type: dict
tokenKeys:
  description: Ids of the keys that have signed the tokens of the machine's pods, as in the header of the tokens.
  returned: success
  type: list
  elements: str
hash:
  description: Hash of the NodeConfig that the machine was last made equal to. Empty if a run was not finished.
  returned: success
  type: str
cluster:
  description: Name of the cluster that the machine is a node of. Empty if it is none.
  returned: success
  type: str
instanceGroup:
  description: Name of its instance group. Empty if it is in none.
  returned: success
  type: str
apiServerVersion:
  description: Version of the API server that the machine runs. Empty if it runs none, or if its image has no tag.
  returned: success
  type: str
  sample: 1.34.2
ready:
  description: What speaks for and against a machine that is to become a node.
  returned: success
  type: dict
  contains:
    memoryMiB:
      description: Memory in total.
      type: int
      returned: always
    swap:
      description: Devices that are swapped to.
      type: list
      elements: str
      returned: always
    ports:
      description: TCP ports that a process listens on.
      type: list
      elements: int
      returned: always
    time:
      description: The machine's time, in seconds since the epoch.
      type: float
      returned: always
    clockSkew:
      description:
        - By how many seconds the machine's clock is ahead of the controller's, at least; less than 0 if it is behind.
      type: float
      returned: always
    python:
      description: Version of Python.
      type: str
      returned: always
    cgroups:
      description: Version of control groups.
      type: int
      returned: always
    missingModules:
      description:
        - Kernel modules that some network of pods needs and that the machine's kernel does not have.
          Empty if the machine has no list of its kernel's modules.
      type: list
      elements: str
      returned: always
    firewalld:
      description: Whether firewalld runs and does not accept everything.
      type: bool
    missingFilesystems:
      description: Filesystems that some network of pods mounts and that the machine's kernel does not know.
      type: list
      elements: str
      returned: always
    leftovers:
      description:
        - What other tools have left that make nodes, such as kubeadm, and files that the kubelet or the container
          runtime would load. On a node of a cluster these are the cluster's own files.
      type: list
      elements: dict
      returned: always
      contains:
        tool:
          description: The tool; empty for files of unknown origin.
          type: str
          returned: always
        paths:
          description: The files and directories.
          type: list
          elements: str
          returned: always
        effect:
          description: What files of unknown origin would do; else empty.
          type: str
          returned: always
        removal:
          description: What removes them.
          type: str
          returned: always
etcd:
  description: The members of etcd that the machine runs, or has the data of.
  returned: success
  type: list
  elements: dict
  contains:
    etcd:
      description: The etcd cluster.
      type: str
      returned: always
      sample: main
    cluster:
      description: The Kubernetes cluster.
      type: str
      returned: always
      sample: demo.example.com
    member:
      description: Name of the member.
      type: str
      returned: always
      sample: a
    data:
      description: Whether the member has data. If it has, it has joined its cluster already.
      type: bool
      returned: always
    manifest:
      description: Whether the machine runs it.
      type: bool
      returned: always
    initial_cluster:
      description: Names and addresses of the members that its manifest was written with.
      type: str
      returned: always
      sample: a=https://10.0.0.7:2380
    initial_state:
      description: Whether its manifest was written for a C(new) cluster or for an C(existing) one.
      type: str
      returned: always
      sample: new
    peer_urls:
      description: Where it is for the other members.
      type: list
      elements: str
      returned: always
    restoring:
      description: Whether a restore was broken off that has to be finished first.
      type: bool
      returned: always
distribution:
  description: The distribution, as conditions of a NodeConfig name it.
  returned: success
  type: str
  sample: debian-12
family:
  description: The family of the distribution.
  returned: success
  type: str
  sample: debian
architecture:
  description: The architecture, as Kubernetes calls it.
  returned: success
  type: str
  sample: amd64
kernel:
  description: The release of the running kernel.
  returned: success
  type: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.observe import observe
from ansible_collections.kubeops.kops.plugins.module_utils.node.system.machine import find_machine

ARGUMENTS = {"certificates": {"type": "list", "elements": "dict", "default": []}}


def run(module: Call) -> Outcome:
    """Look at the machine."""
    return Outcome(values=observe(find_machine(), module.parameters["certificates"]))


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
