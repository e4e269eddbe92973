# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of create_cluster for AWS."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that only clusters on AWS have."""

    DOCUMENTATION = r"""
options:
  control_plane_tenancy:
    description:
      - Tenancy of control-plane nodes, V(default), V(dedicated) or V(host). AWS only.
    type: str
  node_tenancy:
    description:
      - Tenancy of worker nodes, V(default), V(dedicated) or V(host). AWS only.
    type: str
  disable_subnet_tags:
    description:
      - Leave the subnets without the tags by which controllers find them. AWS only.
    type: bool
    default: false
  ipv6:
    description:
      - Give pods IPv6 addresses. AWS only.
    type: bool
    default: false
  api_ssl_certificate:
    description:
      - ARN of a certificate for the load balancer of the Kubernetes API. AWS only.
    type: str
  spotinst_product:
    description:
      - Product description for Spotinst. AWS only.
      - Needs the feature flag C(Spotinst).
    type: str
  spotinst_orientation:
    description:
      - Prediction strategy for Spotinst. AWS only.
      - Needs the feature flag C(Spotinst).
    type: str
"""
