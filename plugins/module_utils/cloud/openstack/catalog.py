# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a project can make servers of: flavors of Nova, and images of Glance."""

from __future__ import annotations

from typing import Any

from ...base.errors import KopsError
from .cloud import Described, OpenStackCloud
from .errors import explain


def flavors(cloud: OpenStackCloud) -> list[dict[str, Any]]:
    """All flavors. Raises KopsError."""
    try:
        return [each.to_dict(computed=False, original_names=True) for each in cloud.service("compute").flavors()]
    except Exception as error:
        raise explain(error, "reading the flavors") from error


def images(cloud: OpenStackCloud, reference: str) -> list[dict[str, Any]]:
    """The images of a name; if there are none, that of an id. Raises KopsError."""
    try:
        listing = cloud.service("image").images
        found = list(listing(name=reference)) or list(listing(id=reference))
        return [each.to_dict(computed=False, original_names=True) for each in found]
    except Exception as error:
        raise explain(error, f"looking for the image {reference}") from error


def flavor(cloud: OpenStackCloud, name: str) -> Described | None:
    """The flavor of a name; None if there is none."""
    return next((each for each in cloud.once(flavors) if each["name"] == name), None)


def image(cloud: OpenStackCloud, reference: str) -> Described | None:
    """The image of a name or an id; of several of one name, the newest; None if there is none."""
    return max(cloud.once(images, reference), key=lambda each: str(each["created_at"]), default=None)


def flavor_id(cloud: OpenStackCloud, name: str) -> str:
    """The id of a flavor. Raises KopsError if there is none."""
    found = flavor(cloud, name)
    if found is None:
        known = ", ".join(sorted(str(each["name"]) for each in cloud.once(flavors))) or "none"
        raise KopsError(f"the project has no flavor {name}, only {known}")
    return str(found["id"])


def needed_image(cloud: OpenStackCloud, reference: str) -> Described:
    """An image. Raises KopsError if there is none."""
    found = image(cloud, reference)
    if found is None:
        raise KopsError(f"the project sees no image {reference}")
    return found
