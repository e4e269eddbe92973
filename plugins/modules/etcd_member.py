#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: members of an etcd cluster come and go."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_member
short_description: Add members to an etcd cluster, replace dead ones, remove them
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Runs on a host that has a member of the etcd cluster, and makes another host's member one of the cluster.
  - The new member has no vote until it has all data, so that a host which never starts does no harm. The host gives it
    its vote itself, when M(kubeops.kops.node_converge) starts it there with the values that this module returns.
  - A dead member of the same name is removed first. The module refuses where fewer members than a majority would be
    left, or where the old member is alive.
extends_documentation_fragment:
  - kubeops.kops.attributes
options:
  etcd:
    description: The etcd cluster.
    type: str
    default: main
  name:
    description: Name of the member. Required with O(state=present).
    type: str
  peer_urls:
    description: Addresses of the member for the other members. Required with O(state=present).
    type: list
    elements: str
  fresh:
    description:
      - Whether the member's host has no data of it. A member that had the same name and address before can then never
        come back, and is replaced.
    type: bool
    default: false
  awaited_peer_urls:
    description:
      - Addresses of the members that other hosts are about to start, because the same run makes them nodes.
      - Another member keeps this one out if it was added, but was never started because its host failed before. It is
        removed when it is none of these and nothing listens there for 20 seconds, or when it is one of these, but its
        host has not answered at all for 60 seconds. It has no data, and its host is added anew when it comes.
      - Without this option, no such member is removed.
    type: list
    elements: str
  only_unstarted:
    description: With O(state=absent), leave the member alone if it has ever started.
    type: bool
    default: false
  wait:
    description:
      - Seconds to wait for another member that is being taken in, as etcd takes in one at a time.
    type: float
    default: 900
  state:
    description:
      - V(present) makes it a member.
      - V(absent) removes the member of this name, or with one of these addresses.
    type: str
    choices: [present, absent]
    default: present
notes:
  - The module runs on the host, as root, and needs nothing there but Python.
seealso:
  - module: kubeops.kops.node_converge
"""

EXAMPLES = r"""
- name: Take in the member of a new control plane host
  kubeops.kops.etcd_member:
    etcd: main
    name: b
    peer_urls: ["https://10.0.0.8:2380"]
    fresh: true
  become: true
  delegate_to: control-plane-1
  register: kops_joined

- name: Remove a member whose host is gone
  kubeops.kops.etcd_member:
    etcd: events
    name: c
    state: absent
  become: true
"""

RETURN = r"""
members:
  description: The members of the cluster, or what they would be in check mode.
  returned: success
  type: list
  elements: dict
  contains:
    id:
      description: Its number, in hexadecimal. Empty before it is a member.
      type: str
      returned: always
    name:
      description: Its name.
      type: str
      returned: always
    peer_urls:
      description: Where it is for the other members.
      type: list
      elements: str
      returned: always
    client_urls:
      description: Where it is for clients. Empty until it has started.
      type: list
      elements: str
      returned: always
    learner:
      description: Whether it has no vote yet.
      type: bool
      returned: always
initial_cluster:
  description: Names and addresses of the members, which the new member has to be started with.
  returned: success
  type: str
  sample: a=https://10.0.0.7:2380,b=https://10.0.0.8:2380
facts:
  description: What the new member has to be started with, as O(kubeops.kops.node_converge#module:facts) of its host.
  returned: with state=present
  type: dict
  sample:
    ETCD_MAIN_INITIAL_CLUSTER: a=https://10.0.0.7:2380,b=https://10.0.0.8:2380
    ETCD_MAIN_INITIAL_STATE: existing
"""

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Difference, Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import the_member
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.membership import MemberList, Membership, NewMember

ARGUMENTS = {
    "etcd": {"type": "str", "default": "main"},
    "name": {"type": "str"},
    "peer_urls": {"type": "list", "elements": "str"},
    "fresh": {"type": "bool", "default": False},
    "awaited_peer_urls": {"type": "list", "elements": "str"},
    "only_unstarted": {"type": "bool", "default": False},
    "wait": {"type": "float", "default": 900},
    "state": {"type": "str", "choices": ["present", "absent"], "default": "present"},
}
RULES: dict[str, Any] = {
    "required_if": [("state", "present", ["name", "peer_urls"]), ("state", "absent", ["name", "peer_urls"], True)],
}


def change(module: Call) -> Membership:
    """Make the list of members what the state says."""
    given = module.parameters
    member_list = MemberList(the_member(given["etcd"]).client())
    if given["state"] == "absent":
        urls, unstarted = given["peer_urls"] or (), given["only_unstarted"]
        return member_list.remove(module.text("name"), urls, unstarted=unstarted, check=module.check)
    new_member = NewMember(given["name"], tuple(given["peer_urls"]), given["fresh"])
    return member_list.ensure(new_member, wait=given["wait"], awaited=given["awaited_peer_urls"], check=module.check)


def outcome(etcd: str, done: Membership, *, present: bool) -> Outcome:
    """What the module returns. present: a member was wanted, so what it starts with belongs to it."""
    prefix = f"ETCD_{etcd.upper()}"
    facts = {f"{prefix}_INITIAL_CLUSTER": done.initial_cluster(), f"{prefix}_INITIAL_STATE": "existing"}
    lists = ([f"{member.name} {' '.join(member.peer_urls)}" for member in list_] for list_ in (done.before, done.after))
    return Outcome(
        changed=done.changed,
        values={
            "members": [member.plain() for member in done.after],
            "initial_cluster": done.initial_cluster(),
            **({"facts": facts} if present else {}),
        },
        differences=[Difference.of_lines("members of etcd", *lists)] if done.changed else [],
    )


def run(module: Call) -> Outcome:
    """Change the members."""
    return outcome(module.text("etcd"), change(module), present=module.text("state") == "present")


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS, **RULES).run(run)


if __name__ == "__main__":
    main()
