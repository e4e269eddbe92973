# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What validation says of the controllers of the control planes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta, timezone

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure, validate
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

NAME = "kops-controller-manager"


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def lead(api: FakeKubernetes, seconds: float, leader: str = "i-1_abc") -> None:
    """Somebody has renewed the Lease so many seconds ago."""
    moment = (datetime.now(timezone.utc) - timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    spec = {"holderIdentity": leader, "renewTime": moment}
    api.add("Lease", NAME, "kube-system", "coordination.k8s.io/v1", spec=spec)


def failures(api: FakeKubernetes) -> list[Failure]:
    return validate(api.client(), []).failures


def test_a_cluster_without_them(api: FakeKubernetes) -> None:
    api.add("ConfigMap", NAME, "kube-system", data={"addons": "of another time"})
    assert failures(api) == []


def test_those_that_work(api: FakeKubernetes) -> None:
    lead(api, 20)
    assert failures(api) == []
    api.add("ConfigMap", NAME, "kube-system")
    assert failures(api) == []


def test_those_that_fail_with_the_reason(api: FakeKubernetes) -> None:
    lead(api, 20)
    api.add("ConfigMap", NAME, "kube-system", data={"addons": "s3://store: 403", "records": "Route 53: 403", "b": ""})
    assert failures(api) == [
        Failure("Addon", "addons", "fails: s3://store: 403"),
        Failure("Controller", "records", "fails: Route 53: 403"),
    ]


@pytest.mark.parametrize("leader", ["i-1_abc", ""])
def test_nobody_leads(api: FakeKubernetes, leader: str) -> None:
    lead(api, 200, leader)
    (failure,) = failures(api)
    assert (failure.kind, failure.name) == ("Controller", NAME)
    assert "run on no control plane; the last one was " in failure.message
    assert (leader or "stopped") in failure.message
