# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: an SSH key that droplets let in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.task import computed
from ..cloud import Described, DigitalOceanCloud
from ..kinds import SSH_KEY
from ..ownership import described
from ._digitalocean import DigitalOceanTask


@dataclass(eq=False, repr=False)
class SSHKey(DigitalOceanTask):
    """A key. An account has it once: one that is there by another name is used, and stays when the cluster goes.

    public_key: a line of OpenSSH. is_users: whether it has another name; known once it is found.
    """

    public_key: str | None = None
    is_users: bool | None = computed()

    of = SSH_KEY
    resource = "digitalocean_ssh_key"
    found_before_rendering: ClassVar[bool] = True

    def find(self, cloud: DigitalOceanCloud) -> SSHKey | None:
        wanted = _without_comment(self.public_key or "")
        same = [each for each in cloud.once(described, self.of) if _without_comment(each["public_key"]) == wanted]
        found: Described | None = next(iter(same), None)
        if found is None:
            return None
        is_users = found["name"] != self.name
        return SSHKey(self.name, id=str(found["id"]), public_key=self.public_key, is_users=is_users)

    def request(self, cloud: DigitalOceanCloud) -> dict[str, Any]:
        return {"name": self.name, "public_key": self.public_key}

    @property
    def is_lent(self) -> bool:
        return bool(self.is_users)

    @property
    def terraform_name(self) -> str:
        # As kops.
        return self.name.replace(":", "")

    def terraform_arguments(self) -> dict[str, Any]:
        return {"name": self.name, "public_key": self.public_key}


def _without_comment(key: str) -> list[str]:
    return key.split()[:2]
