# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests on real hosts. `script/lab test` runs them; nothing else collects them."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, cache, hosts, running
from ansible_collections.kubeops.kops.tests.lab.sites import Site

# For writing tests: hosts and state store stay after the tests, and the next run uses them.
KEEP = os.environ.get("KOPS_LAB_KEEP") == "1"


@pytest.fixture(scope="session")
def prepared() -> None:
    """Binaries, network, servers and images of the newest Kubernetes."""
    if os.geteuid() != 0:
        pytest.skip("the lab needs root; run script/lab test")
    running.prepare((binaries.NEWEST,))


@pytest.fixture(scope="module")
def with_addons(prepared: None) -> Callable[..., None]:
    """Function: the programs and images of these addons are there; with_addons("cilium").

    minors: of Kubernetes, whose files and images are there.
    """
    return lambda *addons, minors=(binaries.NEWEST,): running.prepare(minors, addons)


@pytest.fixture(scope="module")
def lab(prepared: None) -> Iterator[Callable[[int], list[str]]]:
    """Function: the names of so many hosts, which run; lab(3) gives test1 to test3. New ones for each test file."""

    def remove() -> None:
        if not KEEP:
            hosts.remove(*(name for name in hosts.names() if name.startswith("test")))

    remove()
    yield lambda count: running.start_hosts(count, "test")
    remove()


@pytest.fixture(scope="module")
def state_store() -> Iterator[str]:
    """The URL of an empty state store, the same for all tests of a file."""
    directory = pathlib.Path(cache.directory(), "state-store")
    if not KEEP:
        shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(exist_ok=True)
    yield f"file://{directory}"


@pytest.fixture(scope="module")
def new_site(
    lab: Callable[[int], list[str]], state_store: str, tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Site]:
    """Function: fresh hosts and the manifest of their future cluster.

    control_planes, workers: how many; the former come first among test1 ... Everything else: see cluster.manifest.
    """

    def new(control_planes: int = 1, workers: int = 1, **given: Any) -> Site:
        # An older one is there to be upgraded.
        minors = {given.get("kubernetes", binaries.NEWEST), binaries.NEWEST}
        running.prepare(tuple(each for each in binaries.KUBERNETES if each in minors))
        names = lab(control_planes + workers)
        directory = tmp_path_factory.mktemp("site")
        site = Site(directory, state_store, names[:control_planes], names[control_planes:])
        site.write(**given)
        return site

    return new


@pytest.fixture(scope="module")
def created(site: Site) -> running.Run:
    """The run that made the cluster of a test file's own fixture `site`."""
    run = site.create()
    assert run.code == 0, run.output
    return run
