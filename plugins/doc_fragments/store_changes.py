# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of what modules return that change the state store."""

from __future__ import annotations


class ModuleDocFragment:
    """Return values of modules that change objects in the state store."""

    RETURN = r"""
plan:
  description:
    - What changed in the store, or would in check mode, in the form of RV(kubeops.kops.update_cluster#module:plan).
    - The fields of an object are called by their paths in its manifest, for example C(spec.maxSize).
  returned: success
  type: list
  elements: dict
plan_text:
  description: The same for a reader. Of many objects of a kind, some are named.
  returned: success
  type: str
summary:
  description: How many objects are created, updated and deleted.
  returned: success
  type: dict
"""
