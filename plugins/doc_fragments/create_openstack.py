# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Documentation of the options of create_cluster for OpenStack."""

from __future__ import annotations


class ModuleDocFragment:
    """Options that only clusters on OpenStack have."""

    DOCUMENTATION = r"""
options:
  os_ext_net:
    description:
      - The external network of the router. OpenStack only.
    type: str
  os_ext_subnet:
    description:
      - The external subnet for floating addresses of the router. OpenStack only.
    type: str
  os_lb_floating_subnet:
    description:
      - The external subnet for the address of the Kubernetes API. OpenStack only.
    type: str
  os_kubelet_ignore_az:
    description:
      - Attach volumes across availability zones. OpenStack only.
    type: bool
    default: false
  os_octavia:
    description:
      - Use the load balancer API of Octavia. OpenStack only.
    type: bool
    default: false
  os_octavia_provider:
    description:
      - The provider that Octavia uses, for example V(octavia) or V(ovn). OpenStack only.
    type: str
  os_dns_servers:
    description:
      - DNS servers of the network, separated by commas. OpenStack only.
    type: str
"""
