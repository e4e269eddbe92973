# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of OpenStack, of which there is no case of kops: the facts on which a cluster depends."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.openstack import cinder_csi_driver, cloud_controller

from tests.support.addons import asked_of, made, pod


def test_openstack_is_reached_with_the_variables_of_the_environment() -> None:
    spec = {"cloudProvider": {"openstack": {"loadbalancer": {"method": "ROUND_ROBIN"}, "monitor": {"delay": "1m"}}}}
    asked = asked_of(spec, OS_USERNAME="me", OS_PROJECT_ID="new", OS_TENANT_NAME="old", OS_PROJECT_NAME="passed over")
    lines = made(cloud_controller.ADDON, asked)["Secret", "openstack-project"]["stringData"]["cloud.config"]
    assert 'username="me"\n' in lines
    assert 'tenant-id="new"\n' in lines
    assert 'tenant-name="old"\n' in lines
    assert "[LoadBalancer]\nfloating-network-id=\nlb-method=ROUND_ROBIN\n" in lines
    assert lines.endswith("create-monitor=yes\nmonitor-delay=1m\nmonitor-timeout=\nmonitor-max-retries=0\n")


@pytest.mark.parametrize(
    ("version", "tag"), [("1.34.4", "v1.34.0"), ("https://example.com/ci/v1.35.2", "v1.35.0"), ("", "latest")]
)
def test_images_of_openstack_follow_kubernetes(version: str, tag: str) -> None:
    asked = asked_of({"cloudProvider": {"openstack": {}}, "kubernetesVersion": version})
    driver = pod(made(cinder_csi_driver.ADDON, asked), "Deployment", "csi-cinder-controllerplugin")["containers"][-1]
    assert driver["image"] == f"registry.k8s.io/provider-os/cinder-csi-plugin:{tag}"


@pytest.mark.parametrize(
    ("config", "storage"), [({"manageStorageClasses": False}, {}), ({}, {"createStorageClass": False})]
)
def test_the_storage_class_of_openstack_can_be_the_users_own(config: Any, storage: Any) -> None:
    spec = {"cloudProvider": {"openstack": {"blockStorage": storage}}, "cloudConfig": config}
    assert ("StorageClass", "default") not in made(cinder_csi_driver.ADDON, asked_of(spec))
    spec = {"cloudProvider": {"openstack": {}}}
    assert ("StorageClass", "default") in made(cinder_csi_driver.ADDON, asked_of(spec))
