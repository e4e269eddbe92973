# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Notes that are kept in tags of launch templates: what AWS would otherwise have to be asked group by group.

They are read for all templates in one call. kops does not look at tags of a template, and instances do not get them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..cloud import to_tags

if TYPE_CHECKING:
    from ..cloud import AWSCloud

# A hash of the lifecycle hooks that the group of this template has.
HOOKS = "kubeops.kops/lifecycle-hooks"
# Versions below this number have been deleted.
PRUNED = "kubeops.kops/pruned-below"


def read_note(cloud: AWSCloud, template_id: str | None, key: str) -> str:
    """A note about a template; "" when there is none."""
    return cloud.once(_read_notes).get((str(template_id), key), "")


def write_note(cloud: AWSCloud, template_id: str | None, key: str, value: str) -> None:
    """Keep a note about a template."""
    cloud.client("ec2").create_tags(Resources=[str(template_id)], Tags=to_tags({key: value}))


def _read_notes(cloud: AWSCloud) -> dict[tuple[str, str], str]:
    filters = [
        {"Name": "resource-type", "Values": ["launch-template"]},
        {"Name": "key", "Values": [HOOKS, PRUNED]},
    ]
    found = cloud.paged("ec2", "describe_tags", "Tags", Filters=filters)
    return {(tag["ResourceId"], tag["Key"]): tag.get("Value", "") for tag in found}
