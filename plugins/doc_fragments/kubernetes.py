# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of options of modules that ask the API server of a running cluster."""

from __future__ import annotations


class ModuleDocFragment:
    """Where the API server is, and how long it is waited for."""

    DOCUMENTATION = r"""
options:
  kubeconfig:
    description:
      - The kubeconfig to use, on the machine that the module runs on. It has one cluster and one user.
      - Nodes of the control plane have one for their administrator, which is the default.
    type: path
    default: /var/lib/kubectl/kubeconfig
  api_timeout:
    description: Seconds that the API server is waited for while it does not answer.
    type: int
    default: 60
attributes:
  action_group:
    description: A task or play can set O(kubeconfig) and O(api_timeout) once, for all modules of the group, in
      C(module_defaults) under C(group/kubeops.kops.kubernetes).
    support: full
    membership:
      - kubeops.kops.kubernetes
notes:
  - The module runs on a node of the control plane, as root, and needs nothing there but Python.
"""
