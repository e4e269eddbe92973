# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the option of modules that reach the API of a cluster from the controller."""

from __future__ import annotations


class ModuleDocFragment:
    """Options of modules that ask the API of a cluster over the way that users have."""

    DOCUMENTATION = r"""
options:
  api_server:
    description: Address or URL of the API server, instead of the cluster's own.
    type: str
"""
