# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Hetzner task: what the servers of an instance group are made from (pools/template.py)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ....engine.task import internal, unordered
from ....statestore.secrets import SERVER_KEY
from ...pools.template import StoredTemplate
from ...tasks.secret import Secret
from ..cloud import HetznerCloud
from ._hetzner import id_of, refer
from .network import Network
from .placement_group import PlacementGroup
from .ssh_key import SSHKey


@dataclass(eq=False, repr=False)
class ServerTemplate(StoredTemplate[HetznerCloud]):
    """What servers are made from.

    place: the location, as fsn1. type: the server type. image: its name or id. network: whose servers they are.
    ssh_keys: that they let in. labels: all but those that each server has for itself.
    placement: keeps them on different hosts.
    server_key: by which servers prove who they are, if they are given credentials.
    """

    place: str | None = None
    type: str | None = None
    image: str | None = None
    network: Network | None = None
    ssh_keys: list[SSHKey] | None = unordered()
    labels: dict[str, str] | None = None
    placement: PlacementGroup | None = None
    server_key: Secret | None = internal()

    words: ClassVar[Mapping[str, str]] = {
        "image": "another image",
        "key": "other SSH keys",
        "labels": "other labels",
        "location": "another location",
        "placement": "another placement group",
        "type": "another server type",
    }

    def stored(self) -> dict[str, Any]:
        return {
            "location": self.place,
            "type": self.type,
            "image": self.image,
            "network": id_of(self.network),
            "sshKeys": {each.name: id_of(each) for each in self.ssh_keys or ()},
            "labels": self.labels,
            "serverKey": self.server_key and self.server_key.base,
            **({"placement": {self.placement.name: id_of(self.placement)}} if self.placement else {}),
        }

    @classmethod
    def fields_of(cls, found: Mapping[str, Any]) -> dict[str, Any]:
        return {
            "place": found["location"],
            "type": found["type"],
            "image": found["image"],
            "network": refer(Network, found["network"]),
            "ssh_keys": [SSHKey(name, id=each, only_id=True) for name, each in found["sshKeys"].items()],
            "labels": found["labels"],
            "placement": _placement(found.get("placement")),
            "server_key": Secret(SERVER_KEY, base=found["serverKey"]) if found["serverKey"] else None,
        }

    def parts(self, number: int) -> dict[str, Any]:
        del number
        return {
            "image": self.image,
            # By their names, which are known before they are made, and say which keys they are.
            "key": sorted(each.name for each in self.ssh_keys or ()),
            "labels": self.labels or {},
            "location": self.place,
            "type": self.type,
            **({"placement": self.placement.name} if self.placement else {}),
        }


def _placement(found: Mapping[str, int] | None) -> PlacementGroup | None:
    return next((PlacementGroup(name, id=each, only_id=True) for name, each in (found or {}).items()), None)
