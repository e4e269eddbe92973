# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which objects of an account are a cluster's. No other file decides it.

Kops' tags and names have the cluster's name without its dots: those of two clusters can be the same. What was made
here names the cluster in full besides, and what names another one is never touched. What has no such mark was made by
kops, and is the cluster's by kops' tags; its droplets have the name in full at the end of theirs.
"""

from __future__ import annotations

import re
from typing import Any

from ...api.cloud_names import safe_cluster_name
from ...base.errors import KopsError
from . import names
from .cloud import Described, DigitalOceanCloud
from .kinds import BALANCER, DROPLET, FIREWALL, SSH_KEY, VOLUME, VPC, Kind

# What Kubernetes' cloud controllers call the load balancer of a Service.
_OF_SERVICE = re.compile(r"a[0-9a-f]{31}")


def read_droplets(cloud: DigitalOceanCloud) -> list[dict[str, Any]]:
    """All with kops' tag of the cluster. One call for 200 of them."""
    return cloud.read(DROPLET, tag_name=names.cluster_tag(cloud.cluster_name))


def described(cloud: DigitalOceanCloud, kind: Kind) -> list[dict[str, Any]]:
    """All objects of a kind, of volumes those in the region. One call for 200 of them."""
    return cloud.read(kind, **({"region": cloud.region} if kind is VOLUME and cloud.region else {}))


def is_own(found: Described, cluster: str) -> bool:
    """Whether an object that has tags is the cluster's."""
    marked = names.value_of(found, names.MARK)
    is_tagged = names.has_tag(found, names.cluster_tag(cluster))
    return is_tagged and (marked is None or names.has_tag(found, names.mark_tag(cluster)))


def droplets_of(cloud: DigitalOceanCloud) -> list[Described]:
    """The cluster's droplets, as they were read last."""
    return [each for each in cloud.once(read_droplets) if _is_own_droplet(each, cloud.cluster_name)]


def _is_own_droplet(droplet: Described, cluster: str) -> bool:
    is_named = names.value_of(droplet, names.MARK) is not None or str(droplet["name"]).endswith(f".{cluster}")
    return is_named and is_own(droplet, cluster)


def volumes_of(cloud: DigitalOceanCloud) -> list[Described]:
    """Etcd's. Those of claims stay. Raises KopsError if those of kops could be another cluster's."""
    found: list[Described] = [
        each
        for each in cloud.once(described, VOLUME)
        if is_own(each, cloud.cluster_name)
        and any(tag.lower().startswith(names.ETCD.lower()) for tag in names.tags_of(each))
    ]
    if any(names.value_of(each, names.MARK) is None for each in found):
        refuse_lookalikes(cloud)
    return found


def api_balancers_of(cloud: DigitalOceanCloud) -> list[Described]:
    """That of the API, by its name and its tag. Raises KopsError if both could be another cluster's."""
    found: list[Described] = [each for each in cloud.once(described, BALANCER) if serves_api(each, cloud.cluster_name)]
    if found:
        refuse_lookalikes(cloud)
    return found


def serves_api(balancer: Described, cluster: str) -> bool:
    """Whether a load balancer is that of a cluster's API."""
    tag = str(balancer.get("tag") or "")
    return balancer["name"] == names.api(cluster) and tag.lower() == names.control_plane_tag(cluster).lower()


def firewalls_of(cloud: DigitalOceanCloud) -> list[Described]:
    """Those that have the cluster's name, and are for its droplets."""
    return [each for each in cloud.once(described, FIREWALL) if guards(each, cloud.cluster_name)]


def guards(firewall: Described, cluster: str) -> bool:
    """Whether a firewall is a cluster's: by its name, which has that of the cluster in full, and its tag."""
    tags = {
        names.firewall(names.NODES, cluster): names.cluster_tag(cluster),
        names.firewall(names.CONTROL_PLANE, cluster): names.control_plane_tag(cluster),
    }
    tag = tags.get(str(firewall["name"]))
    return tag is not None and names.has_tag(firewall, tag)


def balancers_of_services(cloud: DigitalOceanCloud) -> list[Described]:
    """Those that the cloud controller has made: named by it, with droplets of the cluster alone behind them."""
    own = {each["id"] for each in droplets_of(cloud)}
    return [
        each
        for each in cloud.once(described, BALANCER)
        if _OF_SERVICE.fullmatch(str(each["name"])) and each.get("droplet_ids") and own >= set(each["droplet_ids"])
    ]


def vpcs_of(cloud: DigitalOceanCloud) -> list[Described]:
    """That which names the cluster; one that kops has made does so after the first update."""
    return [each for each in cloud.once(described, VPC) if each.get("description") == names.mark(cloud.cluster_name)]


def can_take_over(cloud: DigitalOceanCloud, vpc: Described) -> bool:
    """Whether a VPC of the cluster's name that names no cluster was made by kops: something of the cluster is in it."""
    within = [*droplets_of(cloud), *api_balancers_of(cloud)]
    is_free = not names.is_mark(str(vpc.get("description") or "")) and not vpc.get("default")
    return is_free and any(each.get("vpc_uuid") == vpc["id"] for each in within)


def ssh_keys_of(cloud: DigitalOceanCloud) -> list[Described]:
    """Those that are named after the cluster and their own fingerprint."""
    return [
        each
        for each in cloud.once(described, SSH_KEY)
        if each["name"] == names.ssh_key(str(each["fingerprint"]), cloud.cluster_name)
    ]


def refuse_lookalikes(cloud: DigitalOceanCloud) -> None:
    """Raise KopsError if the account has a cluster whose name differs only in dots and dashes from this one's."""
    others, own = set(), names.cluster_tag(cloud.cluster_name)
    for each in [*cloud.once(read_droplets), *cloud.once(described, VOLUME)]:
        marked = names.value_of(each, names.MARK)
        if marked and names.has_tag(each, own) and not is_own(each, cloud.cluster_name):
            others.add(marked.replace("_", "."))
    others |= {f"that of droplet {each['name']}" for each in cloud.once(read_droplets) if _is_of_lookalike(cloud, each)}
    if others:
        raise KopsError(
            f"the account has another cluster, {', '.join(sorted(others))}, whose name is that of {cloud.cluster_name}"
            " without its dots: droplets of both have the same tags; use another account, or another name"
        )


def _is_of_lookalike(cloud: DigitalOceanCloud, droplet: Described) -> bool:
    """Whether kops has made a droplet, for another cluster of the same tag."""
    if names.value_of(droplet, names.MARK) is not None or _is_own_droplet(droplet, cloud.cluster_name):
        return False
    return safe_cluster_name(str(droplet["name"])).endswith(f"-{safe_cluster_name(cloud.cluster_name)}")
