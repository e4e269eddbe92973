# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""The kinds of objects that a cluster has in DigitalOcean: where the API has them, and what it calls them."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """One kind.

    word: what users call it. path: of its collection. many, one: the keys that lists and single objects are under.
    """

    word: str
    path: str
    many: str
    one: str


def records_of(domain: str) -> Kind:
    """The records of a domain, by its name."""
    return Kind(RECORD, f"/v2/domains/{domain}/records", "domain_records", "domain_record")


def members_of(vpc: str) -> Kind:
    """What lies in a VPC, by its id."""
    return Kind("member", f"/v2/vpcs/{vpc}/members", "members", "member")


def actions_of_droplet(droplet: str) -> Kind:
    """What was done with a droplet, by its id."""
    return Kind("action", f"{DROPLET.path}/{droplet}/actions", "actions", "action")


RECORD = "record"
DROPLET = Kind("droplet", "/v2/droplets", "droplets", "droplet")
VOLUME = Kind("volume", "/v2/volumes", "volumes", "volume")
BALANCER = Kind("load balancer", "/v2/load_balancers", "load_balancers", "load_balancer")
FIREWALL = Kind("firewall", "/v2/firewalls", "firewalls", "firewall")
VPC = Kind("VPC", "/v2/vpcs", "vpcs", "vpc")
SSH_KEY = Kind("SSH key", "/v2/account/keys", "ssh_keys", "ssh_key")
DOMAIN = Kind("domain", "/v2/domains", "domains", "domain")
TAG = Kind("tag", "/v2/tags", "tags", "tag")
IMAGE = Kind("image", "/v2/images", "images", "image")
SIZE = Kind("size", "/v2/sizes", "sizes", "size")
REGION = Kind("region", "/v2/regions", "regions", "region")
ACTION = Kind("action", "/v2/actions", "actions", "action")
