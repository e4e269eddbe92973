# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Clusters for the lab's cloud: what create_cluster infers, with the fields that containers and the mirror need."""

from __future__ import annotations

import os
from typing import Any
from unittest import mock

import yaml
from ansible_collections.kubeops.kops.plugins.module_utils.operations.create.cluster import create_cluster
from ansible_collections.kubeops.kops.tests.lab import binaries, capabilities, cluster, hosts, running, servers
from ansible_collections.kubeops.kops.tests.lab.cloud import account

NAME = "lab.example.com"
# Zones of moto's region in which clusters are made, in this order.
ZONES = ("us-east-1a", "us-east-1b", "us-east-1c")
# Options for a private topology, whose names are in this private zone.
DNS_ZONE = NAME.partition(".")[2]
PRIVATE = {"topology": "private", "dns": "private", "dns_zone": DNS_ZONE}

# Their programs cannot be built here.
_OF_AWS = {"cloudConfig": {"awsEBSCSIDriver": {"managed": False}}, "nodeTerminationHandler": {"enabled": False}}


def manifest(options: dict[str, Any] | None = None, spec: dict[str, Any] | None = None) -> str:
    """Cluster and instance groups as YAML documents.

    options: of create_cluster; one zone and the lab's newest Kubernetes if they say nothing else.
    spec: fields of the Cluster, to be merged over those that create_cluster and the lab give.
    """
    given = {"state_store": account.STORE, "zones": [ZONES[0]], **(options or {})}
    return made(given, environment(), cluster.merged(_OF_AWS, spec or {}))


def made(options: dict[str, Any], variables: dict[str, str], spec: dict[str, Any]) -> str:
    """The same for any cloud. options: with the state store and zones. variables: of the environment."""
    given = {
        "name": NAME,
        "kubernetes_version": binaries.KUBERNETES[binaries.NEWEST],
        "ssh_public_key": hosts.key_pair().with_suffix(".pub").read_text().strip(),
        **options,
    }
    with mock.patch.dict(os.environ, variables):
        text = create_cluster({**given, "dry_run": True}, check_mode=False).as_result()["manifest"]
    documents = list(yaml.safe_load_all(text))
    (found,) = (each for each in documents if each["kind"] == "Cluster")
    found["spec"] = cluster.merged(cluster.merged(found["spec"], lab_fields(found["spec"])), spec)
    return "---\n".join(yaml.safe_dump(document, sort_keys=False) for document in documents)


def make_private_zone() -> None:
    """Make the hosted zone of PRIVATE, which belongs to the account's own VPC as well as to the cluster's."""
    (vpc, *_others) = account.client("ec2").describe_vpcs()["Vpcs"]
    account.client("route53").create_hosted_zone(
        Name=DNS_ZONE,
        CallerReference=DNS_ZONE,
        VPC={"VPCRegion": "us-east-1", "VPCId": vpc["VpcId"]},
        HostedZoneConfig={"PrivateZone": True, "Comment": ""},
    )


def lab_fields(spec: dict[str, Any]) -> dict[str, Any]:
    """The fields that a Cluster with this spec needs in the lab, in any cloud."""
    etcd = {"image": f"registry.k8s.io/etcd:v{binaries.VERSIONS['etcd']}", "version": binaries.VERSIONS["etcd"]}
    networking = spec["networking"]
    fields: dict[str, Any] = {
        "assets": {"containerRegistry": servers.REGISTRY, "fileRepository": servers.FILES},
        "containerd": {
            "version": binaries.VERSIONS["containerd"],
            "runc": {"version": binaries.VERSIONS["runc"]},
            "registryMirrors": {"*": [f"http://{servers.REGISTRY}"]},
            "configAdditions": {
                'plugins."io.containerd.cri.v1.runtime".restrict_oom_score_adj': "true",
                **capabilities.containerd()["configAdditions"],
            },
        },
        "etcdClusters": [{**each, **etcd} for each in spec["etcdClusters"]],
        "kubeDNS": {"coreDNSImage": f"registry.k8s.io/coredns/coredns:v{binaries.VERSIONS['coredns']}"},
        "kubeProxy": {"conntrackMaxPerCore": 0},
        "kubelet": cluster.KUBELET,
        # The machine keeps the clock; no package can be installed.
        "ntp": {"managed": False},
        "updatePolicy": "external",
    }
    if "cilium" in networking:
        fields["networking"] = {"cilium": {"version": f"v{binaries.VERSIONS['cilium']}", "enableL7Proxy": False}}
    return fields


def environment() -> dict[str, str]:
    """What a controller has in its environment."""
    return {**account.environment(), **running.environment(), "KOPS_CLUSTER_NAME": NAME}
