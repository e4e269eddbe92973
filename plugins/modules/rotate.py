#!/usr/bin/python
# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ansible module: the keys of a cluster in a cloud are rotated, from their beginning to their end."""

from __future__ import annotations

DOCUMENTATION = r"""
module: rotate
short_description: Rotate the keys of a cluster in a cloud
version_added: 0.1.0
author:
  - kubeops.kops contributors (@kubeops)
description:
  - Rotates any keysets of a cluster, the key of encryption at rest, and the SSH key, in as few rolling updates as there
    are steps. New key pairs are added, which all nodes then trust; they sign; the old ones are distrusted. After each
    step the cluster is updated, its instances are replaced, and pods that know the keys of before are restarted.
  - It runs where the state store can be reached, and connects to no node; the cloud and the API of the cluster are
    enough.
  - A step is only taken if nothing loses another part of the cluster by it. That follows from the key pairs in the
    store, from the user data with which the instances were started, and from the age of the pods. Nothing else is kept,
    so an interrupted run is simply run again.
  - For hosts of an inventory, see M(kubeops.kops.rotation_steps) and the playbook C(kubeops.kops.rotate).
extends_documentation_fragment:
  - kubeops.kops.state_store
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.lease
  - kubeops.kops.rotation
  - kubeops.kops.api_server
  - kubeops.kops.replacing
attributes:
  check_mode:
    description: Reports what would change, and changes nothing.
    support: full
    details: It says all steps and rolling updates to the end, in their order.
  diff_mode:
    description: Reports what changed, or would change in check mode.
    support: none
    details: The steps say it.
requirements:
  - cryptography >= 42
options:
  ssh_public_key:
    description:
      - SSH public key, or the path of its file. It replaces the cluster's key, and all instances are replaced that were
        started with another one.
    type: str
  groups_at_once:
    description: How many instance groups of workers each rolling update changes at the same time.
    type: int
    default: 1
seealso:
  - module: kubeops.kops.keypair
  - module: kubeops.kops.rolling_update
"""

EXAMPLES = r"""
- name: Replace all keys that are older than 90 days, and complete what was begun
  kubeops.kops.rotate:
    state_store: s3://example-state
    name: demo.example.com
    before: 90d

- name: Replace the keys of service accounts that were made before an incident
  kubeops.kops.rotate:
    state_store: s3://example-state
    name: demo.example.com
    keysets: [service-account]
    before: "2026-05-08T12:00:00Z"
"""

RETURN = r"""
steps:
  description: What was done, or in check mode all that would be, in this order.
  returned: always
  type: list
  elements: str
  sample: ["kubernetes-ca: sign with the new key pair"]
"""

import datetime

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    LEASE,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import text_or_file
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.drain import DrainOptions
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.run import Timing
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import Request
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.engine import Options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.cloud import (
    CloudRotation,
    rotate_in_cloud,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.keys import STEPS, Wish, moment, names_of

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **LEASE,
    "api_server": {"type": "str"},
    "keysets": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "before": {"type": "str"},
    "until": {"type": "str", "choices": list(STEPS), "default": STEPS[-1]},
    "ssh_public_key": {"type": "str", "no_log": False},
    "groups_at_once": {"type": "int", "default": 1},
    "drain_timeout": {"type": "int", "default": 900},
    "post_drain_delay": {"type": "int", "default": 5},
    "fail_on_drain_error": {"type": "bool", "default": True},
    "fail_on_validate": {"type": "bool", "default": True},
    "wait": {"type": "int", "default": 900},
    "interval": {"type": "int", "default": 10},
    "count": {"type": "int", "default": 2},
}


def run(module: Call) -> Outcome:
    """Rotate, or say what would be done."""
    given = module.parameters
    before = moment(module.text("before"), datetime.datetime.now(datetime.timezone.utc))
    key = module.text("ssh_public_key")
    request = CloudRotation(
        Request(
            module.state_store,
            module.cluster_name,
            module.text("api_server"),
            lease_wait=given["lease_wait"],
            break_lease=bool(given["break_lease"]),
            drain=DrainOptions(given["drain_timeout"], given["post_drain_delay"]),
            options=Options(
                times=Timing(given["wait"], given["interval"], given["count"]),
                fail_on_drain_error=given["fail_on_drain_error"],
                fail_on_validate=given["fail_on_validate"],
                groups_at_once=given["groups_at_once"],
            ),
        ),
        Wish(names_of(given["keysets"]), before, module.text("until")),
        [text_or_file(key)] if key else None,
    )
    with progress_to(given["progress_file"]) as progress:
        result = rotate_in_cloud(request, check=module.check, tell=progress)
    failure = ""
    if result.stopped:
        failure = "\n".join(["the rotation has to stop here:", *(f"- {each}" for each in result.stopped)])
    return Outcome(bool(result.lines), {"steps": result.lines}, failure=failure)


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
