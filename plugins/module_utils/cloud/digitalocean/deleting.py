# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Deletion of droplets, with the tag that is theirs alone."""

from __future__ import annotations

from . import marks
from .cloud import Described, DigitalOceanCloud
from .kinds import DROPLET
from .states import lives


def delete_droplet(cloud: DigitalOceanCloud, droplet: Described) -> None:
    """Delete it; one that is gone is deleted. Volumes are detached from it by that."""
    # First: a tag that is left over would be nobody's.
    for each in marks.given_to(droplet):
        cloud.delete_tag(marks.given_tag(*each))
    cloud.delete(DROPLET, str(droplet["id"]))


def is_gone(cloud: DigitalOceanCloud, identifier: str) -> bool:
    """Whether a droplet that was deleted is gone."""
    found = cloud.get(DROPLET, identifier)
    return found is None or not lives(found)
