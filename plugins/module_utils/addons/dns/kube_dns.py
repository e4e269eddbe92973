# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kube-dns, the cluster's DNS before CoreDNS (kube-dns.addons.k8s.io of kops)."""

from __future__ import annotations

from ..context import AddonContext
from ..definition import AddonDefinition


def _is_chosen(context: AddonContext) -> bool:
    dns = context.cluster.spec.kube_dns
    return dns is not None and dns.provider == "KubeDNS"


ADDON = AddonDefinition(name="kube-dns.addons.k8s.io", condition=_is_chosen)
