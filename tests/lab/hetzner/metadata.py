# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Hetzner's metadata service says to a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts

USER_DATA = "/hetzner/v1/userdata"
_METADATA = "/hetzner/v1/metadata"
_NETWORK = """- ip: {ip}
  alias_ips: []
  interface_num: 1
  mac_address: {mac_address}
  network_id: {network}
"""


def private_address(server: Mapping[str, Any]) -> str:
    """The address of a server in its network; "" while it has none."""
    return next((str(each["ip"]) for each in server["private_net"]), "")


def public_address(server: Mapping[str, Any]) -> str:
    """The address of a server in the world; "" if it has none."""
    return str((server["public_net"]["ipv4"] or {}).get("ip", ""))


def paths_of(server: Mapping[str, Any], user_data: str) -> dict[str, str]:
    """Path -> text."""
    key = hosts.key_pair().with_suffix(".pub").read_text().strip()
    said = {
        "instance-id": str(server["id"]),
        "hostname": server["name"],
        "availability-zone": f"{server['location']['name']}-dc14",
        "public-ipv4": public_address(server),
        "public-keys": json.dumps([key]),
        "private-networks": "".join(_NETWORK.format(**each) for each in server["private_net"]),
    }
    return {**{f"{_METADATA}/{name}": text for name, text in said.items()}, USER_DATA: user_data}
