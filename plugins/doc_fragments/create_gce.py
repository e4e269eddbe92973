# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of create_cluster for Google Cloud."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that only clusters on Google Cloud have."""

    DOCUMENTATION = r"""
options:
  project:
    description:
      - The project of the cluster. GCE only.
      - Taken from the environment variable E(CLOUDSDK_CORE_PROJECT) or E(GOOGLE_CLOUD_PROJECT) if it is not given.
    type: str
  gce_service_account:
    description:
      - The service account of the nodes. GCE only.
    type: str
"""
