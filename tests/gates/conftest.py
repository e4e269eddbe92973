# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The collection as git sees it, and as users get it: made once for all gates of a worker."""

from __future__ import annotations

import pathlib

import pytest
from ansible_collections.kubeops.kops.tests.conftest import ROOT
from ansible_collections.kubeops.kops.tests.release import tarball as tarballs


@pytest.fixture(scope="session")
def copy(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The collection as git sees it, at ansible_collections/kubeops/kops, in a repository of its own."""
    target = tmp_path_factory.mktemp("gates") / "ansible_collections" / "kubeops" / "kops"
    return tarballs.repository_of(ROOT, target)


@pytest.fixture(scope="session")
def tarball(copy: pathlib.Path, tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    """The built collection."""
    return tarballs.build(copy, tmp_path_factory.mktemp("build"))
