# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Pods and volumes of a node whose machine has ended."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.nodes.out_of_service import (
    TAINT,
    give_free,
    held_by,
)
from ansible_collections.kubeops.kops.tests.support.fake_kubernetes import FakeKubernetes, serving


def taints(fake: FakeKubernetes) -> list[dict[str, str]]:
    return list(fake.objects["/api/v1/nodes/a"]["spec"].get("taints", []))


def test_a_node_gets_the_taint_only_if_it_holds_something() -> None:
    with serving() as fake:
        fake.add("Node", "a", spec={})
        owner = {"ownerReferences": [{"kind": "DaemonSet", "name": "agent", "controller": True}]}
        fake.add("Pod", "agent", "kube-system", metadata=owner, spec={"nodeName": "a"})
        mirror = {"annotations": {"kubernetes.io/config.mirror": "x"}}
        fake.add("Pod", "etcd", "kube-system", metadata=mirror, spec={"nodeName": "a"})
        fake.add("Pod", "elsewhere", "default", spec={"nodeName": "b"})
        lines: list[str] = []
        give_free(fake.client(), "a", lines.append)
        assert (taints(fake), lines) == ([], [])

        fake.add("Pod", "web", "default", spec={"nodeName": "a"})
        source = {"nodeName": "a", "source": {"persistentVolumeName": "pv-1"}}
        fake.add("VolumeAttachment", "csi-1", api_version="storage.k8s.io/v1", spec=source)
        assert held_by(fake.client(), "a") == ["pod default/web", "volume pv-1"]
        give_free(fake.client(), "a", lines.append, seconds=0.03, pause=0.01)
        assert taints(fake) == [TAINT]
        assert "giving free pod default/web, volume pv-1" in lines[0]
        assert "still there after 0.03 s: pod default/web, volume pv-1" in lines[1]
