# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What is the cluster's own: by marks, as kops and Terraform leave it, and what controllers have made for Services."""

from __future__ import annotations

from typing import Any

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.resources.discovery import discover
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.resources.in_the_way import in_the_way
from ansible_collections.kubeops.kops.plugins.module_utils.engine.resource import delete_all
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK
from ansible_collections.kubeops.kops.tests.support.google.project import Project

PROJECT, REGION, NAME, SAFE = "my-project", "us-east1", "demo.example.com", "demo-example-com"
SUBDOMAIN = "a.demo.example.com"
NETWORK = f"global/networks/{SAFE}"


@pytest.fixture(name="project")
def make_project() -> Project:
    return Project(PROJECT)


def client(project: Project, name: str = NAME) -> GCECloud:
    session: Any = project
    return GCECloud(REGION, name, PROJECT, session)


def found(project: Project, name: str = NAME) -> set[str]:
    return set(discover(client(project, name)))


def url(path: str) -> str:
    return f"{LINK}{PROJECT}/{path}"


def template(project: Project, name: str = NAME) -> None:
    """As kops and Terraform make it; it names the cluster in full."""
    items = [{"key": "cluster-name", "value": name}, {"key": "kops-k8s-io-instance-group-name", "value": "nodes"}]
    interface = {"network": url(f"global/networks/{name.replace('.', '-')}")}
    properties = {"metadata": {"items": items}, "networkInterfaces": [interface]}
    project.put(f"global/instanceTemplates/nodes-{name.replace('.', '-')}", properties=properties)


def old_cluster(project: Project, name: str = NAME) -> None:
    """Of kops: without marks."""
    safe = name.replace(".", "-")
    template(project, name)
    project.put(f"global/networks/{safe}")
    network = url(f"global/networks/{safe}")
    project.put(f"regions/{REGION}/subnetworks/us-test1-{safe}", network=network, ipCidrRange="10.0.0.0/20")
    project.put(f"regions/{REGION}/routers/nat-{safe}", network=network)
    project.put(f"global/firewalls/node-to-node-{safe}", network=network, targetTags=[f"{safe}-k8s-io-role-node"])
    check = project.put(f"global/httpHealthChecks/api-{safe}")
    pool = project.put(f"regions/{REGION}/targetPools/api-{safe}", healthChecks=[check["selfLink"]])
    address = project.put(f"regions/{REGION}/addresses/api-{safe}", address="203.0.113.1")
    project.put(
        f"regions/{REGION}/forwardingRules/api-{safe}",
        target=pool["selfLink"],
        IPAddress=address["address"],
        labels={"k8s-io-cluster-name": safe},
    )


def test_a_cluster_of_kops_is_found_and_deleted(project: Project) -> None:
    old_cluster(project)
    made = discover(client(project))
    assert len(made) == len(project.objects) == 9
    delete_all(made, progress=lambda line: None, explain=str, deadline=5)
    assert project.objects == {}


def test_what_a_broken_off_deletion_left_is_found(project: Project) -> None:
    """Nothing refers any more to what has one name in each cluster."""
    old_cluster(project)
    project.drop("forwardingRules")
    kinds = {key.partition(":")[0] for key in found(project)}
    assert {"target-pool", "http-health-check", "address"} <= kinds


def test_a_cluster_whose_name_ends_with_this_one_keeps_everything(project: Project) -> None:
    old_cluster(project, SUBDOMAIN)
    assert found(project) == set()
    assert len(found(project, SUBDOMAIN)) == 9


def test_an_object_that_names_another_cluster_is_not_taken(project: Project) -> None:
    template(project)
    project.put(NETWORK, description="kubeops.kops cluster demo-example.com")
    assert found(project) == {f"instance-template:nodes-{SAFE}"}


def test_a_network_that_existed_before_stays(project: Project) -> None:
    """Though rules and subnetworks in it are the cluster's."""
    project.put("global/networks/shared")
    project.put(
        f"global/firewalls/node-to-node-{SAFE}",
        network=url("global/networks/shared"),
        targetTags=[f"{SAFE}-k8s-io-role-node"],
    )
    project.put(f"global/firewalls/of-others-{SAFE}", network=url("global/networks/shared"), targetTags=["web"])
    assert found(project) == {f"firewall-rule:node-to-node-{SAFE}"}


def service(project: Project, instance: str) -> None:
    """A load balancer as the cloud controller makes it for a Service."""
    check = project.put("global/httpHealthChecks/k8s-0123-node")
    pool = project.put(
        f"regions/{REGION}/targetPools/a0123", healthChecks=[check["selfLink"]], instances=[url(instance)]
    )
    project.put(f"regions/{REGION}/forwardingRules/a0123", target=pool["selfLink"], IPAddress="203.0.113.9")
    for name in ("k8s-fw-a0123", "k8s-0123-node-http-hc"):
        project.put(f"global/firewalls/{name}", targetTags=[f"{SAFE}-k8s-io-role-node"])


