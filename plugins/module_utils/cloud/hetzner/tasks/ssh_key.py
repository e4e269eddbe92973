# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: the SSH key with which users log in to servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.task import computed
from .. import names
from ..cloud import HetznerCloud, described
from ..kinds import SSH_KEY
from ._hetzner import HetznerTask


@dataclass(eq=False, repr=False)
class SSHKey(HetznerTask):
    """An SSH key. public_key: a line of OpenSSH. fingerprint: MD5, with colons. is_users: known once it is found.

    A project has each key once, under any name: one that is the user's own, or of another cluster, is used as it is.
    """

    public_key: str | None = None
    fingerprint: str | None = None
    is_users: bool | None = computed()

    of = SSH_KEY
    resource = "hcloud_ssh_key"
    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: HetznerCloud) -> SSHKey | None:
        keys = cloud.once(described, self.of)
        found = next((each for each in keys if each["fingerprint"] == self.fingerprint), None)
        if found is None:
            # Another key may have its name.
            self.described(cloud)
            return None
        is_own = found["labels"].get(names.CLUSTER) == cloud.cluster_name
        labels = self.own_labels(found) if is_own else self.labels
        return SSHKey(
            self.name,
            id=found["id"],
            labels=labels,
            public_key=self.public_key,
            fingerprint=self.fingerprint,
            is_users=not is_own,
        )

    def request(self, cloud: HetznerCloud) -> dict[str, Any]:
        return {**super().request(cloud), "public_key": self.public_key}

    @property
    def is_lent(self) -> bool:
        return bool(self.is_users)

    def terraform_arguments(self) -> dict[str, Any]:
        return {**super().terraform_arguments(), "public_key": self.public_key}
