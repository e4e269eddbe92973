# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A project of Hetzner Cloud on loopback, and impatient clients."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import actions
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import cloud as client
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts, graph
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[HetznerServer]:
    """It is named by the variables that users have for it."""
    monkeypatch.setattr(doubts, "PATIENCE", 0.1)
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(actions, "FIRST_PAUSE", 0.01)
    monkeypatch.setattr(actions, "MOMENT", 0.01)
    monkeypatch.setattr(client, "_FIRST_PAUSE", 0.02)
    with HetznerServer() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made
