# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a cluster has beside its droplets, as its model asks for it; and droplets as they are made."""

from __future__ import annotations

import base64
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.firewall import (
    TCP,
    Firewall,
    FirewallRule,
    everything,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.record import Record
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.volume import Volume
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task

from .account import Account
from .catalog import IMAGE, REGION, SIZE
from .keys import fingerprint_of

DOMAIN, PUBLIC = "example.com", "k8s.example.com"
RANGE = "10.20.0.0/20"


def public_key(cluster: str) -> str:
    """A key that no other cluster has."""
    return f"ssh-ed25519 {base64.b64encode(cluster.encode()).decode()} admin@{cluster}"


def tasks(cluster: str, public_name: str = PUBLIC, ip_range: str = RANGE) -> list[Task[Any]]:
    """A VPC, a key, volumes of two etcd clusters, a load balancer, a firewall, and names in the domain."""
    key = public_key(cluster)
    vpc = VPC(names.vpc(cluster), region=REGION, ip_range=ip_range)
    balancer = LoadBalancer(names.api(cluster), region=REGION, vpc=vpc, droplet_tag=names.control_plane_tag(cluster))
    firewall = Firewall(
        names.firewall(names.CONTROL_PLANE, cluster),
        droplet_tag=names.control_plane_tag(cluster),
        balancer=balancer,
        inbound=[*everything([ip_range]), FirewallRule(TCP, "443", balanced=True)],
    )
    volumes = [
        Volume(names.etcd_volume(etcd, "a", cluster), size=20, region=REGION, tags=names.etcd_tags(etcd, "a", cluster))
        for etcd in ("main", "events")
    ]
    internal = f"api.internal.{cluster}"
    records = [
        Record(f"{public_name} A", domain=DOMAIN, title=public_name, type="A", leads_to=balancer),
        Record(f"{internal} A", domain=DOMAIN, title=internal, type="A"),
    ]
    return [
        vpc,
        SSHKey(names.ssh_key(fingerprint_of(key), cluster), public_key=key),
        *volumes,
        balancer,
        firewall,
        *records,
    ]


def add_droplet(account: Account, cluster: str, group: str, *more: str, marked: bool = True, vpc: str = "") -> int:
    """A droplet that runs, with kops' tags. more: further tags. marked: not of kops. Returns its id."""
    tags = [names.cluster_tag(cluster), names.tag(names.GROUP, group), *more]
    if marked:
        tags.append(names.mark_tag(cluster))
    name = f"{group}-1" if marked else f"{group}.{cluster}"
    body = {"region": REGION, "size": SIZE, "image": IMAGE, "name": name, "tags": tags, "vpc_uuid": vpc}
    return account.add_droplet(body)
