# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""An account of DigitalOcean on loopback, and clients that use it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.cloud import DigitalOceanCloud
from ansible_collections.kubeops.kops.plugins.module_utils.engine import doubts, graph
from ansible_collections.kubeops.kops.tests.support.digitalocean.account import Account, environment
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.rest_server import RestServer

NAME = "demo.example.com"


@pytest.fixture
def account() -> Account:
    return Account()


@pytest.fixture
def server(account: Account, monkeypatch: pytest.MonkeyPatch) -> Iterator[RestServer]:
    with RestServer(account) as made:
        for name, value in environment(made).items():
            monkeypatch.setenv(name, value)
        monkeypatch.setattr(doubts, "PATIENCE", 0.3)
        for name in ("FIRST_PAUSE", "LONGEST_PAUSE"):
            monkeypatch.setattr(graph, name, 0.05)
        yield made


@pytest.fixture
def client(server: RestServer) -> Callable[..., DigitalOceanCloud]:
    """Makes a client that knows nothing yet."""
    return lambda name=NAME: DigitalOceanCloud(REGION, name)


@pytest.fixture
def cloud(client: Callable[..., DigitalOceanCloud]) -> DigitalOceanCloud:
    return client()
