#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: whether etcd clusters can do without a member for a while."""

from __future__ import annotations

DOCUMENTATION = r"""
module: etcd_health
short_description: Check that etcd clusters can do without a member for a while
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Asks etcd itself, before a member is stopped, whether all other members of its cluster are healthy. Each of them is
    asked with a linearizable read, so it must be in touch with the leader.
  - If not, the module fails, and names all members that are not healthy, with the reasons.
  - A cluster that has no other member passes, because it can never spare the one that it has.
extends_documentation_fragment:
  - kubeops.kops.attributes.info
options:
  members:
    description: The members that are about to be stopped.
    type: list
    elements: dict
    required: true
    suboptions:
      etcd:
        description: The etcd cluster.
        type: str
        required: true
      name:
        description: Name of the member.
        type: str
        required: true
  wait:
    description: Seconds to wait until the other members are healthy.
    type: int
    default: 0
notes:
  - The module runs as root on any host that has a member of the same etcd clusters.
seealso:
  - module: kubeops.kops.etcd_member
"""

EXAMPLES = r"""
- name: Check that etcd can do without the members of a host
  kubeops.kops.etcd_health:
    members:
      - etcd: main
        name: a
      - etcd: events
        name: a
    wait: 300
  become: true
"""

RETURN = r"""
problems:
  description: What is not healthy. Empty if the module succeeds.
  returned: always
  type: list
  elements: str
"""

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import Call, KopsModule
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.health import await_healthy, unhealthy
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import the_member

MEMBER = {"etcd": {"type": "str", "required": True}, "name": {"type": "str", "required": True}}
ARGUMENTS = {
    "members": {"type": "list", "elements": "dict", "required": True, "options": MEMBER},
    "wait": {"type": "int", "default": 0},
}


def run(module: Call) -> Outcome:
    """Ask until the other members are healthy, or the time is over."""
    stopping = {each["etcd"]: each["name"] for each in module.parameters["members"]}
    local = {etcd: the_member(etcd) for etcd in stopping}
    problems = await_healthy(
        lambda: [problem for etcd, name in stopping.items() for problem in unhealthy(local[etcd], name)],
        module.parameters["wait"],
    )
    lines = ["etcd cannot do without a member now:", *(f"- {problem}" for problem in problems)]
    return Outcome(values={"problems": problems}, failure="\n".join(lines) if problems else "")


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
