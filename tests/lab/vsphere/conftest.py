# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests that only vSphere has."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.tests.lab.cloud import fixtures
from ansible_collections.kubeops.kops.tests.lab.cloud.command_line import VSPHERE
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite


@pytest.fixture(scope="module")
def cloud(with_addons: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty vCenter for each test file, whose virtual machines are hosts."""
    yield from fixtures.cloud(VSPHERE, with_addons, request)


@pytest.fixture(scope="module")
def new_site(cloud: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CloudSite]:
    """Function: a cluster that is still to be made; options and spec as clusters.manifest takes them."""
    return fixtures.new_site(VSPHERE, tmp_path_factory)
