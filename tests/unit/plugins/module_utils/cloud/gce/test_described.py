# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What a dump has of Google Cloud: why groups could not start instances, and health of targets; no user data."""

from __future__ import annotations

import json
from typing import Any

from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.cloud import GCECloud
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.described import described
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK
from ansible_collections.kubeops.kops.tests.support.google.project import Project

CLUSTER, LABELS = "demo.example.com", {"k8s-io-cluster-name": "demo-example-com"}
ZONE, REGION = "my-project/zones/us-east1-b", "my-project/regions/us-east1"
MANAGER = "b-nodes-demo-example-com"
QUOTA = {"error": {"code": "QUOTA_EXCEEDED", "message": "Quota 'CPUS' exceeded. Limit: 24.0 in region us-east1."}}


def everything() -> tuple[Project, dict[str, Any]]:
    """A cluster with a group and a load balancer, and what is described of it."""
    project = Project("my-project")
    session: Any = project
    cloud = GCECloud("us-east1", CLUSTER, "my-project", session)
    items = {"cluster-name": CLUSTER, "kops-k8s-io-instance-group-name": "nodes", "user-data": "a key"}
    metadata = {"items": [{"key": key, "value": value} for key, value in items.items()]}
    properties = {"machineType": "e2-medium", "labels": LABELS, "metadata": metadata}
    cloud.insert("my-project/global/instanceTemplates", {"name": "nodes-1", "properties": properties})
    template = f"{LINK}my-project/global/instanceTemplates/nodes-1"
    group = {"name": MANAGER, "baseInstanceName": "nodes", "targetSize": 1, "instanceTemplate": template}
    cloud.insert(f"{ZONE}/instanceGroupManagers", group)
    project.objects[f"{ZONE}/instanceGroupManagers/{MANAGER}"]["_errors"] = [QUOTA]
    instances = [path for path in project.objects if "/instances/" in path]
    cloud.insert(f"{REGION}/targetPools", {"name": "api", "instances": [LINK + each for each in instances]})
    rule = {"name": "api-demo", "IPAddress": "203.0.113.1", "target": f"{LINK}{REGION}/targetPools/api"}
    cloud.insert(f"{REGION}/forwardingRules", rule)
    project.objects[f"{REGION}/forwardingRules/api-demo"]["labels"] = LABELS
    # As public and internal load balancers of a cluster are named.
    service = f"{LINK}{REGION}/backendServices/api"
    project.put("regions/us-east1/backendServices/api", backends=[])
    project.put("regions/us-east1/forwardingRules/api-internal", labels=LABELS, backendService=service)
    project.forget()
    return project, {name: read() for name, read in described(cloud).items()}


def test_each_group_says_what_went_wrong() -> None:
    _project, found = everything()
    assert found["instance-group-errors"] == {MANAGER: [QUOTA]}


def test_targets_say_how_they_are() -> None:
    _project, found = everything()
    (instance,) = found["instances"]
    assert [each["instance"] for each in found["target-health"]["targetPools/api"]] == [instance["selfLink"]]
    assert found["target-health"]["backendServices/api"] == []


def test_no_user_data_is_described() -> None:
    _project, found = everything()
    assert "a key" not in json.dumps(found)


def test_nothing_is_written() -> None:
    project, found = everything()
    assert found["instance-templates"][0]["name"] == "nodes-1"
    assert project.writes == []
