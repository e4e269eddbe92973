# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pathlib
import sys
from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import CLOUDS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import ConfigError
from ansible_collections.kubeops.kops.plugins.module_utils.node import clouds
from ansible_collections.kubeops.kops.plugins.module_utils.node.aws import cloud as aws
from ansible_collections.kubeops.kops.plugins.module_utils.node.clouds import NodeCloud, this_instance, verifier
from ansible_collections.kubeops.kops.plugins.module_utils.node.digitalocean import cloud as digitalocean
from ansible_collections.kubeops.kops.plugins.module_utils.node.gce import cloud as gce
from ansible_collections.kubeops.kops.plugins.module_utils.node.hetzner import cloud as hetzner
from ansible_collections.kubeops.kops.plugins.module_utils.node.openstack import cloud as openstack
from ansible_collections.kubeops.kops.plugins.module_utils.node.vsphere import cloud as vsphere

# For mypy: what each cloud's module must have.
OF_CLOUDS: dict[str, NodeCloud] = {
    "aws": aws,
    "digitalocean": digitalocean,
    "gce": gce,
    "hetzner": hetzner,
    "openstack": openstack,
    "vsphere": vsphere,
}
# By what workers are known.
PROVED_BY: dict[str, dict[str, Any]] = {
    "aws": {"roles": ["nodes"]},
    # By their addresses, and by a tag.
    "digitalocean": {"tag": "kubeops-cluster:demo_example_com", "behindBalancer": True},
    "gce": {"accounts": ["node@project.iam.gserviceaccount.com"]},
    # By their addresses in the network.
    "hetzner": {},
    # By their ports, of which nothing has to be said.
    "openstack": {},
    # By their addresses in the folder of the cluster.
    "vsphere": {},
}


def test_the_clouds_whose_instances_become_nodes() -> None:
    folders = {path.parent.name for path in pathlib.Path(clouds.__file__).parent.glob("*/cloud.py")}
    assert folders == OF_CLOUDS.keys()
    assert {cloud.name for cloud in CLOUDS.values() if cloud.starts_nodes} <= folders


@pytest.mark.parametrize("name", sorted(CLOUDS))
def test_a_cloud_is_found_by_its_name(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # What a control plane reads of itself there.
    monkeypatch.setattr(vsphere, "folder_of_cluster", lambda: "group-v1")
    if name in OF_CLOUDS:
        assert callable(this_instance(name).facts)
        assert callable(verifier(name, "demo.example.com", PROVED_BY[name]).identify)
        with pytest.raises(ConfigError):
            verifier(name, "demo.example.com", {}, named_by_address=name != "aws")
        return
    with pytest.raises(ConfigError, match=f"this program has no code for instances of the cloud '{name}'"):
        this_instance(name)


@pytest.mark.parametrize("name", ["", "boot", "aws.s3"])
def test_other_folders_are_no_clouds(name: str) -> None:
    with pytest.raises(ConfigError, match="this program has no code"):
        this_instance(name)


def test_a_fault_in_a_cloud_is_not_taken_for_a_cloud_that_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, aws.__name__)
    monkeypatch.setitem(sys.modules, f"{clouds.__package__}.aws.verification", None)
    with pytest.raises(ModuleNotFoundError, match="verification"):
        this_instance("aws")
