# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The ports that a cluster's own services listen on (pkg/wellknownports of kops)."""

from __future__ import annotations

KUBE_API_SERVER = 443
KUBE_API_SERVER_SECONDARY = 8443
KOPS_CONTROLLER = 3988
NODE_CHALLENGE = 3987
KUBE_API_SERVER_HEALTH_CHECK = 3990
KUBELET = 10250
KUBELET_HEALTH_CHECK = 10248
KUBE_PROXY_HEALTH_CHECK = 10256
BGP = 179
VXLAN = 4789
CILIUM_VXLAN = 8472
SSH = 22

ETCD_CLIENT = {"main": 4001, "events": 4002, "cilium": 4003, "leases": 4004}
ETCD_PEER = {"main": 2380, "events": 2381, "cilium": 2382, "leases": 2383}

# Where control plane and nodes show their metrics.
METRICS = {
    "kube-controller-manager": 10257,
    "kube-scheduler": 10259,
    "kube-proxy": 10249,
    "etcd-main": 2382,
    "etcd-events": 2384,
    "node-exporter": 9100,
}
