# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of instance groups: as many as a group's smallest size, and more that are there, with stable numbers."""

from __future__ import annotations

from ...api.instance_group import InstanceGroup
from ...cloud.digitalocean.pool import droplet_of
from ..context import ModelContext
from . import server_templates
from .spec import account_of


def build(context: ModelContext) -> None:
    """One for each number of each group."""
    for group in context.updated_groups:
        template = server_templates.template_of(context, group)
        for number in numbers_of(context, group):
            context.add(droplet_of(template, number))


def numbers_of(context: ModelContext, group: InstanceGroup) -> list[int]:
    """The numbers of a group's droplets: those that are there, and free ones up to its smallest size."""
    numbers = account_of(context).numbers(str(group.metadata.name))
    return numbers.kept(group.spec.min_size or 0, group.spec.max_size or 0)
