# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Reports of clusters that never were, as data: what tests of their pages are about."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.kubernetes.validation.cluster import Failure
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.facts import (
    AddonFacts,
    BackupFacts,
    Change,
    ClusterFacts,
    Difference,
    DriftFacts,
    GroupFacts,
    KeyFacts,
    NodeFacts,
    PlanFacts,
    Report,
    Unread,
)
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.problems import problems_of
from ansible_collections.kubeops.kops.plugins.module_utils.operations.report.topology import (
    rows_of,
    with_strangers,
    zones_in,
)

NOW = datetime.datetime(2026, 5, 8, 12, tzinfo=datetime.timezone.utc)
GENERATED = "2026-05-08T12:00:00Z"
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
VERSION = "1.34.2"
CLUSTER = ClusterFacts(
    "demo.example.com",
    "AWS",
    "us-east-1",
    "s3://example-kops-state",
    "2025-11-02T09:30:00Z",
    VERSION,
    "stable",
    recommended="1.34.4",
    updated_by="1.34.1",
)
IMAGE = "099720109477/ubuntu/images/hvm-ssd-gp3/ubuntu-noble-24.04-amd64-server-20260320"


def node(number: int, group: str, zone: str, **more: Any) -> NodeFacts:
    """A healthy node, unless more fields say otherwise."""
    name = f"i-{number * 0x9E3779B97F4A7C15 % (1 << 68):017x}"
    role = "control-plane" if group.startswith("control-plane") else "node"
    made = NodeFacts(
        name,
        name,
        group,
        role,
        zone,
        "healthy",
        VERSION,
        False,
        power="running",
        machine_type="t3.medium" if role == "control-plane" else "m6i.large",
        address=f"172.20.{number // 250 + 32}.{number % 250 + 4}",
        launched=f"2026-0{number % 4 + 1}-{number % 27 + 1:02d}T08:15:00Z",
    )
    return replace(made, **more)


def groups() -> list[GroupFacts]:
    """A control plane in each zone, and two groups of workers."""
    return [
        *(GroupFacts(f"control-plane-{zone}", "control-plane", (zone,), 1, 1, 1, "t3.medium", IMAGE) for zone in ZONES),
        GroupFacts("nodes", "node", ZONES, 3, 9, 3, "m6i.large", IMAGE),
        GroupFacts("batch", "node", ZONES[:2], 0, 20, 2, "c6i.2xlarge", IMAGE),
    ]


def finished(report: Report, failures: list[Failure] | None = None, inventory: bool = False) -> dict[str, Any]:
    """A report with all that follows of its groups and nodes, as plain data."""
    nodes = report.nodes or ()
    report.groups = with_strangers(report.groups, nodes)
    report.zones, report.topology = zones_in(report.groups, nodes), rows_of(report.groups, nodes)
    report.problems = problems_of(report, failures or [], NOW, inventory)
    return report.plain()


def ailing() -> dict[str, Any]:
    """A cluster of which some of everything is not as it should be."""
    nodes = [node(number, f"control-plane-{zone}", zone) for number, zone in enumerate(ZONES, 1)]
    nodes += [node(number, "nodes", zone) for number, zone in enumerate(ZONES, 4)]
    reason = "its launch template has another version"
    nodes[4] = replace(nodes[4], outdated=True, reasons=(reason,), version="1.33.4")
    nodes += [node(7, "batch", ZONES[0], health="unhealthy"), node(8, "batch", ZONES[1], health="missing", version="")]
    nodes += [node(9, "batch", ZONES[1], state="Detached", outdated=True)]
    nodes += [node(10, "old-workers", ZONES[2], outdated=True, reasons=(reason,))]
    failures = [
        Failure("Node", nodes[6].name, "is not ready", "batch"),
        Failure("Machine", nodes[7].name, "has not joined the cluster yet", "batch"),
        Failure("Pod", "kube-system/coredns-5f8d-x7k2p", "is pending: 0/9 nodes are available", ""),
    ]
    return finished(
        Report(
            CLUSTER,
            groups(),
            nodes=nodes,
            warnings=["kubelets answer anonymous requests; set spec.kubelet.anonymousAuth to false"],
            keys=[
                KeyFacts("apiserver-aggregator-ca", "2025-11-02T09:31:00Z", "2035-11-01T09:31:00Z", 1),
                KeyFacts("etcd-clients-ca", "2025-11-02T09:31:00Z", "2035-11-01T09:31:00Z", 1),
                KeyFacts("kubernetes-ca", "2025-11-02T09:31:00Z", "2026-07-01T09:31:00Z", 1, 1),
                KeyFacts(
                    "service-account",
                    "2025-11-02T09:31:00Z",
                    "2035-11-01T09:31:00Z",
                    2,
                    0,
                    "sign with the new key pair",
                ),
            ],
            backups=[
                BackupFacts(
                    "main",
                    "s3://example-kops-state/demo.example.com/backups/etcd/main",
                    212,
                    "2025-11-02T10:00:00Z",
                    "2026-05-08T11:50:00Z",
                    4_312_000,
                    900,
                    False,
                ),
                BackupFacts(
                    "events",
                    "s3://example-kops-state/demo.example.com/backups/etcd/events",
                    190,
                    "2025-11-02T10:00:00Z",
                    "2026-05-07T03:20:00Z",
                    812_000,
                    900,
                    True,
                ),
            ],
            addons=[
                AddonFacts("kops-controller.addons.k8s.io", "k8s-1.16", "bootstrap", "applied"),
                AddonFacts("coredns.addons.k8s.io", "k8s-1.12", "bootstrap", "pending"),
                AddonFacts("networking.cilium.io", "k8s-1.16", "bootstrap", "applied"),
                AddonFacts("aws-ebs-csi-driver.addons.k8s.io", "k8s-1.17", "bootstrap", "applied"),
                AddonFacts("metrics-server.addons.k8s.io", "k8s-1.11", "", "unwanted"),
            ],
            plan=PlanFacts(
                "141b08d23d7fc519",
                {"create": 2, "update": 2, "delete": 1, "keep": 1, "unchanged": 118},
                [
                    Change("create", "SecurityGroupRule", "https-api-elb-0.0.0.0/0"),
                    Change("create", "SecurityGroupRule", "icmp-pmtu-api-elb-0.0.0.0/0"),
                    Change(
                        "update",
                        "LaunchTemplate",
                        "nodes.demo.example.com",
                        ("instance_type", "user_data"),
                        "instances only get it when they are replaced: machine type, labels of nodes",
                    ),
                    Change("update", "AutoscalingGroup", "nodes.demo.example.com", ("max_size",)),
                    Change("delete", "SecurityGroupRule", "ssh-external-to-bastion-0.0.0.0/0"),
                    Change("keep", "TargetGroup", "tcp-demo-example-com-1hs8"),
                ],
            ),
            drift=DriftFacts(
                [
                    Difference(
                        "cloud",
                        "unwanted",
                        "SecurityGroupRule",
                        "sg-0b1e: port=8080 protocol=tcp ip=192.0.2.0/24",
                        reason="in the security group nodes.demo.example.com",
                        mend="look who has made it, and delete it by hand",
                    ),
                    Difference(
                        "cluster",
                        "different",
                        "Deployment",
                        "kube-system/coredns",
                        ("spec.replicas",),
                        "addon coredns.addons.k8s.io",
                        "kubectl annotate namespace kube-system addons.k8s.io/coredns.addons.k8s.io- makes the control"
                        " planes apply the addon again",
                    ),
                    Difference(
                        "cloud", "different", "AutoscalingGroup", "nodes.demo.example.com", ("max_size",), told=True
                    ),
                ]
            ),
        ),
        failures,
    )


