# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""A vCenter on loopback, whose clients are watched and impatient."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.vsphere import cloud as client
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts, graph
from ansible_collections.kubeops.kops.tests.support.vsphere.simulator import VCenter, running
from ansible_collections.kubeops.kops.tests.support.vsphere.wire import Wire


@pytest.fixture
def vcenter(monkeypatch: pytest.MonkeyPatch) -> Iterator[VCenter]:
    """It is named by the variables that users have for it."""
    monkeypatch.setattr(doubts, "PATIENCE", 0.1)
    monkeypatch.setattr(graph, "FIRST_PAUSE", 0.02)
    monkeypatch.setattr(client, "_PAUSE", 0.01)
    with running() as made:
        for name, value in made.environment.items():
            monkeypatch.setenv(name, value)
        yield made


@pytest.fixture
def wire(vcenter: VCenter, monkeypatch: pytest.MonkeyPatch) -> Wire:
    """What is asked of it from now on."""
    return Wire(monkeypatch)
