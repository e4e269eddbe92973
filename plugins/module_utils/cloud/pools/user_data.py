# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""User data that servers were started with, as the state store has kept it: clouds need not show it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .made_from import was_told
from .template import StoredTemplate, user_data_of_mark

# What a server says of itself: its instance group, and what it was made from.
Said = tuple[str, str]
Templates = Mapping[str, StoredTemplate[Any]]


def user_data_by_server(servers: Mapping[str, Said], templates: Templates) -> dict[str, str]:
    """Server -> its user data; "" for none, or if it is not kept. servers: by their names."""
    found = {}
    for name, (group, mark) in servers.items():
        template = templates.get(group)
        found[name] = user_data_of_mark(template.base, template.location, mark) if template else ""
    return found


def user_data_in_use(servers: Mapping[str, Said], templates: Templates) -> list[str] | None:
    """That of these servers, and of those that are made from now on; None if that of one is not kept."""
    of_servers = user_data_by_server(servers, templates)
    if not all(of_servers[name] for name, (_group, mark) in servers.items() if was_told(mark)):
        return None
    return [*of_servers.values(), *user_data_of(templates)]


def user_data_of(templates: Templates) -> list[str]:
    """That of servers that are made from now on."""
    return [str(each.user_data) for each in templates.values() if each.user_data]
