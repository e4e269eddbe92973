# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Hetzner Cloud offers to all projects: some of its locations, types and images."""

from __future__ import annotations

from typing import Any

# Name -> network zone.
ZONES = {
    "fsn1": "eu-central",
    "nbg1": "eu-central",
    "hel1": "eu-central",
    "ash": "us-east",
    "hil": "us-west",
    "sin": "ap-southeast",
}
_EUROPE = ("fsn1", "nbg1", "hel1")
# Name, cores, memory in GB, disk in GB, processor, whose processors, where.
_TYPES = (
    ("cx23", 2, 4.0, 40, "x86", "shared", _EUROPE),
    ("cx33", 4, 8.0, 80, "x86", "shared", _EUROPE),
    ("cpx11", 2, 2.0, 40, "x86", "shared", ("ash", "hil", "sin")),
    ("cpx21", 3, 4.0, 80, "x86", "shared", ("ash", "hil", "sin")),
    ("cax11", 2, 4.0, 40, "arm", "shared", _EUROPE),
    ("ccx13", 2, 8.0, 80, "x86", "dedicated", tuple(ZONES)),
)
_IMAGES = ("debian-12", "debian-13", "ubuntu-24.04")
# Name, services, targets.
_BALANCERS = (("lb11", 5, 25), ("lb21", 15, 75))


def locations() -> list[dict[str, Any]]:
    """All locations."""
    return [
        {
            "id": number,
            "name": name,
            "description": name,
            "country": "DE",
            "city": "City",
            "latitude": 50.0,
            "longitude": 12.0,
            "network_zone": zone,
        }
        for number, (name, zone) in enumerate(ZONES.items(), 1)
    ]


def server_types() -> list[dict[str, Any]]:
    """All types of servers."""
    numbers = {each["name"]: each["id"] for each in locations()}
    price = {"price_hourly": {"net": "1", "gross": "1"}, "price_monthly": {"net": "1", "gross": "1"}}
    return [
        {
            "id": number,
            "name": name,
            "description": name.upper(),
            "category": "Shared",
            "cores": cores,
            "memory": memory,
            "disk": disk,
            "storage_type": "local",
            "cpu_type": cpu,
            "architecture": architecture,
            "deprecated": False,
            "deprecation": None,
            "prices": [{"location": place, **price} for place in places],
            "locations": [
                {"id": numbers[place], "name": place, "deprecation": None, "available": True, "recommended": True}
                for place in places
            ],
        }
        for number, (name, cores, memory, disk, architecture, cpu, places) in enumerate(_TYPES, 1)
    ]


def images() -> list[dict[str, Any]]:
    """All images: each for two architectures."""
    return [
        {
            "id": 100 + number,
            "name": name,
            "type": "system",
            "status": "available",
            "description": name,
            "image_size": None,
            "disk_size": 5,
            "created": "2025-01-01T00:00:00+00:00",
            "created_from": None,
            "bound_to": None,
            "os_flavor": name.partition("-")[0],
            "os_version": name.partition("-")[2],
            "architecture": architecture,
            "rapid_deploy": True,
            "protection": {"delete": False},
            "deprecated": None,
            "deleted": None,
            "labels": {},
        }
        for number, (name, architecture) in enumerate(
            [(name, architecture) for name in _IMAGES for architecture in ("x86", "arm")]
        )
    ]


def load_balancer_types() -> list[dict[str, Any]]:
    """All types of load balancers."""
    return [
        {
            "id": number,
            "name": name,
            "description": name.upper(),
            "max_connections": 10000,
            "max_services": services,
            "max_targets": targets,
            "max_assigned_certificates": 10,
            "prices": [],
            "deprecated": None,
        }
        for number, (name, services, targets) in enumerate(_BALANCERS, 1)
    ]


def datacenters() -> list[dict[str, Any]]:
    """One for each location."""
    numbers = [each["id"] for each in server_types()]
    offered = {"supported": numbers, "available": numbers, "available_for_migration": numbers}
    return [
        {
            "id": each["id"],
            "name": f"{each['name']}-dc1",
            "description": each["name"],
            "location": each,
            "server_types": offered,
        }
        for each in locations()
    ]