def healthy(workers: int = 6) -> dict[str, Any]:
    """A cluster with nothing to do, however many workers it has."""
    nodes = [node(number, f"control-plane-{zone}", zone) for number, zone in enumerate(ZONES, 1)]
    nodes += [node(number, "nodes", ZONES[number % 3]) for number in range(4, workers + 4)]
    expires = "2035-11-01T09:31:00Z"
    return finished(
        Report(
            replace(CLUSTER, recommended=""),
            groups()[:4],
            nodes=nodes,
            keys=[KeyFacts("kubernetes-ca", "2025-11-02T09:31:00Z", expires, 1)],
            backups=[
                BackupFacts("main", "s3://x/main", 3, "2026-05-08T11:00:00Z", "2026-05-08T11:50:00Z", 99, 900, False)
            ],
            addons=[AddonFacts("coredns.addons.k8s.io", "k8s-1.12", "bootstrap", "applied")],
            plan=PlanFacts("0" * 16, {"create": 0, "update": 0, "delete": 0, "keep": 0, "unchanged": 121}),
            drift=DriftFacts(),
        )
    )


def unreachable() -> dict[str, Any]:
    """A cluster of which only the specification could be read."""
    why = "the API of cluster demo.example.com cannot be reached: TCP 192.0.2.1: timed out"
    parts = ("health", "nodes", "keys", "backups", "addons", "plan", "drift")
    return finished(Report(CLUSTER, groups(), unread=[Unread(part, why) for part in parts]))


def empty() -> dict[str, Any]:
    """A cluster that is stored, and was never applied; it has no groups."""
    plan = PlanFacts(
        "1" * 16,
        {"create": 1, "update": 0, "delete": 0, "keep": 0, "unchanged": 0},
        [Change("create", "VPC", "demo.example.com")],
    )
    never = replace(CLUSTER, updated_by="", recommended="", created="", kubernetes_version="")
    return finished(Report(never, [], nodes=[], keys=[], backups=[], addons=[], plan=plan))


def hostile(text: str) -> dict[str, Any]:
    """A report in which every text that somebody else may choose is this one."""
    plan = PlanFacts(
        text,
        {"create": 0, "update": 1, "delete": 0, "keep": 0, "unchanged": 0},
        [Change("update", text, text, (text,), text)],
    )
    cluster = replace(CLUSTER, name=text, region=text, state_store=text, kubernetes_version=text, channel=text)
    bad = node(1, text, text, name=text, version=text, reasons=(text,), outdated=True, machine_type=text, address=text)
    return finished(
        Report(
            cluster,
            [GroupFacts(text, "node", (text,), 1, 1, 1, text, text)],
            unread=[Unread("plan", text)],
            warnings=[text],
            nodes=[bad, replace(bad, name=f"{text}2", state=text, power=text)],
            keys=[KeyFacts(text, next_step=text)],
            backups=[BackupFacts(text, text, 1, GENERATED, GENERATED, 1, 900, True)],
            addons=[AddonFacts(text, text, text, text)],
            plan=plan,
            drift=DriftFacts([Difference("cloud", "unwanted", text, text, (text,), text, text)], [Unread(text, text)]),
        ),
        [Failure(text, text, text, text)],
    )
