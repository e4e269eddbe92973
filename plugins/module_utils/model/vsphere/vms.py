# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The virtual machines of instance groups, with stable numbers, and the rules that keep them on different hosts."""

from __future__ import annotations

from ...cloud.vsphere import names
from ...cloud.vsphere.pool import server_of
from ...cloud.vsphere.tasks.anti_affinity_rule import AntiAffinityRule
from ..context import ModelContext
from ..pools import numbers_wanted
from . import vm_templates
from .spec import account_of, is_kept_apart, spec


def build(context: ModelContext) -> None:
    """One for each number of each group: as many as its smallest size, and more that are there."""
    for group in context.updated_groups:
        template, own = vm_templates.template_of(context, group), str(group.metadata.name)
        numbers = numbers_wanted(group, account_of(context).numbers)
        machines = [context.add(server_of(template, number)) for number in numbers]
        if is_kept_apart(group):
            context.add(
                AntiAffinityRule(
                    names.rule(own, context.name),
                    context.layers.cluster,
                    servers=[names.server(own, number, context.name) for number in numbers],
                    after=[*machines],
                    compute=spec(context).compute_cluster or "",
                )
            )
