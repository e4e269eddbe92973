# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""OpenStack task: the key pair with which users log in to servers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.targets.hcl import ignoring
from ..cloud import Described, OpenStackCloud
from ..kinds import KEYPAIR
from ._openstack import OpenStackTask


@dataclass(eq=False, repr=False)
class KeyPair(OpenStackTask):
    """A key pair, of the user that logs in. public_key: a line of OpenSSH."""

    public_key: str | None = None

    of = KEYPAIR
    resource = "openstack_compute_keypair_v2"
    immutable: ClassVar[frozenset[str]] = frozenset({"public_key"})

    def find(self, cloud: OpenStackCloud) -> KeyPair | None:
        found = self.described(cloud)
        if found is None:
            return None
        same = _without_comment(found["public_key"]) == _without_comment(self.public_key or "")
        return KeyPair(self.name, id=self.name, public_key=self.public_key if same else found["public_key"])

    def request(self, cloud: OpenStackCloud) -> dict[str, Any]:
        return {"name": self.name, "public_key": self.public_key}

    def take(self, made: Described) -> None:
        # Nova knows it by its name.
        self.id = self.name

    def terraform_arguments(self) -> dict[str, Any]:
        # Its name has the fingerprint: what may differ is the comment of the key.
        return {"lifecycle": ignoring("public_key"), "name": self.name, "public_key": self.public_key}


def _without_comment(key: str) -> list[str]:
    return key.split()[:2]
