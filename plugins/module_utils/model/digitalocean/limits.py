# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What DigitalOcean takes as names, tags and ranges (docs.digitalocean.com/reference/api).

kops leaves it to DigitalOcean, which refuses in the middle of an update.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable, Iterator

from ...api.addresses import parse_cidr
from ...api.cluster import Cluster
from ...api.instance_group import InstanceGroup
from ...base.errors import FieldError
from ...cloud.digitalocean import marks, names

# A droplet is called after its group, with nine characters more, and its host after the droplet.
LONGEST_GROUP = 54
# Networks that DigitalOcean has for itself, or for all that is Kubernetes there.
_RESERVED = ("10.244.0.0/16", "10.245.0.0/16", "10.246.0.0/24", "10.229.0.0/16")
_WIDEST, _NARROWEST = 16, 28
_SMALLEST_VOLUME, _LARGEST_VOLUME = 1, 16384
_INTERNAL = "Internal"
_NO_ROLE = "kops makes no droplets of this role in DigitalOcean"
_ROLES = ("ControlPlane", "Node")


def refused(cluster: Cluster, groups: Iterable[InstanceGroup]) -> list[FieldError]:
    """What DigitalOcean would refuse of a specification; it need not be completed."""
    name = str(cluster.metadata.name)
    found: list[FieldError] = []
    if len(names.mark_tag(name)) > names.LONGEST_TAG:
        message = (
            f"is too long for a tag: DigitalOcean takes {names.LONGEST_TAG} characters, of which it has {len(name)}"
        )
        found.append(FieldError("Invalid", "metadata.name", message, name))
    store = str(cluster.spec.config_store.base or "")
    if len(marks.store_tag(store)) > names.LONGEST_TAG:
        message = f"is a tag of droplets, for which it is too long: DigitalOcean takes {names.LONGEST_TAG} characters"
        found.append(FieldError("Invalid", "spec.configStore.base", message, store))
    found += [*_range(cluster), *_volumes(cluster)]
    balancer = cluster.spec.api.load_balancer
    if balancer is not None and balancer.type == _INTERNAL:
        message = "the load balancer at DigitalOcean is public, as kops makes it"
        found.append(FieldError("Invalid", "spec.api.loadBalancer.type", message, _INTERNAL))
    for group in groups:
        found += _of_group(group)
    return found


def _range(cluster: Cluster) -> Iterator[FieldError]:
    """Of the VPC that is made."""
    text = cluster.spec.networking.network_cidr
    network = parse_cidr(text or "")
    if network is None:
        return
    path = "spec.networking.networkCIDR"
    if not _WIDEST <= network.prefixlen <= _NARROWEST:
        message = f"a VPC has between /{_WIDEST} and /{_NARROWEST}"
        yield FieldError("Invalid", path, message, text)
    for reserved in _RESERVED:
        if network.version == 4 and network.overlaps(ipaddress.ip_network(reserved)):
            yield FieldError("Invalid", path, f"overlaps {reserved}, which DigitalOcean has for itself", text)


def _volumes(cluster: Cluster) -> Iterator[FieldError]:
    known: dict[str, str] = {}
    for index, etcd in enumerate(cluster.spec.etcd_clusters):
        path = f"spec.etcdClusters[{index}].etcdMembers"
        for member in etcd.etcd_members:
            own = f"{member.name} of {etcd.name}"
            volume = names.etcd_volume(str(etcd.name), str(member.name), str(cluster.metadata.name))
            if volume in known:
                message = f"its volume would have the name of that of {known[volume]}, which is cut: {volume}"
                yield FieldError("Invalid", path, message, member.name)
            known[volume] = own
            size = member.volume_size
            if size is not None and not _SMALLEST_VOLUME <= size <= _LARGEST_VOLUME:
                message = f"a volume has between {_SMALLEST_VOLUME} and {_LARGEST_VOLUME} GiB"
                yield FieldError("Invalid", f"{path}.volumeSize", message, size)


def _of_group(group: InstanceGroup) -> Iterator[FieldError]:
    own = str(group.metadata.name)
    if len(own) > LONGEST_GROUP:
        message = f"droplets, and their hosts, are named after it: {LONGEST_GROUP} characters at most, not {len(own)}"
        yield FieldError("Invalid", "metadata.name", message, own, group=own)
    if "." in own:
        yield FieldError("Invalid", "metadata.name", "is a tag at DigitalOcean, which has no dots", own, group=own)
    if group.spec.role and group.spec.role not in _ROLES:
        yield FieldError("Invalid", "spec.role", _NO_ROLE, group.spec.role, group=own)
    for key, size in (("minSize", group.spec.min_size), ("maxSize", group.spec.max_size)):
        if (size or 0) < 0:
            yield FieldError("Invalid", f"spec.{key}", "must be 0 or more", size, group=own)
