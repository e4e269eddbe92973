# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of which cluster a module is about."""

from __future__ import annotations


class ModuleDocFragment:
    """The cluster's name: as the name of what the module is about, or beside it."""

    DOCUMENTATION = r"""
options:
  name:
    description:
      - Name of the cluster.
      - Taken from the environment variable E(KOPS_CLUSTER_NAME) if it is not given.
    type: str
    aliases: [cluster_name]
"""

    # Beside one of them, for what asks the Kubernetes API of the cluster from the controller.
    API_SERVER = r"""
options:
  api_server:
    description: Address or URL of the API server, instead of the cluster's own.
    type: str
"""

    # For modules about something that belongs to a cluster.
    OWNER = r"""
options:
  cluster_name:
    description:
      - Name of the cluster.
      - Taken from the environment variable E(KOPS_CLUSTER_NAME) if it is not given.
    type: str
"""
