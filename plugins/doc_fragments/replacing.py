# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of modules that drain and replace instances."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that drain and replace instances, and wait for the cluster in between."""

    DOCUMENTATION = r"""
options:
  drain_timeout:
    description: Seconds that the evictions of one node may take together. V(0) waits for ever.
    type: int
    default: 900
  post_drain_delay:
    description: Seconds to wait after pods have left a node, for clients that still send to them.
    type: int
    default: 5
  fail_on_drain_error:
    description:
      - Stop with the instance group if a node cannot be drained. The node stays cordoned, and the error names the pods
        that are left. Other groups of workers are updated. Otherwise the pods end with the instance.
    type: bool
    default: true
  fail_on_validate:
    description: Stop if the cluster is not as it should be when the time is over. Otherwise this is a warning.
    type: bool
    default: true
  wait:
    description: How many seconds to wait each time until the cluster is as it should be.
    type: int
    default: 900
  interval:
    description: Pause between two validations, in seconds. While something fails, pauses are shorter.
    type: int
    default: 10
  count:
    description:
      - How many validations in a row must find nothing after an instance. V(0) does not validate after it.
    type: int
    default: 2
"""

    RETURN = r"""
plan:
  description: What has to be done, or would have to be in check mode, in this order.
  returned: always
  type: list
  elements: dict
  contains:
    instance_group:
      description: Name of the instance group.
      type: str
      returned: always
    role:
      description: Its role.
      type: str
      returned: always
    instances:
      description: The instances to replace, in their order.
      type: list
      elements: dict
      returned: always
      contains:
        instance:
          description: Its id.
          type: str
          returned: always
        node:
          description: Name of its node; empty if it has none.
          type: str
          returned: always
        reasons:
          description: Why it is replaced.
          type: list
          elements: str
          returned: always
    warm:
      description: Instances of the warm pool that are deleted; with the same keys.
      type: list
      elements: dict
      returned: always
    detached:
      description: Instances that are taken out of their group first, so that others start.
      type: list
      elements: str
      returned: always
    at_once:
      description: How many are drained at the same time.
      type: int
      returned: always
    left_alone:
      description: Why nothing is done to the group; empty if something is.
      type: str
      returned: always
report:
  description: What became of the instances of the plan, in its order.
  returned: always
  type: list
  elements: dict
  contains:
    instance:
      description: Its id.
      type: str
      returned: always
    node:
      description: Name of its node; empty if it had none.
      type: str
      returned: always
    reasons:
      description: Why it had to be replaced.
      type: list
      elements: str
      returned: always
    instance_group:
      description: Name of its instance group.
      type: str
      returned: always
    result:
      description: >-
        V(replaced), V(deleted) (of a warm pool), V(failed), V(not started), or V(gone) if it has ended by itself.
      type: str
      returned: always
    detached:
      description: Whether this run has taken it out of its group, so that another one started.
      type: bool
      returned: always
    seconds:
      description: How long V(drain) has taken, and V(validate), the wait for a valid cluster after it.
      type: dict
      returned: always
    error:
      description: What has gone wrong with it.
      type: str
      returned: always
text:
  description: The plan as lines, for people.
  returned: always
  type: list
  elements: str
"""
