# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests in the lab's project of Google Cloud."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.lab.cloud import command_line
from ansible_collections.kubeops.kops.tests.lab.conftest import KEEP
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.lab.google.sites import GoogleSite


@pytest.fixture(scope="module")
def cloud(with_addons: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty project for each test file, whose instances are hosts. MINORS, ADDONS: as for AWS."""
    if account.is_running() and not KEEP:
        pytest.exit("the project of `script/lab cloud up --cloud gce` is in use; `script/lab cloud down` removes it")
    wanted = (command_line.CONTROLLERS[command_line.GCE], *getattr(request.module, "ADDONS", ()))
    with_addons(*wanted, minors=getattr(request.module, "MINORS", (binaries.NEWEST,)))
    command_line.up(command_line.GCE)
    yield
    if not KEEP:
        command_line.down()


@pytest.fixture(scope="module")
def new_site(cloud: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., GoogleSite]:
    """Function: a cluster that is still to be made; options and spec as clusters.manifest takes them.

    Options that tests of AWS give are those of Google Cloud in their place.
    """

    def new(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> GoogleSite:
        site = GoogleSite(tmp_path_factory.mktemp("site"))
        given = dict(options or {})
        if "zones" in given:
            given["zones"] = list(account.ZONES[: len(given["zones"])])
        site.write(given, spec)
        return site

    return new
