# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods of an addon are replaced when its settings change."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.apply import apply_addons
from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.addons.settings import ANNOTATION, with_settings
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving

LABELS = {"app.kubernetes.io/managed-by": "kops", "addon.kops.k8s.io/name": "web"}


def obj(kind: str, name: str, api_version: str = "v1", **more: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "kube-system", "labels": dict(LABELS)}
    return {"apiVersion": api_version, "kind": kind, "metadata": metadata, **more}


def addon() -> list[dict[str, Any]]:
    template = {"metadata": {"annotations": {"prometheus.io/port": "1"}}, "spec": {"containers": []}}
    return [
        obj("DaemonSet", "agent", "apps/v1", spec={"selector": {}, "template": template}),
        obj("ConfigMap", "agent", data={"backend": "vxlan"}),
        obj("Secret", "agent", stringData={"key": "hidden-value"}),
    ]


@pytest.fixture
def api() -> Iterator[FakeKubernetes]:
    with serving() as fake:
        fake.add("Namespace", "kube-system")
        yield fake


def changes(api: FakeKubernetes, objects: list[dict[str, Any]], *, check: bool = False) -> list[str]:
    report = apply_addons(api.client(check=check), [{"name": "web", "objects": objects}])
    return sorted(step.item for step in report.steps if step.changed)


@pytest.mark.parametrize(("index", "content"), [(1, {"data": {"backend": "udp"}}), (2, {"stringData": {"key": "b"}})])
def test_pods_are_replaced_when_settings_change(api: FakeKubernetes, index: int, content: dict[str, Any]) -> None:
    changes(api, addon())
    assert changes(api, addon()) == []
    objects = addon()
    objects[index].update(content)
    expected = sorted(["DaemonSet kube-system/agent", f"{objects[index]['kind']} kube-system/agent"])
    for check in (True, False):
        assert changes(api, objects, check=check) == expected
    assert changes(api, objects) == []
    template = api.objects["/apis/apps/v1/namespaces/kube-system/daemonsets/agent"]["spec"]["template"]
    assert sorted(template["metadata"]["annotations"]) == sorted([ANNOTATION, "prometheus.io/port"])


def test_pods_are_replaced_by_a_run_after_one_that_was_killed(api: FakeKubernetes) -> None:
    """The settings were written, and the pods were not."""
    changes(api, addon())
    objects = addon()
    objects[1]["data"] = {"backend": "udp"}
    api.objects["/api/v1/namespaces/kube-system/configmaps/agent"]["data"] = {"backend": "udp"}
    assert "DaemonSet kube-system/agent" in changes(api, objects)


def test_what_has_no_settings_and_what_is_the_user_s_stays_as_it_is() -> None:
    without = addon()[:1]
    assert with_settings(without) == without
    own = addon()
    for each in own:
        del each["metadata"]["labels"]
    assert with_settings(own) == own
    given = addon()
    before = copy.deepcopy(given)
    with_settings(given)
    assert given == before, "the plan is not changed"
