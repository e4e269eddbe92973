# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What nodes get, against kops' own expectations: the tests of its nodeup, in a source tree that KOPS_SOURCE names.

What is deliberately different (docs/node-config.md) is taken out on both sides, and named here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.api import manifest
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster
from ansible_collections.kubeops.kops.plugins.module_utils.api.containerd import Runc
from ansible_collections.kubeops.kops.plugins.module_utils.api.instance_group import InstanceGroup
from ansible_collections.kubeops.kops.plugins.module_utils.api.meta import ObjectMeta
from ansible_collections.kubeops.kops.plugins.module_utils.channels.loader import load_channel
from ansible_collections.kubeops.kops.plugins.module_utils.completion.assignments import perform_assignments
from ansible_collections.kubeops.kops.plugins.module_utils.completion.cluster import complete_cluster
from ansible_collections.kubeops.kops.plugins.module_utils.completion.instance_group import complete_instance_group
from ansible_collections.kubeops.kops.plugins.module_utils.completion.settings import Settings
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import _draft
from ansible_collections.kubeops.kops.plugins.module_utils.model.node.context import NodeContext
from ansible_collections.kubeops.kops.tests.golden.facts import update_cluster_facts
from ansible_collections.kubeops.kops.tests.unit.plugins.module_utils.model.node.conftest import summed

SOURCE = os.environ.get("KOPS_SOURCE", "")
TESTS = Path(SOURCE) / "nodeup" / "pkg" / "model" / "tests"
if not TESTS.is_dir():
    pytest.skip("KOPS_SOURCE names no source tree of kops", allow_module_level=True)

COMPONENTS = ("kube-apiserver", "kube-controller-manager", "kube-scheduler", "kube-proxy")
# kops' tests name their cases; what else lies there is left over from older versions.
GO_TESTS = "".join(path.read_text() for path in TESTS.parent.glob("*_test.go"))
CASES = [
    (case, component, key.removeprefix(component)[1:] or "amd64", f"tasks-{key}.yaml")
    for case, key in re.findall(r'RunGoldenTest\(t, "tests/([^"]+)", "([^"]+)"', GO_TESTS)
    for component in COMPONENTS
    if key.startswith(component)
]
FILE_CASES = [
    *("containerdbuilder/simple/tasks.yaml", "containerdbuilder/complex/tasks.yaml", "containerdbuilder/v3/tasks.yaml"),
    *("kubelet/featuregates/tasks.yaml", "golden/hooks-containerd-exec/tasks-hooks.yaml"),
    "updateservicebuilder/automatic/tasks-updateservice.yaml",
    *("updateservicebuilder/external/tasks-updateservice.yaml", "golden/oidc/tasks-kube-apiserver.yaml"),
    *("golden/awsiam/tasks-kube-apiserver.yaml", "golden/minimal/tasks-kube-scheduler.yaml"),
]
# Where it is about the same, but not the same text: scripts of our own, keys and certificates of the test, licences.
OWN_TEXT = ("/opt/kops/bin/", "/usr/share/doc/", "/srv/kubernetes/", "/etc/kubernetes/authn.config")
PROBES = ("livenessProbe", "readinessProbe", "startupProbe")


def context_of(directory: Path, architecture: str = "amd64") -> NodeContext:
    objects = manifest.load((directory / "cluster.yaml").read_text(), ignored=[])
    cluster = next(thing for thing in objects if isinstance(thing, Cluster))
    groups = [thing for thing in objects if isinstance(thing, InstanceGroup)]
    facts = update_cluster_facts("aws")
    flags = frozenset({"APIServerNodes"})
    settings = Settings(kops_version="1.34.0", channel=load_channel("stable"), feature_flags=flags)
    perform_assignments(cluster, facts=facts, settings=settings)
    completed = complete_cluster(cluster, groups, facts=facts, settings=settings)
    if completed.spec.containerd and completed.spec.containerd.runc is None:
        # Their tests bring a runc of their own.
        completed.spec.containerd.runc = Runc(version="1.4.3")
    group = groups[0] if groups else InstanceGroup(metadata=ObjectMeta(name="nodes"))
    group.spec.role = group.spec.role or "Node"
    group = complete_instance_group(completed, group, facts=facts, settings=settings)
    return NodeContext(completed, group, architecture, files=summed(completed, architecture))


def expected(path: Path) -> list[dict[str, Any]]:
    return [task for task in yaml.safe_load_all(path.read_text()) if task]


