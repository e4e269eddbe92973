# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform is told of a cluster at Hetzner. Names and arguments are compared with kops' case by script/golden."""

from __future__ import annotations

from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import HETZNER
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.load_balancer import LoadBalancer
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import look_up
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import imports_of
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Task
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner import whole_clusters as clusters
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer
from ansible_collections.kubeops.kops.tests.support.rendered import resources

TITLE = "minimal-example-com"


def rendered(tasks: dict[str, Task[Any]]) -> dict[str, str]:
    return resources(HETZNER, (task for task in tasks.values() if not task.made_directly))


def test_servers_are_made_directly() -> None:
    tasks = clusters.tasks()
    directly = {task.kind for task in tasks.values() if task.made_directly}
    assert directly == {"RemovedServers", "Server", "ServerTemplate"}
    assert not [name for name in rendered(tasks) if "server" in name]


def test_a_load_balancer_waits_for_its_network() -> None:
    found = rendered(clusters.tasks())
    attached = found[f"hcloud_load_balancer_network.api-{TITLE}"]
    assert f"depends_on = [hcloud_network_subnet.{TITLE}-10-0-0-0--16]" in attached
    target = found[f"hcloud_load_balancer_target.api-{TITLE}"]
    assert f"depends_on = [hcloud_load_balancer_network.api-{TITLE}]" in target


def test_data_of_etcd_are_never_destroyed() -> None:
    volumes = [block for name, block in rendered(clusters.tasks()).items() if name.startswith("hcloud_volume")]
    assert len(volumes) == 2
    assert all("prevent_destroy = true" in block for block in volumes)


def test_what_is_lent_is_in_no_resource(server: HetznerServer) -> None:
    lent = applying.client().make(Network.of, {"name": "theirs", "ip_range": "10.0.0.0/8"})
    applying.client().make(SSHKey.of, {"name": "my laptop", "public_key": clusters.KEY})
    tasks = clusters.tasks(change=lambda text: text.replace("  networkCIDR", "  networkID: theirs\n  networkCIDR"))
    look_up(tasks.values(), applying.client())
    found = rendered(tasks)
    assert not [name for name in found if name.startswith(("hcloud_network", "hcloud_ssh_key"))]
    assert f'network_id = "{lent["id"]}"' in found[f"hcloud_load_balancer_network.api-{TITLE}"]


def test_what_is_there_is_imported_by_the_ids_that_the_provider_wants(server: HetznerServer) -> None:
    cloud, tasks = applying.client(clusters.NAME), clusters.tasks()
    kept = {key: task for key, task in tasks.items() if not task.made_directly}
    applying.applied(cloud, kept)
    looked_at = {key: task for key, task in clusters.tasks().items() if not task.made_directly}
    applying.planned(applying.client(clusters.NAME), looked_at)
    found = {each.address: each.id for each in imports_of(looked_at.values())}
    assert found.keys() == rendered(kept).keys()
    network, balancer = kept[f"Network/{clusters.NAME}"].id, kept[f"LoadBalancer/api.{clusters.NAME}"].id
    assert found[f"hcloud_network_subnet.{TITLE}-10-0-0-0--16"] == f"{network}-10.0.0.0/16"
    assert found[f"hcloud_load_balancer_network.api-{TITLE}"] == f"{balancer}-{network}"
    assert found[f"hcloud_load_balancer_service.api-{TITLE}-tcp-443"] == f"{balancer}__443"
    selector = f"kops.k8s.io/cluster={clusters.NAME},kops.k8s.io/instance-role=ControlPlane"
    assert found[f"hcloud_load_balancer_target.api-{TITLE}"] == f"{balancer}__label_selector__{selector}"


def test_a_part_that_is_not_there_is_not_imported(server: HetznerServer) -> None:
    cloud, tasks = applying.client(clusters.NAME), clusters.tasks()
    applying.applied(cloud, {key: task for key, task in tasks.items() if not task.made_directly})
    balancer = tasks[f"LoadBalancer/api.{clusters.NAME}"]
    cloud.act(LoadBalancer.of, balancer.id, "delete_service", {"listen_port": 3988}, "lose a port")
    looked_at = {key: task for key, task in clusters.tasks().items() if not task.made_directly}
    applying.planned(applying.client(clusters.NAME), looked_at)
    services = [each.name for each in imports_of(looked_at.values()) if "_service" in each.resource]
    assert services == [f"api.{clusters.NAME}-tcp-443"]
