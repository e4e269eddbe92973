# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a project can make servers of: locations, types and images."""

from __future__ import annotations

from typing import Any

from .cloud import Described, HetznerCloud, described
from .kinds import IMAGE, LOCATION, SERVER_TYPE

# The API's names for processors -> Kubernetes'.
ARCHITECTURES = {"x86": "amd64", "arm": "arm64"}


def locations(cloud: HetznerCloud) -> list[Described]:
    """All of them."""
    return list(cloud.once(described, LOCATION))


def location(cloud: HetznerCloud, name: str) -> Described | None:
    """The location of that name; None if there is none."""
    return next((each for each in locations(cloud) if each["name"] == name), None)


def server_types(cloud: HetznerCloud) -> list[Described]:
    """All of them, also those that no location offers any more."""
    return list(cloud.once(described, SERVER_TYPE))


def server_type(cloud: HetznerCloud, name: str) -> Described | None:
    """The type of that name; None if there is none."""
    return next((each for each in server_types(cloud) if each["name"] == name), None)


def architecture_of(found: Described) -> str:
    """Of a type or an image, in Kubernetes' words."""
    return ARCHITECTURES.get(str(found.get("architecture")), str(found.get("architecture") or "amd64"))


def offers(found: Described, place: str) -> bool:
    """Whether a type can be had in a location, so far as the API says it: its price is for one."""
    places = found.get("locations")
    if places:
        return any(each["name"] == place and not each.get("deprecation") for each in places)
    return any(each["location"] == place for each in found.get("prices") or ())


def images(cloud: HetznerCloud, reference: str) -> list[dict[str, Any]]:
    """The images of a name, one for each architecture; else the one of that id."""
    found = cloud.read(IMAGE, name=reference)
    if not found and reference.isdecimal():
        numbered = cloud.get(IMAGE, int(reference))
        return [numbered] if numbered else []
    return found


def image(cloud: HetznerCloud, reference: str, architecture: str = "") -> Described | None:
    """An image for an architecture, or any; of several, the one for amd64; None if there is none."""
    found = [
        each
        for each in cloud.once(images, reference)
        if each.get("status", "available") == "available" and architecture in ("", architecture_of(each))
    ]
    return min(found, key=lambda each: (architecture_of(each) != "amd64", -int(each["id"])), default=None)