def instance(project: Project, name: str, cluster: str) -> str:
    path = f"zones/us-east1-b/instances/{name}"
    items = [{"key": "cluster-name", "value": cluster}]
    labels = {"k8s-io-cluster-name": cluster.replace(".", "-")}
    project.put(path, metadata={"items": items}, labels=labels, status="RUNNING")
    return path


def test_load_balancers_of_services_go_with_the_cluster(project: Project) -> None:
    service(project, instance(project, "nodes-1", NAME))
    assert found(project) == {
        "instance:us-east1-b/nodes-1",
        "firewall-rule:k8s-fw-a0123",
        "firewall-rule:k8s-0123-node-http-hc",
        "forwarding-rule:a0123",
        "target-pool:a0123",
        "http-health-check:k8s-0123-node",
    }


def test_a_load_balancer_before_instances_of_others_stays(project: Project) -> None:
    service(project, instance(project, "web-1", "other.example.com"))
    assert found(project) == {"firewall-rule:k8s-0123-node-http-hc"}


def test_routes_to_pods_go_if_their_instance_is_the_clusters_or_gone(project: Project) -> None:
    own, other = instance(project, "nodes-1", NAME), instance(project, "web-1", "other.example.com")
    uuid = "51a343e2-c285-4e73-b933-18a6ea44c3e"
    for number, hop in enumerate((own, other, "zones/us-east1-b/instances/gone")):
        project.put(f"global/routes/{SAFE}-{uuid}{number}", nextHopInstance=url(hop))
    project.put(f"global/routes/{SAFE}-of-somebody", nextHopInstance=url(own))
    routes = {key for key in found(project) if key.startswith("route:")}
    assert routes == {f"route:{SAFE}-{uuid}0", f"route:{SAFE}-{uuid}2"}


def test_accounts_go_with_their_roles_and_others_stay(project: Project) -> None:
    emails = [f"{name}@{PROJECT}.iam.gserviceaccount.com" for name in (f"node-{SAFE}", f"node-a-{SAFE}", "ci")]
    for email in emails:
        project.accounts[email] = {"email": email, "projectId": PROJECT}
    members = [f"serviceAccount:{email}" for email in emails]
    binding = {"role": "roles/viewer", "members": members}
    project.identity.policies[f"projects/{PROJECT}"] = {"version": 1, "etag": "a", "bindings": [binding]}
    made = discover(client(project))
    assert set(made) == {f"service-account:{emails[0]}"}
    delete_all(made, progress=lambda line: None, explain=str, deadline=5)
    assert set(project.accounts) == set(emails[1:])
    (left,) = project.identity.policies[f"projects/{PROJECT}"]["bindings"]
    assert left["members"] == members[1:]


def test_records_of_the_cluster_go_and_the_zone_stays(project: Project) -> None:
    project.dns.zones[f"{PROJECT}/example"] = {"name": "example", "dnsName": "example.com."}
    names = [f"api.{NAME}.", f"api.internal.{NAME}.", f"www.{NAME}.", f"api.{SUBDOMAIN}."]
    records = {("A", name): {"type": "A", "name": name, "ttl": 60, "rrdatas": ["203.0.113.1"]} for name in names}
    project.dns.records[f"{PROJECT}/example"] = records
    made = discover(client(project))
    assert {each.name for each in made.values()} == {f"A api.{NAME}", f"A api.internal.{NAME}"}
    delete_all(made, progress=lambda line: None, explain=str, deadline=5)
    assert {name for _type, name in project.dns.records[f"{PROJECT}/example"]} == set(names[2:])


def test_what_others_have_in_the_network_is_named(project: Project) -> None:
    old_cluster(project)
    project.put("global/firewalls/web", network=url(NETWORK), targetTags=["web"])
    project.put("global/routes/default-route-1", network=url(NETWORK))
    cloud = client(project)
    assert in_the_way(cloud, discover(cloud)) == [f"firewall-rule web: it uses network:{SAFE}"]


def test_an_instance_that_is_protected_is_named(project: Project) -> None:
    path = instance(project, "nodes-1", NAME)
    project.objects[f"{PROJECT}/{path}"]["deletionProtection"] = True
    cloud = client(project)
    assert in_the_way(cloud, discover(cloud)) == ["instance us-east1-b/nodes-1: it is protected against deletion"]


@pytest.mark.parametrize(
    "description", ["", "a disk of mine", '["a list"]', '{"kubernetes.io/created-for/pvc/name": ""}']
)
def test_a_disk_that_names_no_claim_is_of_none(project: Project, description: str) -> None:
    labels = {"k8s-io-cluster-name": SAFE}
    project.put(f"zones/{REGION}-b/disks/data", description=description, labels=labels)
    (disk,) = discover(client(project)).values()
    assert (disk.kind, disk.claim) == ("disk", "")
