# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Objects of Google Cloud as Terraform, where kops' cases do not show them."""

from __future__ import annotations

import hcl2
import pytest
from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import GCE
from ansible_collections.kubeops.kops.plugins.module_utils.api.terraform_providers import PROVIDERS
from ansible_collections.kubeops.kops.plugins.module_utils.base.errors import KopsError
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce import identifiers
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.disk import Disk
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.instance_template import (
    AcceleratorConfig,
    InstanceTemplate,
)
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.network import Network
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.service_account import ServiceAccount
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.storage_bucket_iam import StorageBucketIAM
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.gce.tasks.subnet import Subnet
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.terraform import TerraformTarget

EMAIL = "nodes@my-project.iam.gserviceaccount.com"


def rendered(*tasks):
    """Resources by type and name, and the files beside the configuration."""
    files = TerraformTarget(PROVIDERS[GCE], {"project": "my-project"}).render(tasks)
    resources = {}
    for block in hcl2.loads(files.pop("kubernetes.tf").decode()).get("resource", ()):
        for kind, named in block.items():
            for name, attributes in named.items():
                resources[kind.strip('"'), name.strip('"')] = attributes
    return resources, files


def only(resources):
    """The attributes of the one resource."""
    (attributes,) = list(resources.values())
    return attributes


def plain(value):
    return value.strip('"') if isinstance(value, str) else value


def test_shared_objects_are_named_and_not_made():
    network = Network("net", project="host", shared=True)
    subnet = Subnet("theirs", network=network, shared=True)
    account = ServiceAccount("shared", email=EMAIL, shared=True)
    template = InstanceTemplate(
        "nodes",
        name_prefix="nodes",
        network=network,
        subnet=subnet,
        service_accounts=[account],
        boot_disk_image="mine",
        project="my-project",
    )
    resources, _files = rendered(network, subnet, account, template)
    assert list(resources) == [("google_compute_instance_template", "nodes")]
    attributes = resources["google_compute_instance_template", "nodes"]
    interface = attributes["network_interface"][0]
    assert (plain(interface["network"]), plain(interface["subnetwork"])) == ("host/net", "host/theirs")
    assert plain(attributes["service_account"][0]["email"]) == EMAIL
    assert plain(attributes["disk"][0]["source_image"]).endswith("/projects/my-project/global/images/mine")


def test_subnet_with_secondary_ranges_and_ipv6():
    ranges = {"services": "10.1.0.0/16", "pods": "10.4.0.0/14"}
    subnet = Subnet("a", network=Network("net"), ipv6_access_type="EXTERNAL", secondary_ip_ranges=ranges)
    attributes = only(rendered(subnet)[0])
    assert [plain(block["range_name"]) for block in attributes["secondary_ip_range"]] == ["pods", "services"]
    assert plain(attributes["ipv6_access_type"]) == "EXTERNAL"
    assert "google_compute_network.net.name" in attributes["network"]


def test_template_with_gpus_and_long_metadata():
    template = InstanceTemplate(
        "gpu",
        name_prefix="gpu",
        boot_disk_image="p/i",
        guest_accelerators=[AcceleratorConfig(2, "nvidia-tesla-t4")],
        has_external_ip=True,
        metadata={"short": "one line", "user-data": "#!/bin/bash\n"},
    )
    resources, files = rendered(template)
    attributes = resources["google_compute_instance_template", "gpu"]
    accelerator = attributes["guest_accelerator"][0]
    assert (accelerator["count"], plain(accelerator["type"])) == (2, "nvidia-tesla-t4")
    assert "access_config" in attributes["network_interface"][0]
    assert files == {"data/google_compute_instance_template_gpu_metadata_user-data": b"#!/bin/bash\n"}


def test_bucket_access_names_the_account_by_reference():
    account = ServiceAccount("node", email=EMAIL)
    access = StorageBucketIAM(
        "reads", bucket="store", member_service_account=account, role="roles/storage.objectViewer"
    )
    resources, _files = rendered(account, access)
    assert plain(resources["google_service_account", "node"]["account_id"]) == "nodes"
    member = resources["google_storage_bucket_iam_member", "reads"]["member"]
    assert 'format("serviceAccount:%s", google_service_account.node.email)' in member


def test_disk_with_given_performance():
    disk = Disk("a", volume_type="hyperdisk-balanced", volume_iops=6000, volume_throughput=1000)
    attributes = only(rendered(disk)[0])
    assert (attributes["provisioned_iops"], attributes["provisioned_throughput"]) == (6000, 1000)


@pytest.mark.parametrize("wrong", ["default", "a@example.com", f"@my-project{identifiers.ACCOUNT_DOMAIN}"])
def test_address_that_is_no_service_account(wrong):
    with pytest.raises(KopsError, match="is not the address of a service account"):
        identifiers.split_account_email(wrong)


@pytest.mark.parametrize("wrong", ["", "a/b/c", "/image"])
def test_malformed_image(wrong):
    with pytest.raises(KopsError, match=r"spec\.image"):
        identifiers.image_url(wrong, "my-project")
