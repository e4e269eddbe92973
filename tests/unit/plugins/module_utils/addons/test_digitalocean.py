# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of DigitalOcean, of which there is no case of kops: the facts on which a cluster depends."""

from __future__ import annotations

from ansible_collections.kubeops.kops.plugins.module_utils.addons.digitalocean import csi_driver

from tests.support.addons import asked_of, made, pod


def test_images_of_stateful_sets_come_from_where_the_specification_says() -> None:
    spec = {"cloudProvider": {"do": {}}, "assets": {"containerRegistry": "registry.example.com"}}
    objects = made(csi_driver.ADDON, asked_of(spec))
    images = [each["image"] for each in pod(objects, "StatefulSet", "csi-do-controller")["containers"]]
    assert images[-1] == "registry.example.com/digitalocean-do-csi-plugin:v4.16.0"
    # kops adds this label to pods of Deployments and DaemonSets only.
    label = "kops.k8s.io/managed-by"
    assert label not in objects["StatefulSet", "csi-do-controller"]["spec"]["template"]["metadata"]["labels"]
    assert label in objects["DaemonSet", "csi-do-node"]["spec"]["template"]["metadata"]["labels"]
