# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The metadata service of a server: who it is. It knows nothing that is secret.

HCLOUD_METADATA_ENDPOINT of the environment names another one, as for the programs of Hetzner.
"""

from __future__ import annotations

import os
import re
import urllib.request

_ENDPOINT = "http://169.254.169.254/hetzner/v1/metadata"
_SECONDS = 5
# A list in YAML, of which nothing else is needed; the interfaces are numbered as they were attached.
_NETWORK = re.compile(r"^- ", re.MULTILINE)
_ADDRESS = re.compile(r"^\s*ip: *[\"']?([0-9.]+)", re.MULTILINE)
_INTERFACE = re.compile(r"^\s*interface_num: *([0-9]+)", re.MULTILINE)


def server_id() -> str:
    """The number of the server. Raises OSError, ValueError."""
    found = _told("instance-id")
    if not found.isdecimal():
        raise ValueError(f"the metadata service says that the server's id is {found!r}")
    return found


def host_name() -> str:
    """The name of the server. Raises OSError."""
    return _told("hostname")


def location() -> str:
    """Where it is, as fsn1; the service says fsn1-dc14. Raises OSError."""
    return _told("availability-zone").partition("-")[0]


def private_address() -> str:
    """The address of its first interface in a network; "" while it has none. Raises OSError."""
    found = {}
    for network in _NETWORK.split(_told("private-networks")):
        address, interface = _ADDRESS.search(network), _INTERFACE.search(network)
        if address:
            found[int(interface[1]) if interface else 0] = address[1]
    return found[min(found)] if found else ""


def _told(path: str) -> str:
    endpoint = (os.environ.get("HCLOUD_METADATA_ENDPOINT") or _ENDPOINT).rstrip("/")
    # Never through a proxy: each server is answered for itself.
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    with direct.open(f"{endpoint}/{path}", timeout=_SECONDS) as answer:
        return str(answer.read().decode()).strip()
