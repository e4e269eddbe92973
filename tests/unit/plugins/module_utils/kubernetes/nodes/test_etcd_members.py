# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Members of etcd, as the pods of control planes tell of them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.etcd_members import etcd_members
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        yield fake


def pod(api: FakeKubernetes, app: str, node: str, ready: str = "True") -> None:
    status = {"phase": "Running", "conditions": [{"type": "Ready", "status": ready}]}
    labels = {"labels": {"k8s-app": app}}
    api.add("Pod", f"{app}-{node}", "kube-system", metadata=labels, spec={"nodeName": node}, status=status)


def test_a_member_needs_its_pod_and_the_api_server_that_asks_it(api: FakeKubernetes) -> None:
    for node in ("a", "b", "c"):
        pod(api, "etcd-main", node, "False" if node == "b" else "True")
        pod(api, "kube-apiserver", node, "False" if node == "c" else "True")
    # Of kops, in a cluster that is being taken over.
    pod(api, "etcd-manager-main", "d")
    pod(api, "kube-apiserver", "d")
    pod(api, "etcd-events", "a")
    assert etcd_members(api.client(), ["main", "events", "cilium"]) == {
        "main": {"a": True, "b": False, "c": False, "d": True},
        "events": {"a": True},
        "cilium": {},
    }
