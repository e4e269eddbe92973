# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What OpenStack takes as names, tags, metadata and sizes (the references of Nova, Neutron and Cinder).

kops leaves it to OpenStack, and tries again for ten minutes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...cloud.openstack import names

# A server is called after its group, with seven characters more, and its Node after the server.
LONGEST_GROUP = 56
LONGEST_METADATA = 255
# Cinder's; Nova's are made of any label (servers.py).
_KEY = re.compile(r"[a-zA-Z0-9\-_:. ]{1,255}")


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What OpenStack would refuse of a specification; it need not be completed."""
    name = str(cluster.metadata.name)
    found = list(_labels("spec.cloudLabels", cluster.spec.cloud_labels))
    if len(name) > names.LONGEST_TAG:
        message = f"is the tag of networks, for which Neutron takes {names.LONGEST_TAG} characters, not {len(name)}"
        found.append(FieldError("Invalid", "metadata.name", message, name))
    for group in groups:
        found += _of_group(group)
    return found


def _of_group(group: InstanceGroup) -> Iterator[FieldError]:
    own = str(group.metadata.name)
    if len(own) > LONGEST_GROUP:
        message = f"servers are named after it; OpenStack takes {LONGEST_GROUP} characters, not {len(own)}"
        yield FieldError("Invalid", "metadata.name", message, own, group=own)
    yield from _labels("spec.cloudLabels", group.spec.cloud_labels, own)
    for key, size in (("minSize", group.spec.min_size), ("maxSize", group.spec.max_size)):
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)


def _labels(path: str, given: Mapping[str, str], group: str = "") -> Iterator[FieldError]:
    for key, value in given.items():
        if not group and not _KEY.fullmatch(key):
            message = "is a key of volumes' metadata, for which Cinder takes letters, digits and '-_:. '"
            yield FieldError("Invalid", path, message, key, group=group)
        if len(value) > LONGEST_METADATA:
            message = f"metadata in OpenStack has at most {LONGEST_METADATA} characters, not {len(value)}"
            yield FieldError("Invalid", path, message, f"{key}={value}", group=group)
