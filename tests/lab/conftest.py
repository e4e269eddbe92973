# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Fixtures of tests on real hosts. `script/lab test` runs them; nothing else collects them."""

from __future__ import annotations

import os
import pathlib
import shutil
from collections.abc import Callable, Iterator

import pytest
from ansible_collections.kubeops.kops.tests.lab import binaries, cache, cluster, hosts, running

# For who writes tests: hosts and state store stay after the tests, and the next run goes on with them.
KEEP = os.environ.get("KOPS_LAB_KEEP") == "1"
Hosts = Callable[..., list[str]]


def pytest_addoption(parser: pytest.Parser) -> None:
    """The option that `script/lab test` passes on."""
    parser.addoption("--all", action="store_true", help="run the long tests, too")


def pytest_configure(config: pytest.Config) -> None:
    """Marks of the lab."""
    config.addinivalue_line("markers", "long: only run with --all")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what is long, unless it is asked for."""
    if config.getoption("--all"):
        return
    for item in items:
        if item.get_closest_marker("long"):
            item.add_marker(pytest.mark.skip(reason="long: needs script/lab test --all"))


@pytest.fixture(scope="session")
def prepared() -> None:
    """Binaries, network, servers and images of all versions."""
    if os.geteuid() != 0:
        pytest.skip("the lab needs root; run script/lab test")
    running.prepare(tuple(sorted(binaries.KUBERNETES)))


@pytest.fixture(scope="module")
def lab(prepared: None) -> Iterator[Hosts]:
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


@pytest.fixture
def playbook() -> Callable[..., running.Run]:
    """Function: running.playbook."""
    return running.playbook


@pytest.fixture
def kubectl() -> Callable[..., str]:
    """Function: running.kubectl."""
    return running.kubectl


@pytest.fixture
def manifest() -> Callable[..., str]:
    """Function: cluster.manifest."""
    return cluster.manifest