def pod_without_differences(text: str) -> dict[str, Any]:
    pod = yaml.safe_load(text)
    pod.pop("status", None)
    (container,) = pod["spec"]["containers"]
    if container["name"] == "kube-apiserver":
        # Who may not be anonymous cannot ask: with anonymousAuth off the probes only connect.
        for probe in PROBES:
            for kind in ("httpGet", "tcpSocket"):
                container[probe].pop(kind, None)
    # Nodes are told their name, kube-proxy too.
    container["args"] = [text for text in container["args"] if not text.startswith("--hostname-override=")]
    return pod


@pytest.mark.parametrize(("case", "component", "architecture", "tasks"), CASES)
def test_static_pods_are_those_of_kops(case, component, architecture, tasks):
    context = context_of(TESTS / case, architecture)
    path = f"/etc/kubernetes/manifests/{component}.manifest"
    theirs = next(task["contents"] for task in expected(TESTS / case / tasks) if task.get("path") == path)
    ours = next(pod["content"] for pod in _draft(context).items["staticPods"] if pod["name"] == component)
    assert pod_without_differences(ours) == pod_without_differences(theirs)


@pytest.mark.parametrize(("case", "component", "architecture", "tasks"), CASES)
def test_certificates_are_those_of_kops(case, component, architecture, tasks):
    made = {certificate.name: certificate for certificate in _draft(context_of(TESTS / case)).issued}
    for task in expected(TESTS / case / tasks):
        if "signer" in task:
            ours = made[task["Name"]]
            assert (ours.signer, ours.type) == (task["signer"], task["type"])
            assert ours.subject.common_name == task["subject"]["CommonName"]
            assert list(ours.subject.organizations) == task["subject"].get("Organization", [])
            assert list(ours.alternate_names) == task.get("alternateNames", [])
            assert ours.with_authority == task.get("includeRootCertificate", False)


@pytest.mark.parametrize(("case", "component", "architecture", "tasks"), CASES)
def test_files_have_the_places_and_modes_of_kops(case, component, architecture, tasks):
    items = _draft(context_of(TESTS / case)).items
    ours = {item["path"]: int(item["mode"], 8) for item in (*items["files"], *items["directories"])}
    for task in expected(TESTS / case / tasks):
        path = task.get("path", "")
        if task.get("type") in ("file", "directory") and not path.endswith(".manifest"):
            assert ours[path] == int(task.get("mode", "0644"), 8), path


@pytest.mark.parametrize("tasks", FILE_CASES)
def test_files_and_units_are_those_of_kops(tasks):
    path = TESTS / tasks
    items = _draft(context_of(path.parent)).items
    # The first of several: those of one condition come before those of a rarer one.
    ours = {item["path"]: item.get("content") for item in reversed(items["files"])}
    ours.update({item["name"]: item.get("content") for item in reversed(items["units"])})
    compared = 0
    for task in expected(path):
        name = task.get("path") or task.get("Name") or ""
        text = task.get("contents", task.get("definition"))
        if not isinstance(text, str) or name.endswith(".manifest") or name.startswith(OWN_TEXT):
            continue
        if text.lstrip().startswith("[Unit]") and "/opt/kops/bin/" in text:
            continue
        assert _content(name, ours[name]) == _content(name, text), name
        compared += 1
    assert compared


def _content(name: str, text: str) -> Any:
    facts = {
        "BINARIES": "/usr/local/bin",
        "RESOLV_CONF": "/run/systemd/resolve/resolv.conf",
    }
    text = re.sub("@@([A-Z_]+)@@", lambda match: facts.get(match[1], match[0]), text).strip()
    if name.endswith("kubelet.conf"):
        return _without_zeros({key: value for key, value in yaml.safe_load(text).items() if key != "providerID"})
    if name.endswith("config-cni.template"):
        return yaml.safe_load(text)
    if name == "/etc/sysconfig/kubelet":
        return text.replace("--hostname-override=@@NODE_NAME@@ ", "")
    # The file is not there on every distribution.
    return text.replace("EnvironmentFile=-/etc", "EnvironmentFile=/etc")


def _without_zeros(value: Any) -> Any:
    """kops writes zeros where nothing is set, which mean to the kubelet that nothing is set."""
    if not isinstance(value, dict):
        return value
    kept = {key: _without_zeros(below) for key, below in value.items()}
    return {
        key: below for key, below in kept.items() if below not in (None, {}, "0s", "0") and (below or below is False)
    }
