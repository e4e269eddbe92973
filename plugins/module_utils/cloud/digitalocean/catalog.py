# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What droplets can be made of: sizes and images, and the regions that have them."""

from __future__ import annotations

from typing import Any

from .cloud import Described, DigitalOceanCloud
from .kinds import IMAGE, REGION, SIZE


def sizes(cloud: DigitalOceanCloud) -> list[dict[str, Any]]:
    """All sizes. Raises KopsError."""
    return cloud.read(SIZE)


def regions(cloud: DigitalOceanCloud) -> list[dict[str, Any]]:
    """All regions. Raises KopsError."""
    return cloud.read(REGION)


def images(cloud: DigitalOceanCloud, reference: str) -> list[dict[str, Any]]:
    """The image of a slug or an id; none if there is none. Raises KopsError."""
    found = cloud.get(IMAGE, reference)
    return [found] if found else []


def region(cloud: DigitalOceanCloud, slug: str) -> Described | None:
    """The region of a slug; None if there is none, or it takes no new droplets."""
    return next((each for each in cloud.once(regions) if each["slug"] == slug and each.get("available")), None)


def size(cloud: DigitalOceanCloud, slug: str) -> Described | None:
    """The size of a slug; None if the client's region has none."""
    found = next((each for each in cloud.once(sizes) if each["slug"] == slug), None)
    return found if found and is_in(found, cloud.region) else None


def image(cloud: DigitalOceanCloud, reference: str) -> Described | None:
    """The image of a slug or an id; None if the client's region has none."""
    found = next(iter(cloud.once(images, reference)), None)
    return found if found and is_in(found, cloud.region) else None


def is_in(found: Described, region: str) -> bool:
    """Whether a region has a size or an image. region: "" is any."""
    return not region or region in (found.get("regions") or ())
