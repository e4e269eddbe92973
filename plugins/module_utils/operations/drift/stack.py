# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of a cluster's stack: what the cloud itself says that others have changed in it."""

from __future__ import annotations

from ...base.errors import KopsError
from ...cloud.provider import explaining
from ...cloud.stacks import Drifted
from ..stacks import kept_by_stacks, named_stack
from ..update.desired import Desired
from .finding import DIFFERENT, MISSING, STACK, Drift, Finding, Unseen

_PART = "the stack"
_MEND = "kubeops.kops.update_cluster without a target, and by hand what it does not compare"


def look_at_stack(desired: Desired, drift: Drift) -> None:
    """Add what was changed or deleted since the stack was. It takes minutes, so it is looked at only if asked for."""
    provider, cloud, name = desired.provider, desired.cloud, str(desired.cluster.metadata.name)
    if provider.stacks is None:
        drift.unseen.append(Unseen(_PART, "this cloud has none", failed=False))
        return
    with explaining(provider):
        found = provider.looking.discover(cloud)
    stack = named_stack(provider, cloud, name, kept_by_stacks(provider, found.values()))
    if stack is None or not stack.is_of(name) or not stack.is_begun or stack.is_failed:
        drift.unseen.append(Unseen(_PART, "this cluster has none", failed=False))
    elif stack.is_busy:
        drift.unseen.append(Unseen(_PART, f"{stack.name} is being changed ({stack.status})"))
    else:
        try:
            with explaining(provider):
                drift.found += [_finding(each) for each in provider.stacks.drifted(cloud, stack)]
        except KopsError as error:
            drift.unseen.append(Unseen(_PART, str(error)))


def _finding(drifted: Drifted) -> Finding:
    what = MISSING if drifted.is_gone else DIFFERENT
    return Finding(STACK, what, drifted.kind, drifted.name, drifted.before, drifted.after, mend=_MEND)
