#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: a machine becomes what its NodeConfig says."""

from __future__ import annotations

DOCUMENTATION = r"""
module: node_converge
short_description: Make a machine what its NodeConfig says
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Compares the machine that it runs on with a NodeConfig, and changes what differs. Packages, users, kernel settings,
    files, downloads, units, images and static pods are done in one go.
  - Units are restarted only if something that they read has changed.
  - Waits at the end until the machine is healthy. If it does not get so in time, the error says what is not, with the
    last lines of the log that tells why.
  - Keeps a record on the machine of what it installed. What is removed from the NodeConfig is removed from the machine,
    and what was there before is restored.
  - It may be killed at any moment. The next run continues.
  - Files with secrets that runs of earlier versions left in Ansible's temporary directories, when they were killed, are
    removed.
extends_documentation_fragment:
  - kubeops.kops.attributes
options:
  config:
    description: The NodeConfig, which says everything that the machine has to be. Required with O(state=present).
    type: dict
  secrets:
    description:
      - Contents of the files that the NodeConfig refers to rather than holds, in base64, by the name of the reference.
      - They are written to their files only, and never shown.
      - They come by pipelining, whatever Ansible's settings are, so that they are in no file of the connecting user. So
        the connection must be capable of it, as C(ssh) is, and the way to become root, as C(sudo) is and C(su) is not.
    type: dict
    default: {}
  facts:
    description:
      - Values of the markers in the NodeConfig that the machine cannot find by itself, such as C(ZONE).
      - A value that is given counts more than what the machine finds.
    type: dict
    default: {}
  interrupt:
    description:
      - Whether units and static pods that run may be ended or started anew.
      - With V(false), these changes are left to a later run, and RV(deferred) is true. New versions of programs and of
        static pods, removals, and changes of what the programs concerned read when they start are then left to it as
        well. All other changes are made.
      - A machine that has not been finished yet is finished nevertheless.
    type: bool
    default: true
  state:
    description: With V(absent) everything that the module installed is removed from the machine. Packages stay.
    type: str
    choices: [present, absent]
    default: present
  wipe:
    description:
      - With O(state=absent), also take what came about by it, so that the machine is as it was before - pods and their
        mounts, data of the kubelet, of containerd and of etcd, logs, interfaces and rules of networks.
      - What was there before the machine became a node stays, such as another container runtime with its data.
      - The data of etcd and of containers is lost.
    type: bool
    default: false
  cluster:
    description: With O(state=absent), fail on a machine that is a node of another cluster than this one.
    type: str
    default: ""
notes:
  - The module runs on the machine that becomes a node, as root, and needs nothing there but Python.
seealso:
  - module: kubeops.kops.update_cluster
"""

EXAMPLES = r"""
- name: Make the machine a node
  kubeops.kops.node_converge:
    config: "{{ nodeup_config }}"
    secrets: "{{ nodeup_secrets }}"
    facts:
      ZONE: rack-7
  become: true

- name: Remove everything from the machine
  kubeops.kops.node_converge:
    state: absent
  become: true

- name: Make the machine what it was before, without anything that the node has left
  kubeops.kops.node_converge:
    state: absent
    wipe: true
    cluster: demo.example.com
  become: true
"""

RETURN = r"""
hash:
  description: Hash of the NodeConfig, by which outdated nodes are found.
  returned: with state=present
  type: str
changes:
  description: What changed, or would change in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    item:
      description: Kind and name of the item.
      type: str
      returned: always
      sample: file:/etc/crictl.yaml
    before:
      description: What it was; only what differs, and null if there was nothing.
      type: raw
      returned: always
    after:
      description: What it is now, or would be.
      type: raw
      returned: always
deferred:
  description: Whether changes were left to a later run, because something that runs would have been interrupted.
  returned: success
  type: bool
deferred_changes:
  description: These changes, in the form of RV(changes).
  returned: success
  type: list
  elements: dict
brief:
  description: What is wrong in a line, if a program does not work, with its last words.
  returned: failure, if the message ends with a log
  type: str
  sample: "kubelet.service is not healthy after 60 s: it keeps restarting; its last words: unknown flag: --x"
count:
  description: How many items were looked at.
  returned: success
  type: int
"""

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.converge import Options, converge, remove_node

ARGUMENTS = {
    "config": {"type": "dict"},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "facts": {"type": "dict", "default": {}},
    "interrupt": {"type": "bool", "default": True},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
    "wipe": {"type": "bool", "default": False},
    "cluster": {"type": "str", "default": ""},
}
RULES: dict[str, Any] = {"required_if": [("state", "present", ["config"])]}


def run(module: Call) -> Outcome:
    """Make the machine what the state says."""
    given = module.parameters
    options = Options(
        check=module.check, defer=not given["interrupt"], wipe=given["wipe"], remote_tmp=module.remote_tmp
    )
    if given["state"] == "present":
        report = converge(given["config"], given["secrets"], given["facts"], options)
    else:
        report = remove_node(options, module.text("cluster"))
    hash_of = {"hash": report.hash} if report.hash else {}
    more = {"deferred": report.deferred, "deferred_changes": report.deferred_changes()}
    return report.outcome(**more, count=len(report.steps), **hash_of)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
