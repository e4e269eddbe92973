# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests in the lab's cloud."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.lab.cloud import account, command_line
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

# For writing tests: the cloud stays after them.
KEEP = os.environ.get("KOPS_LAB_KEEP") == "1"


@pytest.fixture(scope="module")
def cloud(with_addons: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty account for each test file, whose instances are hosts.

    ADDONS of the file: whose programs it needs. MINORS: the versions of Kubernetes that it needs.
    """
    if account.is_running() and not KEEP:
        pytest.exit("the account of `script/lab cloud up` is in use; `script/lab cloud down` removes it")
    with_addons(*getattr(request.module, "ADDONS", ()), minors=getattr(request.module, "MINORS", (binaries.NEWEST,)))
    command_line.up()
    yield
    if not KEEP:
        command_line.down()


@pytest.fixture(scope="module")
def new_site(cloud: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CloudSite]:
    """Function: a cluster that is still to be made; options and spec as clusters.manifest takes them."""

    def new(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> CloudSite:
        site = CloudSite(tmp_path_factory.mktemp("site"))
        site.write(options, spec)
        return site

    return new
