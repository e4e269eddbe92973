# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Addons of Google Cloud: what no case of kops shows."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.addons.definition import AddonDefinition
from ansible_collections.kubeops.kops.plugins.module_utils.addons.gce import cloud_controller, storage_classes
from ansible_collections.kubeops.kops.plugins.module_utils.addons.gce.pd_csi_driver import addon as pd_csi_driver

from tests.support.addons import Made, asked_of, made

DEFAULT = "storageclass.kubernetes.io/is-default-class"


def objects(definition: AddonDefinition, spec: dict[str, Any], *features: str) -> Made:
    """The addon's objects by kind and name."""
    driver = {"enabled": True, "version": "v1.22.1", "defaultStorageClassName": "balanced-csi"}
    base = {"cloudProvider": {"gce": {"pdCSIDriver": driver}}, "cloudControllerManager": {"image": "ccm"}}
    return made(definition, asked_of({**base, **spec}, features=features))


def defaults(found: Made) -> dict[str, Any]:
    """Storage class -> what its annotation says."""
    classes = {name: obj["metadata"] for (kind, name), obj in found.items() if kind == "StorageClass"}
    return {name: metadata.get("annotations", {}).get(DEFAULT) for name, metadata in classes.items()}


@pytest.mark.parametrize("chosen", ["balanced-csi", "balanced-storage"])
def test_the_specification_names_the_default_class(chosen: str) -> None:
    driver = {"enabled": True, "version": "v1", "defaultStorageClassName": chosen}
    found = objects(pd_csi_driver.ADDON, {"cloudProvider": {"gce": {"pdCSIDriver": driver}}})
    expected = {"standard-csi": "false", "balanced-csi": None, "balanced-storage": None, "ssd-csi": None}
    assert defaults(found) == {**expected, chosen: "true"}


def test_storage_classes_can_be_the_users_own() -> None:
    found = objects(pd_csi_driver.ADDON, {"cloudConfig": {"manageStorageClasses": False}})
    assert defaults(found) == {}
    assert ("CSIDriver", "pd.csi.storage.gke.io") in found


def test_without_the_driver_the_class_of_old_disks_is_the_default() -> None:
    without = {"cloudProvider": {"gce": {"pdCSIDriver": {"enabled": False}}}}
    assert defaults(objects(storage_classes.ADDON, without)) == {"standard": "true"}
    assert defaults(objects(storage_classes.ADDON, {})) == {"standard": None}


def test_mounts_with_selinux_labels_are_a_feature() -> None:
    found = objects(pd_csi_driver.ADDON, {}, "SELinuxMount")
    assert found["CSIDriver", "pd.csi.storage.gke.io"]["spec"]["seLinuxMount"] is True
    pod = found["DaemonSet", "csi-gce-pd-node"]["spec"]["template"]["spec"]
    assert pod["volumes"][-1] == {
        "name": "etc-selinux",
        "hostPath": {"path": "/etc/selinux", "type": "DirectoryOrCreate"},
    }
    assert pod["containers"][1]["volumeMounts"][-1] == {"name": "etc-selinux", "mountPath": "/etc/selinux"}


def test_the_controller_may_write_where_containerd_labels_containers() -> None:
    found = objects(cloud_controller.ADDON, {"containerd": {"selinuxEnabled": True}})
    pod = found["DaemonSet", "cloud-controller-manager"]["spec"]["template"]["spec"]
    assert pod["securityContext"] == {"seLinuxOptions": {"type": "spc_t", "level": "s0"}}
