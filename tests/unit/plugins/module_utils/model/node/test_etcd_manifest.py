# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What the model writes into manifests of etcd is what a node reads there."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.plugins.module_utils.model.node.build import node_config
from ansible_collections.kubeops.kops.plugins.module_utils.node.etcd.manifest import local_members

FACTS = {
    "@@ETCD_MAIN_MEMBER@@": "a",
    "@@ETCD_MAIN_INITIAL_CLUSTER@@": "a=https://10.0.0.7:2380,b=https://10.0.0.8:2380",
    "@@ETCD_MAIN_INITIAL_STATE@@": "existing",
    "@@INTERNAL_IP@@": "10.0.0.7",
}


def test_a_node_reads_what_the_model_wrote(node_of, tmp_path: pathlib.Path) -> None:
    context = node_of("control-plane")
    pods = {pod["name"]: pod["content"] for pod in node_config(context)["staticPods"]}
    text = pods["etcd-main"]
    for marker, value in FACTS.items():
        text = text.replace(marker, value)
    directory = tmp_path / "etc/kubernetes/manifests"
    directory.mkdir(parents=True)
    (directory / "etcd-main.manifest").write_text(text)

    member = local_members(str(tmp_path))["main"]

    assert (member.name, member.cluster, member.initial_state) == ("a", context.name, "existing")
    assert member.peer_urls == ["https://10.0.0.7:2380"]
    assert member.endpoints() == ["https://127.0.0.1:4001", "https://10.0.0.7:4001", "https://10.0.0.8:4001"]
    assert member.volume == f"/mnt/disks/{context.name}--main--a"
    assert member.image.endswith(f"/etcd:{member.image.rpartition(':')[2]}")
    assert {"trusted-ca-file", "cert-file", "key-file", "initial-cluster-token"} <= member.options.keys()
