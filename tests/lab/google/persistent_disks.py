# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The images of the driver of persistent disks: the driver, and the programs of the system that it calls."""

from __future__ import annotations

import pathlib

from ansible_collections.kubeops.kops.tests.lab import cache, systems
from ansible_collections.kubeops.kops.tests.lab.google import account
from ansible_collections.kubeops.kops.tests.lab.images import Image

_PROGRAMS = (
    *(f"/usr/bin/{name}" for name in ("dash", "mount", "readlink", "umount")),
    *(f"/usr/sbin/{name}" for name in ("blkid", "blockdev", "dumpe2fs", "e2fsck", "fsck", "mke2fs", "resize2fs")),
)
_LINKS = {"/usr/bin/sh": "dash", "/usr/sbin/fsck.ext4": "e2fsck", "/usr/sbin/mkfs.ext4": "mke2fs"}
# The lab's disks are loop devices, which have no serial number: they are known by the links to them.
_SERIAL = """#!/bin/sh
for link in /dev/disk/by-id/google-*; do
    if [ "$(readlink -f "$link")" = "${1#-d}" ]; then
        echo "ID_SERIAL_SHORT=${link#/dev/disk/by-id/google-}"
    fi
done
"""
_TOOLS = "usr/lib/udev_containerized"


def system() -> pathlib.Path:
    """The directory with the programs, made on first use."""

    def add(root: pathlib.Path) -> None:
        (root / _TOOLS).mkdir()
        for name in ("google_nvme_id", "scsi_id"):
            (root / _TOOLS / name).write_text(_SERIAL)
            (root / _TOOLS / name).chmod(0o755)

    return systems.of_hosts(f"persistent-disks-root-{cache.key_of(_SERIAL)}", _PROGRAMS, _LINKS, add)


IMAGES = [
    Image(
        "registry.k8s.io/cloud-provider-gcp/gcp-compute-persistent-disk-csi-driver:v1.22.1",
        {"/gce-pd-csi-driver": "gce-pd-csi-driver"},
        system=system,
        words=(f"--compute-endpoint={account.URL}",),
    ),
    # It does nothing without the kinds of snapshots, which come with another addon.
    Image("registry.k8s.io/sig-storage/csi-snapshotter:v8.2.1", {"/csi-snapshotter": "pause"}),
]
