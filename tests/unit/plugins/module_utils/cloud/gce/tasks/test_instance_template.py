# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Instance templates never change: what differs is another one, and former ones are pruned when nothing uses them."""

from __future__ import annotations

import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.address import Address
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_group_manager import (
    InstanceGroupManager,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_template import (
    AcceleratorConfig,
    InstanceTemplate,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.service_account import ServiceAccount
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.engine.executor import apply_plan
from ansible_collections.kubeops.kops.plugins.module_utils.engine.planner import PlanError
from ansible_collections.kubeops.kops.plugins.module_utils.engine.task import Deferred
from ansible_collections.kubeops.kops.tests.support.google.objects import LINK

from .conftest import apply, changed, plan

EMAIL = "node-demo@my-project.iam.gserviceaccount.com"
KEY = "InstanceTemplate/nodes-demo-example-com"
MANAGER = "zones/us-east1-b/instanceGroupManagers/b-nodes-demo-example-com"
SCRIPT = "#!/bin/bash\n\necho 'a' > /tmp/a  \n"


def template(**fields) -> InstanceTemplate:
    metadata = {
        "cluster-name": "demo.example.com",
        "kops-k8s-io-instance-group-name": "nodes",
        "startup-script": SCRIPT,
        **fields.pop("more_metadata", {}),
    }
    wanted = {
        "name_prefix": "nodes-demo-example-com",
        "project": "my-project",
        "network": Network("demo-example-com"),
        "tags": ["b", "a"],
        "labels": {"k8s-io-cluster-name": "demo-example-com"},
        "preemptible": False,
        "boot_disk_image": "ubuntu-os-cloud/ubuntu-2404",
        "boot_disk_size_gb": 128,
        "boot_disk_type": "pd-standard",
        "boot_disk_iops": 0,
        "boot_disk_throughput": 0,
        "can_ip_forward": True,
        "subnet": Subnet("us-east1-demo-example-com"),
        "alias_ip_ranges": {},
        "scopes": ["https://www.googleapis.com/auth/compute", "https://www.googleapis.com/auth/cloud-platform"],
        "service_accounts": [ServiceAccount("node", email=EMAIL)],
        "machine_type": "e2-medium",
        "has_external_ip": True,
        "stack_type": "IPV4_ONLY",
        "guest_accelerators": [],
        "metadata": metadata,
    }
    return InstanceTemplate("nodes-demo-example-com", **{**wanted, **fields})


def manager(of: InstanceTemplate) -> InstanceGroupManager:
    return InstanceGroupManager(
        "b-nodes-demo-example-com", zone="us-east1-b", base_instance_name="nodes", instance_template=of, target_size=2
    )


def names(compute) -> list[str]:
    return sorted(path.rpartition("/")[2] for path in compute.objects if "/instanceTemplates/" in path)


def deleted(made) -> list[str]:
    return [each.item for each in made.due_deletions()]


def test_what_is_made_is_what_instances_shall_be(cloud, compute):
    wanted = template()
    apply(cloud, wanted)
    made = compute.only("instanceTemplates")
    assert made["name"] == wanted.id
    assert len(made["name"]) <= 63
    properties = made["properties"]
    assert properties["disks"] == [
        {
            "autoDelete": True,
            "boot": True,
            "deviceName": "persistent-disks-0",
            "initializeParams": {
                "diskSizeGb": "128",
                "diskType": "pd-standard",
                "sourceImage": f"{LINK}ubuntu-os-cloud/global/images/ubuntu-2404",
            },
            "mode": "READ_WRITE",
            "type": "PERSISTENT",
        }
    ]
    assert properties["networkInterfaces"] == [
        {
            "accessConfigs": [{"networkTier": "PREMIUM", "type": "ONE_TO_ONE_NAT"}],
            "network": f"{LINK}my-project/global/networks/demo-example-com",
            "stackType": "IPV4_ONLY",
            "subnetwork": f"{LINK}my-project/regions/us-east1/subnetworks/us-east1-demo-example-com",
        }
    ]
    assert properties["scheduling"] == {
        "automaticRestart": True,
        "onHostMaintenance": "MIGRATE",
        "preemptible": False,
        "provisioningModel": "STANDARD",
    }
    assert {"key": "startup-script", "value": SCRIPT} in properties["metadata"]["items"]
    # kops takes a template with a description for another than it wants.
    assert "description" not in made


def test_a_second_run_writes_nothing_and_knows_the_name(cloud, compute):
    apply(cloud, template())
    wanted = template()
    assert not plan(cloud, wanted).changed
    assert wanted.id == compute.only("instanceTemplates")["name"]


def test_a_template_with_everything_is_known_again(cloud, compute):
    host = Network("net", project="host")
    fields = {
        "network": host,
        "subnet": Subnet("theirs", network=host),
        "alias_ip_ranges": {"pods-demo": "/24"},
        "preemptible": True,
        "gcp_provisioning_model": "SPOT",
        "boot_disk_iops": 3000,
        "boot_disk_throughput": 140,
        "boot_disk_image": "mine",
        "has_external_ip": False,
        "guest_accelerators": [AcceleratorConfig(1, "nvidia-tesla-t4")],
    }
    apply(cloud, template(**fields))
    properties = compute.only("instanceTemplates")["properties"]
    interface = properties["networkInterfaces"][0]
    assert "accessConfigs" not in interface
    assert interface["aliasIpRanges"] == [{"ipCidrRange": "/24", "subnetworkRangeName": "pods-demo"}]
    assert interface["subnetwork"] == f"{LINK}host/regions/us-east1/subnetworks/theirs"
    assert properties["scheduling"]["onHostMaintenance"] == "TERMINATE"
    assert not plan(cloud, template(**fields)).changed
    # Each of these can be taken back, too.
    assert changed(plan(cloud, template()))[KEY] == sorted({*fields} - {"gcp_provisioning_model"})


def test_what_kops_has_made_is_taken_over(cloud, compute):
    apply(cloud, template())
    of_kops = compute.objects.pop(next(path for path in compute.objects if "/instanceTemplates/" in path))
    compute.put("global/instanceTemplates/nodes-demo-example-com-1700000000", properties=of_kops["properties"])
    wanted = template()
    assert not plan(cloud, wanted).changed
    assert wanted.id == "nodes-demo-example-com-1700000000"


@pytest.mark.parametrize(
    ("fields", "differing", "reason"),
    [
        ({"machine_type": "e2-large"}, ["machine_type"], "another machine type"),
        ({"boot_disk_size_gb": 200}, ["boot_disk_size_gb"], "another boot disk size gb"),
        ({"more_metadata": {"startup-script": SCRIPT + "\n"}}, ["metadata"], "other user data"),
        ({"tags": ["a"]}, ["tags"], "other tags"),
        ({"more_metadata": {"ssh-keys": "a"}}, ["metadata"], "another ssh-keys in the metadata"),
    ],
)
def test_a_difference_is_another_template_which_the_group_follows(cloud, compute, fields, differing, reason):
    first = template()
    apply(cloud, first, manager(first))
    second = template(**fields)
    made = apply(cloud, second, manager(second))
    assert changed(made) == {KEY: differing, "InstanceGroupManager/b-nodes-demo-example-com": ["instance_template"]}
    assert made.pending() == {
        "nodes-demo-example-com": f"instances that run get it only when they are replaced: {reason}"
    }
    assert names(compute) == sorted({str(first.id), str(second.id)})
    assert compute.only("instanceGroupManagers")["instanceTemplate"].endswith(f"/{second.id}")
    again = template(**fields)
    assert not plan(cloud, again, manager(again)).changed


def test_back_again_is_the_first_one_again(cloud, compute):
    first, second = template(), template(machine_type="e2-large")
    apply(cloud, first, manager(first))
    apply(cloud, second, manager(second))
    third = template()
    compute.forget()
    made = apply(cloud, third, manager(third))
    assert third.id == first.id
    assert changed(made) == {"InstanceGroupManager/b-nodes-demo-example-com": ["instance_template"]}
    assert compute.writes == [("POST", f"{MANAGER}/setInstanceTemplate")]


def test_user_data_that_is_known_later_counts_when_it_is_known(cloud, compute):
    """Without DNS it names the address of a load balancer, which Google chooses."""
    address = Address("api-demo")

    def with_address() -> InstanceTemplate:
        return template(more_metadata={"startup-script": Deferred([address], lambda: f"ask {address.ip_address}")})

    first = with_address()
    made = plan(cloud, first, manager(first))
    planned = first.id
    address.ip_address = "10.0.16.9"
    apply_plan(made, cloud)
    assert first.id != planned
    assert compute.only("instanceGroupManagers")["instanceTemplate"].endswith(f"/{first.id}")
    assert {"key": "startup-script", "value": "ask 10.0.16.9"} in compute.only("instanceTemplates")["properties"][
        "metadata"
    ]["items"]
    again = with_address()
    assert not plan(cloud, again, manager(again)).changed


def test_former_ones_are_pruned_when_nothing_is_made_from_them(cloud, compute):
    versions = [template(machine_type=f"e2-standard-{number}") for number in (2, 4, 8)]
    apply(cloud, versions[0], manager(versions[0]))
    compute.start(MANAGER)
    for version in versions[1:]:
        apply(cloud, version, manager(version))
    wanted = template(machine_type="e2-standard-8")
    # Pruning is to be asked for, and an instance is of the first one still.
    assert deleted(plan(cloud, wanted, manager(wanted))) == []
    assert deleted(apply(cloud, wanted, manager(wanted), prune=True)) == [versions[1].id]
    assert names(compute) == sorted({str(versions[0].id), str(versions[2].id)})
    compute.drop("instances")
    apply(cloud, wanted, manager(wanted), prune=True)
    assert names(compute) == [versions[2].id]


def test_templates_of_others_are_not_looked_at(cloud, compute):
    apply(cloud, template())
    properties = compute.only("instanceTemplates")["properties"]
    for cluster, group in (("other.example.com", "nodes"), ("demo.example.com", "nodes-2")):
        items = [{"key": "cluster-name", "value": cluster}, {"key": "kops-k8s-io-instance-group-name", "value": group}]
        compute.put(
            f"global/instanceTemplates/nodes-demo-example-com-{group}-{cluster[:3]}",
            properties={**properties, "metadata": {"items": items}},
        )
    made = plan(cloud, template(), prune=True)
    assert not made.changed


def test_a_lost_answer_makes_no_twin(cloud, compute):
    compute.lose = True
    with pytest.raises(Exception, match="lost"):
        apply(cloud, template())
    assert not apply(cloud, template()).changed
    assert len(names(compute)) == 1


@pytest.mark.parametrize(
    ("field", "said"), [("boot_disk_image", "spec.image: ''"), ("machine_type", "no machine type")]
)
def test_what_is_lacking_is_said_before_anything_is_written(cloud, compute, field, said):
    with pytest.raises(PlanError, match=said):
        plan(cloud, template(**{field: None}))
    assert not compute.writes
