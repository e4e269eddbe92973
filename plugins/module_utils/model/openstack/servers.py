# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The servers of instance groups: as many as a group's smallest size, and more that are there, with stable names."""

from __future__ import annotations

from ...cloud.openstack.pool import server_of
from ...cloud.openstack.tasks.server_template import ServerTemplate
from ..context import ModelContext
from . import server_groups


def build(context: ModelContext) -> None:
    """One for each number of each group."""
    for group in context.updated_groups:
        template = context.get(ServerTemplate, str(group.metadata.name))
        numbers = server_groups.numbers_of(context, group)
        for number, port in zip(numbers, server_groups.ports_of(context, group)):
            context.add(server_of(template, number, port, context.name))
