# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of Google Cloud: what no case of kops shows."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.addon import make_addon
from ansible_collections.kubeops.kops.plugins.module_utils.addons.context import AddonContext
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.addons.gce import cloud_controller, storage_classes
from ansible_collections.kubeops.kops.plugins.module_utils.addons.gce.pd_csi_driver import addon as pd_csi_driver
from ansible_collections.kubeops.kops.plugins.module_utils.api import codec
from ansible_collections.kubeops.kops.plugins.module_utils.api.cluster import Cluster

DEFAULT = "storageclass.kubernetes.io/is-default-class"


def objects(definition: AddonDefinition, spec: dict[str, Any], *features: str) -> dict[tuple[str, str], Any]:
    """The addon's objects by kind and name."""
    driver = {"enabled": True, "version": "v1.22.1", "defaultStorageClassName": "balanced-csi"}
    base = {"cloudProvider": {"gce": {"pdCSIDriver": driver}}, "cloudControllerManager": {"image": "ccm"}}
    cluster = codec.from_plain(Cluster, {"metadata": {"name": "demo.example.com"}, "spec": {**base, **spec}})
    addon = make_addon(definition, AddonContext(cluster, [], features=frozenset(features)))
    assert addon is not None
    return {(obj["kind"], obj["metadata"]["name"]): obj for obj in addon.objects}


def defaults(made: dict[tuple[str, str], Any]) -> dict[str, Any]:
    """Storage class -> what its annotation says."""
    classes = {name: obj["metadata"].get("annotations", {}) for (kind, name), obj in made.items()}
    return {name: annotations.get(DEFAULT) for name, annotations in classes.items() if (("StorageClass", name) in made)}


@pytest.mark.parametrize("chosen", ["balanced-csi", "balanced-storage"])
def test_the_specification_names_the_default_class(chosen: str) -> None:
    driver = {"enabled": True, "version": "v1", "defaultStorageClassName": chosen}
    made = objects(pd_csi_driver.ADDON, {"cloudProvider": {"gce": {"pdCSIDriver": driver}}})
    expected = {"standard-csi": "false", "balanced-csi": None, "balanced-storage": None, "ssd-csi": None}
    assert defaults(made) == {**expected, chosen: "true"}


def test_storage_classes_can_be_the_users_own() -> None:
    made = objects(pd_csi_driver.ADDON, {"cloudConfig": {"manageStorageClasses": False}})
    assert defaults(made) == {}
    assert ("CSIDriver", "pd.csi.storage.gke.io") in made


def test_without_the_driver_the_class_of_old_disks_is_the_default() -> None:
    without = {"cloudProvider": {"gce": {"pdCSIDriver": {"enabled": False}}}}
    assert defaults(objects(storage_classes.ADDON, without)) == {"standard": "true"}
    assert defaults(objects(storage_classes.ADDON, {})) == {"standard": None}


def test_mounts_with_selinux_labels_are_a_feature() -> None:
    made = objects(pd_csi_driver.ADDON, {}, "SELinuxMount")
    assert made["CSIDriver", "pd.csi.storage.gke.io"]["spec"]["seLinuxMount"] is True
    pod = made["DaemonSet", "csi-gce-pd-node"]["spec"]["template"]["spec"]
    assert pod["volumes"][-1] == {
        "name": "etc-selinux",
        "hostPath": {"path": "/etc/selinux", "type": "DirectoryOrCreate"},
    }
    assert pod["containers"][1]["volumeMounts"][-1] == {"name": "etc-selinux", "mountPath": "/etc/selinux"}


def test_the_controller_may_write_where_containerd_labels_containers() -> None:
    made = objects(cloud_controller.ADDON, {"containerd": {"selinuxEnabled": True}})
    pod = made["DaemonSet", "cloud-controller-manager"]["spec"]["template"]["spec"]
    assert pod["securityContext"] == {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}
