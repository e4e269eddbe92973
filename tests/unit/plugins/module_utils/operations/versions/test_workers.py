# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The version of workers while an upgrade is pending, and which versions a cluster must not get."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster, ClusterSpec
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ValidationError
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.running_versions import RunningVersions
from ansible_collections.kubeops.kops.plugins.module_utils.model.config import WORKERS_VERSION
from ansible_collections.kubeops.kops.plugins.module_utils.operations.versions.workers import (
    given_to_workers,
    is_pending,
    workers_version,
)

UNREACHABLE = RunningVersions(unknown="the API cannot be reached")


def before(version: str, workers: str = "") -> Cluster:
    """A cluster as an update has written it. workers: the version that they kept then."""
    annotations = {WORKERS_VERSION: workers} if workers else {}
    return Cluster(
        metadata=ObjectMeta(name="demo", annotations=annotations), spec=ClusterSpec(kubernetes_version=version)
    )


def running(*servers: str, kubelets: tuple[str, ...] = ()) -> RunningVersions:
    return RunningVersions(
        {f"a{index}": version for index, version in enumerate(servers, 1)},
        {f"w{index}": version for index, version in enumerate(kubelets, 1)},
    )


def test_the_api_is_only_asked_while_a_version_is_pending() -> None:
    assert not is_pending("1.34.2", None)
    assert not is_pending("1.34.2", before("1.34.2"))
    assert is_pending("1.34.2", before("1.33.4"))
    assert is_pending("1.34.2", before("1.34.2", workers="1.33.4"))
    assert given_to_workers(before("1.34.2", workers="1.33.4")) == "1.33.4"


@pytest.mark.parametrize(
    ("last", "found", "expected"),
    [
        (before("1.33.4"), running("1.33.4", "1.33.4"), "1.33.4"),
        (before("1.34.2", workers="1.33.4"), running("1.34.2", "1.33.4"), "1.33.4"),
        (before("1.34.2", workers="1.33.4"), running("1.34.2", "1.34.2"), ""),
        # They are not rolled to what is in between.
        (before("1.34.1", workers="1.33.4"), running("1.34.1", "1.34.2"), "1.33.4"),
        # They have been given a newer one than is good.
        (before("1.34.1"), running("1.34.1", "1.33.4"), "1.33.4"),
        (before("1.34.2", workers="1.33.4"), UNREACHABLE, "1.33.4"),
        (before("1.33.4"), running("1.33.4-lab.1"), "1.33.4-lab.1"),
        # Back to an older patch, API servers and workers may go in any order.
        (before("1.34.5"), running("1.34.5"), ""),
        (before("1.34.5"), UNREACHABLE, ""),
    ],
)
def test_workers_are_never_ahead(last: Cluster, found: RunningVersions, expected: str) -> None:
    made = workers_version("1.34.2", last, found)
    assert (made.version, bool(made.warning)) == (expected, bool(expected))


@pytest.mark.parametrize(
    ("wanted", "found", "message"),
    [
        ("1.35.0", running("1.34.2", "1.33.4"), "skips versions: the API server of a2 runs 1.33.4"),
        ("1.33.9", running("1.34.2", kubelets=("1.34.2", "1.33.4")), r"newer than the API servers: w1 \(1.34.2\);"),
        ("1.35.0", running("1.34.2", kubelets=("1.31.1",)), r"too old for its API server.*: w1 \(1.31.1\);"),
    ],
)
def test_versions_that_cannot_run_together_are_refused(wanted: str, found: RunningVersions, message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        workers_version(wanted, before("1.34.2"), found)
