# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The node's clock (ntp.go of nodeup)."""

from __future__ import annotations

from ....exchange.distributions import FAMILIES
from ..context import NodeContext
from ..draft import Draft, on

_CONFIGURATION = """pool {source} prefer iburst
driftfile /var/lib/chrony/drift
leapsectz right/UTC
logdir /var/log/chrony
makestep 1.0 3
maxupdateskew 100.0
rtcsync
"""


def build(context: NodeContext, draft: Draft) -> None:
    """chrony, unless spec.ntp says that the clock is managed by other means."""
    ntp = context.cluster.spec.ntp
    if ntp is not None and ntp.managed is False:
        return
    # Of the cloud; elsewhere the distribution's configuration stays.
    source = context.cloud.time_source
    for family in FAMILIES.values():
        if family.clock is None:
            continue
        path, when = family.clock.configuration, on(family=family.name)
        draft.package("chrony", when=when)
        if source:
            draft.file(path, _CONFIGURATION.format(source=source), when=when)
        draft.unit(family.clock.unit, restart_on=[f"file:{path}"] if source else [], when=when)
