# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""external-dns, which publishes the DNS records in dns-controller's place (external-dns.addons.k8s.io of kops)."""

from __future__ import annotations

from ...api.questions import uses_none_dns
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole
from .hosted_zone import change_records


def _publishes(context: AddonContext) -> bool:
    external = context.cluster.spec.external_dns
    return not uses_none_dns(context.cluster) and external is not None and external.provider == "external-dns"


ADDON = AddonDefinition(
    name="external-dns.addons.k8s.io",
    condition=_publishes,
    # Without roles of its own, dns-controller's permissions are there.
    service_accounts=(ServiceAccountRole("external-dns", change_records),),
)
