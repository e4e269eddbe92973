# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of where feature flags of kops come from."""

from __future__ import annotations


class ModuleDocFragment:
    """Of modules that complete or validate the specification of a cluster."""

    DOCUMENTATION = r"""
options: {}
notes:
  - Feature flags of kops are taken from the environment variable E(KOPS_FEATURE_FLAGS), in the form C(+Name,-Name). The
    variable C(kops_feature_flags) of a play or a host counts before it, if it is not empty.
"""
