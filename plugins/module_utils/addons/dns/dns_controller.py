# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""kops' dns-controller, which publishes the DNS records of the API and of Services (dns-controller.addons.k8s.io).

This collection does not install it. The index has its entry, so that it is equal to kops'.
"""

from __future__ import annotations

from ...api.questions import uses_none_dns
from ..conditions import always
from ..context import AddonContext
from ..definition import AddonDefinition, ServiceAccountRole, no_objects
from .hosted_zone import change_records

NAME, ID = "dns-controller.addons.k8s.io", "k8s-1.12"


def _publishes(context: AddonContext) -> bool:
    external = context.cluster.spec.external_dns
    return not uses_none_dns(context.cluster) and (external is None or external.provider in (None, "dns-controller"))


# Not pruned: a dns-controller that kops installed keeps running until nothing needs it any more.
ADDON = AddonDefinition(
    name=NAME,
    condition=_publishes,
    build=no_objects,
    id=ID,
    service_accounts=(ServiceAccountRole("dns-controller", change_records, on_control_plane=always),),
)

# Whatever a dns-controller left behind is deleted where it does not run.
REMOVED = AddonDefinition(
    name=NAME,
    condition=lambda context: not _publishes(context),
    build=no_objects,
    id=ID,
    pruned=True,
)
