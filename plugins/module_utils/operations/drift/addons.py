# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Drift of addons: what the API server says an apply of them would change. It is asked to store nothing (dryRun)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...base.report import Step
from ...kubernetes.addons.apply import apply_addons
from ...kubernetes.addons.object_names import title
from ...kubernetes.addons.settings import with_settings
from ...kubernetes.client import KubernetesClient
from .finding import CLUSTER, DIFFERENT, MISSING, UNWANTED, Finding

BY_INVENTORY = "kubeops.kops.update_cluster with the inventory of the hosts (-i hosts.yml)"


def of_addons(
    client: KubernetesClient, addons: Sequence[Mapping[str, Any]], retired: Sequence[str], *, by_hosts: bool
) -> Iterator[Finding]:
    """Differences of the objects of addons. client: one in check mode.

    addons, retired: as apply_addons() takes them. by_hosts: updates apply them, and not the control planes themselves.
    Raises KopsError if the API server refuses to say, ValueError for a client that would write.
    """
    if not client.check:
        raise ValueError("drift is looked for by a client in check mode")
    owners = {title(obj): str(addon["name"]) for addon in addons for obj in with_settings(addon["objects"])}
    report = apply_addons(client, addons, retired)
    for step in report.steps:
        if step.changed:
            yield _of_step(step, owners.get(step.item, ""), by_hosts)


def _of_step(step: Step, addon: str, by_hosts: bool) -> Finding:
    kind, _space, name = step.item.partition(" ")
    what = MISSING if step.before is None else UNWANTED if step.after is None else DIFFERENT
    # What is there or not as a whole, its name says.
    before, after = (side if what == DIFFERENT and isinstance(side, dict) else {} for side in (step.before, step.after))
    reason = f"addon {addon}" if addon else "no addon has it any more" if what == UNWANTED else ""
    return Finding(CLUSTER, what, kind, name, before, after, reason, BY_INVENTORY if by_hosts else applied_again(addon))


def applied_again(addon: str) -> str:
    """How to have an addon applied again: control planes apply each content once, unless the record of it is gone."""
    record = f"addons.k8s.io/{addon or 'NAME'}-"
    return f"kubectl annotate namespace kube-system {record} makes the control planes apply the addon again"
