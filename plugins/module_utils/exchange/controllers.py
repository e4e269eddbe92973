# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What update_cluster says to the controllers of a running cluster: a file of the state store.

It is not in the NodeConfig of control planes: a changed label of a group must not need new control planes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from ..base.errors import KopsError

LOCATION = "igconfig/controllers.json"


@dataclass(frozen=True)
class WantedRecord:
    """A DNS record that leads to control planes.

    addresses: "internal" or "external". servers: whose: "api" of all that serve the API, "control-plane" of those only.
    """

    name: str
    type: str
    addresses: str
    servers: str


@dataclass(frozen=True)
class Wanted:
    """The content of the file.

    labels: instance group -> labels of its Nodes. pod_ranges: whether Nodes get the prefixes of their instances.
    zone: name or id of the hosted zone, "" for none. private: whether the zone is. records: to be kept in it.
    role, account: the role with rights to the zone, and its service account in kube-system; "" if instances have them.
    """

    labels: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    pod_ranges: bool = False
    zone: str = ""
    private: bool = False
    records: tuple[WantedRecord, ...] = ()
    role: str = ""
    account: str = ""

    @classmethod
    def read(cls, content: bytes) -> Wanted:
        """The content of the file. What later versions say besides is passed over. Raises KopsError."""
        try:
            data: dict[str, Any] = json.loads(content)
            records = tuple(WantedRecord(**_known(WantedRecord, record)) for record in data.pop("records"))
            return cls(**_known(cls, data), records=records)
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise KopsError(f"{LOCATION} of the state store cannot be read: {error}") from error

    def text(self) -> str:
        """The file."""
        data = {
            "labels": self.labels,
            "pod_ranges": self.pod_ranges,
            "zone": self.zone,
            "private": self.private,
            "records": [vars(record) for record in self.records],
            "role": self.role,
            "account": self.account,
        }
        return json.dumps(data, indent=1, sort_keys=True) + "\n"


def _known(kind: type, data: Mapping[str, Any]) -> dict[str, Any]:
    names = {each.name for each in fields(kind)}
    return {name: value for name, value in data.items() if name in names}
