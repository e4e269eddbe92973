# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""DigitalOcean task: what the droplets of an instance group are made from (pools/template.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.task import internal, unordered
from ....statestore.secrets import SERVER_KEY
from ...pools.template import StoredTemplate
from ...tasks.secret import Secret
from ..cloud import DigitalOceanCloud
from ._digitalocean import id_of
from .ssh_key import SSHKey
from .vpc import VPC


@dataclass(eq=False, repr=False)
class ServerTemplate(StoredTemplate[DigitalOceanCloud]):
    """What droplets are made from.

    region, size: slugs. image: its slug or id. vpc: None for the region's own. ssh_keys: that they let in.
    tags: all but those that each droplet has for itself.
    server_key: by which droplets prove who they are, if they are given credentials.
    """

    region: str | None = None
    size: str | None = None
    image: str | None = None
    vpc: VPC | None = None
    ssh_keys: list[SSHKey] | None = unordered()
    tags: list[str] | None = unordered()
    server_key: Secret | None = internal()

    words: ClassVar[Mapping[str, str]] = {
        "image": "another image",
        "keys": "other SSH keys",
        "region": "another region",
        "size": "another size",
        "tags": "other tags",
        "vpc": "another VPC",
    }

    def stored(self) -> dict[str, Any]:
        return {
            "region": self.region,
            "size": self.size,
            "image": self.image,
            "vpc": self.vpc and {"name": self.vpc.name, "id": id_of(self.vpc)},
            "sshKeys": {each.name: id_of(each) for each in self.ssh_keys or ()},
            "tags": sorted(self.tags or ()),
            "key": self.server_key and self.server_key.base,
        }

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        vpc = found["vpc"]
        return {
            "region": found["region"],
            "size": found["size"],
            "image": found["image"],
            "vpc": VPC(vpc["name"], id=vpc["id"], only_id=True) if vpc else None,
            "ssh_keys": [SSHKey(name, id=each, only_id=True) for name, each in found["sshKeys"].items()],
            "tags": [*found["tags"]],
            "server_key": Secret(SERVER_KEY, base=found["key"]) if found["key"] else None,
        }

    def parts(self, number: int) -> dict[str, Any]:
        """By names of what it refers to, which are known before it is made."""
        del number
        return {
            "image": self.image,
            "keys": sorted(each.name for each in self.ssh_keys or ()),
            "region": self.region,
            "size": self.size,
            "tags": sorted(self.tags or ()),
            "vpc": self.vpc and self.vpc.name,
        }
