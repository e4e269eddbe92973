# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The files of a hardened cluster, as a real API server reads them: what it refuses, and what its audit log holds."""

from __future__ import annotations

import json
import pathlib
import posixpath
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.client import KubernetesError
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.read import read_options
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.specification import new_cluster
from ansible_collections.kubeops.kops.tests.support.create import BASE, Facts
from ansible_collections.kubeops.kops.tests.support.kubernetes import ControlPlane, control_plane

pytestmark = [pytest.mark.lab_programs, pytest.mark.xdist_group("kubernetes")]
VALUE = "bm90IGZvciB0aGUgbG9n"


@pytest.fixture(scope="module")
def directory(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("hardened")


@pytest.fixture(scope="module")
def running(directory: pathlib.Path) -> Iterator[ControlPlane]:
    """An API server with the files and options that the specification gives it."""
    settings = Settings()
    options = read_options({**BASE, "hardened": True}, settings.feature_flags)
    spec = new_cluster(options, facts=Facts(), settings=settings).cluster.spec
    places = {}
    for asset in spec.file_assets:
        places[asset.path] = directory / posixpath.basename(str(asset.path))
        places[asset.path].write_text(str(asset.content))
    server = spec.kube_api_server
    assert server is not None
    with control_plane(
        directory,
        f"--audit-policy-file={places[server.audit_policy_file]}",
        f"--admission-control-config-file={places[server.admission_control_config_file]}",
        f"--audit-log-path={directory}/audit.log",
        # As kops runs it.
        "--allow-privileged=true",
    ) as started:
        yield started


def pod(name: str, **security: Any) -> dict[str, Any]:
    container = {"name": "main", "image": "registry.k8s.io/pause:3.10", "securityContext": security}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}


def test_pods_of_users_may_not_reach_for_the_host(running: ControlPlane) -> None:
    client = running.client()
    with pytest.raises(KubernetesError, match='violates PodSecurity "baseline:latest": privileged'):
        client.post("/api/v1/namespaces/default/pods", pod("reaching", privileged=True))
    assert client.post("/api/v1/namespaces/default/pods", pod("plain"))["metadata"]["name"] == "plain"


def test_pods_of_the_system_may(running: ControlPlane) -> None:
    path = "/api/v1/namespaces/kube-system"
    running.client().get(f"{path}/serviceaccounts/default")
    assert running.client().post(f"{path}/pods", pod("reaching", privileged=True))["metadata"]["name"] == "reaching"


def test_a_namespace_says_otherwise_by_a_label(running: ControlPlane) -> None:
    labels = {"pod-security.kubernetes.io/enforce": "privileged"}
    client = running.client()
    client.post(
        "/api/v1/namespaces",
        {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "monitoring", "labels": labels}},
    )
    account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "own"}}
    client.post("/api/v1/namespaces/monitoring/serviceaccounts", account)
    wanted = pod("agent", privileged=True)
    wanted["spec"]["serviceAccountName"] = "own"
    assert client.post("/api/v1/namespaces/monitoring/pods", wanted)["metadata"]["name"] == "agent"


def test_the_audit_log_says_who_changed_what_but_no_secrets(running: ControlPlane, directory: pathlib.Path) -> None:
    client = running.client()
    secret = {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "own"}, "data": {"key": VALUE}}
    client.post("/api/v1/namespaces/default/secrets", secret)
    client.get("/api/v1/namespaces/default/secrets/own")
    quota = {"apiVersion": "v1", "kind": "LimitRange", "metadata": {"name": "own"}, "spec": {"limits": []}}
    client.post("/api/v1/namespaces/default/limitranges", quota)
    text = (directory / "audit.log").read_text()
    assert VALUE not in text
    events = [json.loads(line) for line in text.splitlines()]
    told = {
        (event["verb"], event["objectRef"].get("resource")): event["level"]
        for event in events
        if event.get("objectRef", {}).get("name") == "own"
    }
    assert told["create", "secrets"] == told["get", "secrets"] == "Metadata"
    assert told["create", "limitranges"] == "Request"
    assert all(event["user"]["username"] for event in events)
    assert not [event for event in events if event["requestURI"].startswith(("/readyz", "/livez"))]
