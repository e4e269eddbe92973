# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""API types: etcd as v1alpha3 spells them, where they differ from the hub."""

from __future__ import annotations

from .. import etcd as hub_etcd
from ..fields import api_type, without


@without("heartbeat_interval", "leader_election_timeout", "provider")
@api_type
class EtcdClusterSpec(hub_etcd.EtcdClusterSpec):
    """``Cluster.spec.etcdClusters[]``."""
