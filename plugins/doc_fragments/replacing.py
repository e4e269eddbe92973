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
