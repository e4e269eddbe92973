# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The droplets of instance groups: as many as a group's smallest size, and more that are there, with stable numbers."""

from __future__ import annotations

from ...cloud.digitalocean.pool import droplet_of
from ..context import ModelContext
from ..pools import numbers_wanted
from . import server_templates
from .spec import account_of


def build(context: ModelContext) -> None:
    """One for each number of each group."""
    for group in context.updated_groups:
        template = server_templates.template_of(context, group)
        for number in numbers_wanted(group, account_of(context).numbers):
            context.add(droplet_of(template, number))
