# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of a cluster in Hetzner Cloud for tests: how they are planned, made and deleted, in whichever project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.errors import Exists
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.cloud import HetznerCloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.errors import explain
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import SERVER
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.firewall import Firewall, FirewallRule
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.load_balancer import (
    LoadBalancer,
    Service,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network_subnet import NetworkSubnet
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.placement_group import PlacementGroup
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.volume import Volume
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.plan import Plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import make_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.plugins.module_utils.statestore.ssh_keys import fingerprint

KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f demo"
NAME, ZONE, LOCATION, RANGE = "demo.k8s.local", "eu-central", "fsn1", "10.10.0.0/16"
SSH = FirewallRule("tcp", "22", ("0.0.0.0/0", "::/0"))
HTTPS, BOOTSTRAP = Service(443, 443), Service(3988, 3988)


def client(cluster: str = NAME) -> HetznerCloud:
    """A client that knows nothing yet."""
    return HetznerCloud(ZONE, cluster)


def tasks(
    cluster: str = NAME,
    rules: Sequence[FirewallRule] = (SSH,),
    services: Sequence[Service] = (HTTPS, BOOTSTRAP),
    labels: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """What a cluster has beside servers: key -> task, of each kind. labels: more of them."""
    own = {**names.of_cluster(cluster), **(labels or {})}
    network = Network(cluster, labels=own, ip_range=RANGE)
    control_planes = names.servers_of(names.CONTROL_PLANE, cluster)
    etcd = {**own, names.GROUP: "control-plane-fsn1"}
    subnet = NetworkSubnet(f"{cluster}-{RANGE}", network=network, ip_range=RANGE, zone=ZONE)
    made: list[Task[Any]] = [
        network,
        subnet,
        *(
            Firewall(
                names.firewall(word, cluster),
                labels={**own, names.FIREWALL_ROLE: word},
                selector=names.servers_of(role, cluster),
                rules=list(rules),
            )
            for word, role in (("control-plane", names.CONTROL_PLANE), ("nodes", names.NODE))
        ),
        *(
            Volume(
                f"etcd-1.etcd-{role}.{cluster}", labels={**etcd, names.VOLUME_ROLE: role}, size=20, location=LOCATION
            )
            for role in ("main", "events")
        ),
        SSHKey(names.ssh_key(fingerprint(KEY), cluster), labels=own, public_key=KEY, fingerprint=fingerprint(KEY)),
        PlacementGroup(names.placement_group(LOCATION, cluster), labels=own),
    ]
    made.append(
        LoadBalancer(
            names.api(cluster),
            labels=own,
            network=network,
            location=LOCATION,
            type="lb11",
            services=list(services),
            target=control_planes,
            after=[subnet],
        )
    )
    return {each.key: each for each in made}


def server(
    cloud: HetznerCloud,
    name: str,
    role: str = names.NODE,
    network: int | None = None,
    labels: Mapping[str, str] | None = None,
) -> int:
    """Make a server of the client's cluster; its id. network: where it is. labels: instead of the cluster's."""
    own = {**names.of_cluster(cloud.cluster_name), names.ROLE: role, names.GROUP: "nodes-fsn1"}
    properties = {
        "name": name,
        "server_type": "cx23",
        "image": "debian-12",
        "location": LOCATION,
        "labels": own if labels is None else dict(labels),
        "networks": [network] if network else [],
    }
    return int(cloud.make(SERVER, properties)["id"])


def planned(cloud: HetznerCloud, wanted: dict[str, Task[Any]], **options: Any) -> Plan:
    return make_plan(wanted, cloud, explain=lambda error: str(explain(error)), **options)


def applied(cloud: HetznerCloud, wanted: dict[str, Task[Any]], told: list[str] | None = None, **options: Any) -> Plan:
    """Make everything so; returns what was planned. told: gets the lines of progress."""
    plan = planned(cloud, wanted, **options)
    apply_plan(
        plan,
        cloud,
        progress=(told if told is not None else []).append,
        explain=lambda error: str(explain(error)),
        is_conflict=lambda error: isinstance(error, Exists),
        deadline=60,
    )
    return plan


def changes(plan: Plan) -> list[str]:
    return [f"{step.action.value} {step.task.key} {sorted(step.changes)}" for step in plan.active()]


def remove(cloud: HetznerCloud, told: list[str] | None = None) -> None:
    """Delete all objects of a client's cluster."""
    delete_all(
        discover(cloud),
        progress=(told if told is not None else []).append,
        explain=lambda error: str(explain(error)),
        deadline=60,
    )
