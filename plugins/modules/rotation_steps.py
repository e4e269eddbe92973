#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the steps of a rotation of keys that hosts are ready for."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rotation_steps
short_description: Take the steps of a rotation of keys that the hosts of a cluster are ready for
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Takes those steps of a rotation on bare metal by which no host and no pod loses another part of the cluster. It
    changes the state store only. The playbook C(kubeops.kops.rotate) lets the hosts take them up, and asks again.
  - Which steps these are follows from the key pairs in the store, from what the hosts have, and from the age of the
    pods.
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster
  - kubeops.kops.hosts
  - kubeops.kops.lease
  - kubeops.kops.rotation
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: It says all steps to the end, with the updates of the hosts between them.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
    details: The steps say it.
requirements:
  - cryptography >= 42
options:
  pods:
    description: The result of M(kubeops.kops.pod_trust) on a control plane; nothing if there is none yet.
    type: dict
  written_again:
    description: What RV(encryption) was when all encrypted objects were written again.
    type: str
seealso:
  - module: kubeops.kops.rotate
  - module: kubeops.kops.keypair
"""

EXAMPLES = r"""
- name: Take the steps that the hosts are ready for
  kubeops.kops.rotation_steps:
    state_store: s3://example-state
    name: metal.example.com
    before: 90d
    pods: "{{ kops_pods }}"
"""

RETURN = r"""
steps:
  description: What was done, or in check mode all that would be, in this order.
  returned: success
  type: list
  elements: str
left:
  description: >-
    What has to take up the keys in the store, and why further steps have to wait; empty if there is nothing left to do.
  returned: success
  type: list
  elements: str
rewrite:
  description: The resources whose objects have to be written again before the next step.
  returned: success
  type: list
  elements: str
encryption:
  description: The SHA-256 of the encryption configuration in the store; empty if there is none.
  returned: success
  type: str
"""

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    LEASE,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.store import store_options
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.hosts import (
    HostRotation,
    take_host_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.keys import STEPS, Wish, moment, names_of

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **LEASE,
    "hosts": {"type": "dict"},
    "keysets": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "before": {"type": "str"},
    "until": {"type": "str", "choices": list(STEPS), "default": STEPS[-1]},
    "pods": {"type": "dict"},
    "written_again": {"type": "str"},
}


def run(module: Call) -> Outcome:
    """Take steps, or say all that would follow."""
    given = module.parameters
    before = moment(module.text("before"), datetime.datetime.now(datetime.timezone.utc))
    wish = Wish(names_of(given["keysets"]), before, module.text("until"))
    request = HostRotation(
        store_options(module),
        module.cluster_name,
        wish,
        given["hosts"] or {},
        given["pods"] or {},
        module.text("written_again"),
    )
    done = take_host_steps(request, check=module.check)
    values = {"steps": done.lines, "left": done.left, "rewrite": done.rewrite, "encryption": done.encryption}
    return Outcome(done.changed, values)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
