# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The model of a cluster in OpenStack, as far as it goes: its servers are told nothing yet, and names are not kept."""

from __future__ import annotations

from . import api_load_balancer, etcd_volumes, key_pair, network, security_groups, server_groups, servers

# In this order everything that a builder refers to is there.
INFRASTRUCTURE = (
    network.build,
    security_groups.build,
    key_pair.build,
    etcd_volumes.build,
    server_groups.build,
    api_load_balancer.build,
    servers.build,
)
