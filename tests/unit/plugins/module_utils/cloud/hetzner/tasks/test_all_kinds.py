# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What all kinds have: labels, names that are another's, and a second run that writes nothing."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner import names
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.hetzner.kinds import (
    BALANCER,
    FIREWALL,
    NETWORK,
    SSH_KEY,
    VOLUME,
)
from ansible_collections.kubeops.kops.tests.support.hetzner import applying
from ansible_collections.kubeops.kops.tests.support.hetzner.server import HetznerServer

KINDS = ("networks", "firewalls", "volumes", "ssh_keys", "placement_groups", "load_balancers")


def test_labels_of_others_stay(server: HetznerServer) -> None:
    applying.applied(applying.client(), applying.tasks())
    objects = server.project.objects
    for kind in KINDS:
        for each in objects.all(kind):
            each["labels"]["mine"] = "yes"
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
    server.calls.clear()
    plan = applying.applied(applying.client(), applying.tasks(labels={"team": "storage"}))
    assert {tuple(step.changes) for step in plan.active()} == {("labels",)}
    assert len(server.writes) == 8
    for kind in KINDS:
        for each in objects.all(kind):
            assert {"mine": "yes", "team": "storage", names.CLUSTER: applying.NAME}.items() <= each["labels"].items()
    assert applying.changes(applying.planned(applying.client(), applying.tasks(labels={"team": "storage"}))) == []


@pytest.mark.parametrize("labels", [{}, {names.CLUSTER: "other.k8s.local"}])
@pytest.mark.parametrize("kind", KINDS)
def test_what_has_the_name_and_is_anothers_is_refused(server: HetznerServer, kind: str, labels: dict[str, str]) -> None:
    applying.applied(applying.client(), applying.tasks())
    (first, *_more) = server.project.objects.all(kind)
    first["labels"] = labels
    if kind == "ssh_keys":
        first["fingerprint"] = "another"
    server.calls.clear()
    with pytest.raises(KopsError, match=rf"another .* \({first['id']}\), without the label {names.CLUSTER}=demo"):
        applying.applied(applying.client(), applying.tasks())
    assert server.writes == []


def as_kops_makes_them() -> None:
    """What kops asks for, in its order (upup/pkg/fi/cloudup/hetznertasks)."""
    cloud, own = applying.client(), {names.CLUSTER: applying.NAME}
    # It calls a key by its comment, if that is an address.
    cloud.make(SSH_KEY, {"name": "me@example.com", "public_key": applying.KEY, "labels": own})
    network = cloud.make(NETWORK, {"name": applying.NAME, "ip_range": applying.RANGE, "labels": own})
    subnet = {"type": "cloud", "network_zone": applying.ZONE, "ip_range": applying.RANGE}
    cloud.act(NETWORK, network["id"], "add_subnet", subnet, "add the subnet")
    for word, role in (("control-plane", "ControlPlane"), ("nodes", "Node")):
        selector = f"kops.k8s.io/cluster={applying.NAME},kops.k8s.io/instance-role={role}"
        firewall = {
            "name": f"{word}.{applying.NAME}",
            "labels": {**own, "kops.k8s.io/firewall-role": word},
            "rules": [{"direction": "in", "source_ips": ["::/0", "0.0.0.0/0"], "protocol": "tcp", "port": "22"}],
            "apply_to": [{"type": "label_selector", "label_selector": {"selector": selector}}],
        }
        cloud.make(FIREWALL, firewall)
    for role in ("main", "events"):
        labels = {**own, "kops.k8s.io/instance-group": "control-plane-fsn1", "kops.k8s.io/volume-role": role}
        volume = {"name": f"etcd-1.etcd-{role}.{applying.NAME}", "size": 20, "location": "fsn1", "labels": labels}
        cloud.make(VOLUME, volume)
    selector = f"kops.k8s.io/cluster={applying.NAME},kops.k8s.io/instance-role=ControlPlane"
    balancer = {
        "name": f"api.{applying.NAME}",
        "load_balancer_type": "lb11",
        "algorithm": {"type": "round_robin"},
        "location": "fsn1",
        "labels": own,
        "targets": [{"type": "label_selector", "label_selector": {"selector": selector}, "use_private_ip": True}],
        "services": [{"protocol": "tcp", "listen_port": port, "destination_port": port} for port in (3988, 443)],
        "network": network["id"],
    }
    cloud.make(BALANCER, balancer)
    cloud.read(BALANCER)


def test_those_of_kops_are_taken_over(server: HetznerServer) -> None:
    as_kops_makes_them()
    before = server.names()
    server.calls.clear()
    plan = applying.applied(applying.client(), applying.tasks())
    # Of that, kops has none.
    group = f"control-plane-fsn1.{applying.NAME}"
    assert applying.changes(plan) == [f"create PlacementGroup/{group} []"]
    assert server.names() == sorted([*before, f"placement_groups {group}"])
    assert len(server.writes) == 1
    applying.remove(applying.client())
    assert server.names() == []


def test_clusters_share_a_project(server: HetznerServer) -> None:
    other = "other.k8s.local"
    applying.applied(applying.client(), applying.tasks())
    applying.applied(applying.client(other), applying.tasks(other))
    # A project has each key once.
    assert len(server.project.objects.all("ssh_keys")) == 1
    applying.remove(applying.client(other))
    assert applying.changes(applying.planned(applying.client(), applying.tasks())) == []
