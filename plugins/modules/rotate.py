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
  - kubeops.kops.clouds.instances
  - kubeops.kops.feature_flags
  - kubeops.kops.cluster
  - kubeops.kops.progress
  - kubeops.kops.lease
  - kubeops.kops.policy
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
# From plugins/doc_fragments/policy.py, by script/module-docs:
violations:
  description:
    - What violates O(policy), in the form of RV(kubeops.kops.update_cluster#module:violations).
    - If a rule with the effect V(deny) is violated, the module fails, in check mode as well, and nothing is done. The
      plan is shown in the terminal and not returned.
  returned: always
  type: list
  elements: dict
# From plugins/doc_fragments/next_steps.py, by script/module-docs:
next:
  description: What comes next, each a playbook or C(the same), with what it does.
  returned: if something comes next
  type: list
  elements: str
"""

import datetime
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.ansible.module import (
    CLUSTER,
    PROGRESS,
    STATE_STORE,
    Call,
    KopsModule,
)
from ansible_collections.kubeops.kops.plugins.module_utils.ansible.replacing import (
    REPLACING,
    drain_of,
    options_of,
)
from ansible_collections.kubeops.kops.plugins.module_utils.base.files import text_or_file
from ansible_collections.kubeops.kops.plugins.module_utils.base.outcome import Outcome
from ansible_collections.kubeops.kops.plugins.module_utils.operations.next_steps import (
    FAILED,
    NEW_CA,
    PLANNED,
    ROTATE,
    UNTIL,
    next_steps,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.policy.policy import failure_of, warnings_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.progress import progress_to
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rolling.cloud import Request
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.cloud import (
    CloudRotation,
    rotate_in_cloud,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.keys import STEPS, Wish, moment, names_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.rotation.steps import Rotation
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.keyset import KUBERNETES_CA

ARGUMENTS = {
    **STATE_STORE,
    **CLUSTER,
    **PROGRESS,
    **REPLACING,
    "api_server": {"type": "str"},
    "keysets": {"type": "list", "elements": "str", "default": [], "no_log": False},
    "before": {"type": "str"},
    "until": {"type": "str", "choices": list(STEPS), "default": STEPS[-1]},
    "ssh_public_key": {"type": "str", "no_log": False},
    "groups_at_once": {"type": "int", "default": 1},
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
            drain=drain_of(module),
            options=options_of(module, groups_at_once=given["groups_at_once"]),
        ),
        Wish(names_of(given["keysets"]), before, module.text("until")),
        [text_or_file(key)] if key else None,
        given["policy"],
    )
    with progress_to(given["progress_file"]) as progress:
        result = rotate_in_cloud(request, check=module.check, tell=progress)
    failure = failure_of(result.violations, "nothing was done")
    is_forbidden = bool(failure)
    if result.stopped and not failure:
        failure = "\n".join(["the rotation has to stop here:", *(f"- {each}" for each in result.stopped)])
    return Outcome(
        bool(result.lines) and not is_forbidden,
        {"steps": result.lines, "violations": [each.as_dict() for each in result.violations]},
        warnings=warnings_of(result.violations),
        failure=failure,
        next_steps=next_steps(ROTATE, {} if is_forbidden else _ended(module, result)),
    )


def _ended(module: Call, result: Rotation) -> dict[str, Any]:
    if result.stopped or module.check:
        return {FAILED: result.stopped, PLANNED: not result.stopped and result.lines}
    return {
        NEW_CA: any(line.startswith(KUBERNETES_CA) for line in result.lines),
        UNTIL: result.lines and module.text("until") != STEPS[-1],
    }


def main() -> None:
    """Run as a module."""
    KopsModule(ARGUMENTS).run(run)


if __name__ == "__main__":
    main()
