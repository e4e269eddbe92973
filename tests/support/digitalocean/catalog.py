# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all accounts see: regions, sizes and images."""

from __future__ import annotations

from typing import Any

REGION, OTHER_REGION = "tor1", "fra1"
SIZE, LARGER_SIZE, OTHER_SIZE = "s-2vcpu-4gb-amd", "s-4vcpu-8gb-amd", "gpu-h100x1-80gb"
IMAGE, OTHER_IMAGE = "ubuntu-24-04-x64", "debian-13-x64"

REGIONS: list[dict[str, Any]] = [
    {"slug": REGION, "name": "Toronto 1", "available": True, "features": ["storage"], "sizes": [SIZE, LARGER_SIZE]},
    {
        "slug": OTHER_REGION,
        "name": "Frankfurt 1",
        "available": True,
        "features": ["storage"],
        "sizes": [SIZE, LARGER_SIZE, OTHER_SIZE],
    },
    {"slug": "nyc2", "name": "New York 2", "available": False, "features": [], "sizes": []},
]


def _size(slug: str, vcpus: int, memory: int, disk: int) -> dict[str, Any]:
    return {
        "slug": slug,
        "vcpus": vcpus,
        "memory": memory,
        "disk": disk,
        "transfer": 4.0,
        "price_monthly": 28.0,
        "price_hourly": 0.04,
        "regions": [each["slug"] for each in REGIONS if slug in each["sizes"]],
        "available": True,
        "description": "Basic AMD",
    }


SIZES = [
    _size(SIZE, 2, 4096, 80),
    _size(LARGER_SIZE, 4, 8192, 160),
    {**_size(OTHER_SIZE, 20, 245760, 720), "gpu_info": {"count": 1, "model": "nvidia_h100"}},
]


def _image(identifier: int, slug: str, distribution: str) -> dict[str, Any]:
    return {
        "id": identifier,
        "name": slug,
        "type": "base",
        "distribution": distribution,
        "slug": slug,
        "public": True,
        "regions": [each["slug"] for each in REGIONS if each["available"]],
        "created_at": "2026-01-01T00:00:00Z",
        "min_disk_size": 7,
        "size_gigabytes": 2.5,
        "status": "available",
    }


# So many that one page of 20 does not have them all.
IMAGES = [
    _image(1001, IMAGE, "Ubuntu"),
    _image(1002, OTHER_IMAGE, "Debian"),
    *(_image(1100 + number, f"fedora-{number}-x64", "Fedora") for number in range(20, 45)),
]


def region(slug: Any) -> dict[str, Any] | None:
    """A region; None if there is none."""
    return next((each for each in REGIONS if each["slug"] == slug), None)


def size(slug: Any) -> dict[str, Any] | None:
    """A size; None if there is none."""
    return next((each for each in SIZES if each["slug"] == slug), None)


def image(reference: Any) -> dict[str, Any] | None:
    """An image by its slug or id; None if there is none."""
    return next((each for each in IMAGES if str(reference) in (each["slug"], str(each["id"]))), None)
