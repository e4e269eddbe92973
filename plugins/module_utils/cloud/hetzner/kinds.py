# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Kinds of objects in Hetzner Cloud: what users call them, and where the API has them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind.

    word: what users call it. key: what answers have one under. collection: the path, whose last part answers have
    several under.
    """

    word: str
    key: str
    collection: str

    @property
    def listed(self) -> str:
        """What answers have several under."""
        return self.collection.lstrip("/")


SERVER = Kind("server", "server", "/servers")
NETWORK = Kind("network", "network", "/networks")
FIREWALL = Kind("firewall", "firewall", "/firewalls")
BALANCER = Kind("load balancer", "load_balancer", "/load_balancers")
VOLUME = Kind("volume", "volume", "/volumes")
SSH_KEY = Kind("SSH key", "ssh_key", "/ssh_keys")
PLACEMENT_GROUP = Kind("placement group", "placement_group", "/placement_groups")
ACTION = Kind("action", "action", "/actions")
# What the cloud offers to all projects.
LOCATION = Kind("location", "location", "/locations")
SERVER_TYPE = Kind("server type", "server_type", "/server_types")
IMAGE = Kind("image", "image", "/images")
