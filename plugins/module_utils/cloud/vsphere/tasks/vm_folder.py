# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""vSphere task: the folder of a cluster's virtual machines."""

from __future__ import annotations

from dataclasses import dataclass

from ....engine.task import internal
from ..cloud import VSphereCloud
from ..inventory import parent_folder
from ..kinds import FOLDER
from ._vsphere import TaggedTask


@dataclass(eq=False, repr=False)
class VMFolder(TaggedTask):
    """A folder. within: the folder that it is made in, as spec.cloudProvider.vsphere.folder says it."""

    within: str = internal("")

    of = FOLDER

    def parent(self, cloud: VSphereCloud) -> str:
        return str(parent_folder(cloud, self.within)["id"])

    def find(self, cloud: VSphereCloud) -> VMFolder | None:
        found = self.described(cloud)
        return VMFolder(self.name, id=found["id"], tagged=self.has_tag(cloud, found)) if found else None

    def make(self, cloud: VSphereCloud, parent: str) -> str:
        folder = cloud.object(FOLDER, parent)
        return str(cloud.call(f"make folder {self.name}", lambda: folder.CreateFolder(self.name))._moId)
