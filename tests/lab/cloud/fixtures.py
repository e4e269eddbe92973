# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What fixtures of tests in a cloud do, whichever it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries
from ansible_collections.kubeops.kops.tests.lab.cloud import command_line
from ansible_collections.kubeops.kops.tests.lab.cloud.sites import CloudSite

# For writing tests: the cloud stays after them.
KEEP = os.environ.get("KOPS_LAB_KEEP") == "1"


def _cloud(name: str, with_addons: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[None]:
    """An empty account for each test file, whose instances are hosts. name: of the cloud.

    ADDONS of the file: whose programs it needs. MINORS: the versions of Kubernetes that it needs.
    """
    if command_line.running_cloud() and not KEEP:
        pytest.exit("the account of `script/lab cloud up` is in use; `script/lab cloud down` removes it")
    others = {each for programs in command_line.CONTROLLERS.values() for each in programs}
    addons = [each for each in getattr(request.module, "ADDONS", ()) if each not in others]
    minors = getattr(request.module, "MINORS", (binaries.NEWEST,))
    with_addons(*command_line.CONTROLLERS[name], *addons, minors=minors)
    command_line.up(name)
    yield
    if not KEEP:
        command_line.down()


def _new_site(name: str, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CloudSite]:
    """Function: a cluster that is still to be made; options and spec as clusters.manifest takes them.

    Zones that tests name are those of AWS; other clouds have as many of their own.
    """

    def new(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> CloudSite:
        given = dict(options or {})
        kind = command_line.SITES[name]
        if name != command_line.AWS and "zones" in given:
            given["zones"] = list(kind.zones[: len(given["zones"])])
        site = kind(tmp_path_factory.mktemp("site"))
        site.write(given, spec)
        return site

    return new


def of(name: str) -> tuple[Any, Any]:
    """The fixtures `cloud` and `new_site` of tests in a cloud."""

    @pytest.fixture(name="cloud", scope="module")
    def empty_cloud(with_addons: Callable[..., None], request: pytest.FixtureRequest) -> Iterator[None]:
        """An empty account for each test file, whose instances are hosts."""
        yield from _cloud(name, with_addons, request)

    @pytest.fixture(name="new_site", scope="module")
    def function(cloud: None, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., CloudSite]:
        """Function: a cluster that is still to be made; options and spec as clusters.manifest takes them."""
        return _new_site(name, tmp_path_factory)

    return empty_cloud, function
