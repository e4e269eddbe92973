# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean's metadata service says to a droplet."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ansible_collections.kubeops.kops.tests.lab import hosts

USER_DATA = "/metadata/v1/user-data"
DESCRIBED = "/metadata/v1.json"


def address_of(droplet: Mapping[str, Any], kind: str = "private") -> str:
    """The address of a droplet in its VPC, or the public one; "" while it has none."""
    return next((str(each["ip_address"]) for each in droplet["networks"]["v4"] if each["type"] == kind), "")


def paths_of(droplet: Mapping[str, Any], user_data: str) -> dict[str, str]:
    """Path -> text."""
    interfaces = {
        each["type"]: [{"ipv4": {"ip_address": each["ip_address"], "netmask": each["netmask"]}, "type": each["type"]}]
        for each in droplet["networks"]["v4"]
    }
    said = {
        "droplet_id": droplet["id"],
        "hostname": droplet["name"],
        "region": droplet["region"]["slug"],
        "public_keys": [hosts.key_pair().with_suffix(".pub").read_text().strip()],
        "interfaces": interfaces,
        "tags": droplet["tags"],
    }
    return {DESCRIBED: json.dumps(said), USER_DATA: user_data}
