# Copyright: (c) 2026, kubeops.kops contributors
# GNU General Public License v3.0+ (see COPYING or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""What Terraform is told of a cluster in DigitalOcean."""

from __future__ import annotations

import dataclasses

from ansible_collections.kubeops.kops.plugins.module_utils.api.clouds import DIGITALOCEAN
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.record import Record
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.ssh_key import SSHKey
from ansible_collections.kubeops.kops.plugins.module_utils.cloud.digitalocean.tasks.vpc import VPC
from ansible_collections.kubeops.kops.plugins.module_utils.engine.targets.imports import Import, imports_of
from ansible_collections.kubeops.kops.tests.support.digitalocean import wanted
from ansible_collections.kubeops.kops.tests.support.digitalocean.catalog import REGION
from ansible_collections.kubeops.kops.tests.support.rendered import resources

NAME = "demo.example.com"
BALANCER = "digitalocean_loadbalancer.api-demo-example-com"


def rendered() -> dict[str, str]:
    return resources(DIGITALOCEAN, wanted.tasks(NAME))


def test_a_load_balancer_passes_tls_on_to_the_droplets_of_a_tag() -> None:
    block = rendered()[BALANCER]
    assert 'droplet_tag = "KubernetesCluster-Master:demo-example-com"' in block
    assert "vpc_uuid = digitalocean_vpc." in block
    assert block.count("forwarding_rule {") == 3
    assert block.count("tls_passthrough = true") == 2
    assert "healthcheck {\n check_interval_seconds = 60" in block


def test_data_of_etcd_are_never_destroyed_and_have_the_tags_by_which_they_are_found() -> None:
    volumes = [block for name, block in rendered().items() if name.startswith("digitalocean_volume")]
    assert len(volumes) == 2
    assert all("prevent_destroy = true" in block for block in volumes)
    assert all("kubeops-cluster:demo_example_com" in block or "KubernetesCluster:" in block for block in volumes)


def test_names_that_control_planes_keep_are_only_made() -> None:
    found = rendered()
    inside = found["digitalocean_record.api-internal-demo-example-com-A"]
    assert 'value = "203.0.113.123"' in inside
    assert "ignore_changes = [ttl, value]" in inside
    outside = found["digitalocean_record.k8s-example-com-A"]
    assert f"value = {BALANCER}.ip" in outside
    assert "ignore_changes" not in outside


def test_a_name_that_does_not_say_whose_it_is_has_a_text_beside_it() -> None:
    record = Record("k8s.example.com A", domain="example.com", title="k8s.example.com", type="A", marked=True)
    record.id, record.mark = "1", "2"
    found = resources(DIGITALOCEAN, [record])
    assert 'value = "kubeops.kops cluster ${local.cluster_name}"' in found["digitalocean_record.k8s-example-com-TXT"]
    assert imports_of([record]) == [
        Import("digitalocean_record", "k8s.example.com-A", "example.com,1"),
        Import("digitalocean_record", "k8s.example.com-TXT", "example.com,2"),
    ]
    record.mark = None
    assert len(imports_of([record])) == 1


def test_what_is_lent_is_in_no_resource() -> None:
    key = SSHKey("kubernetes.demo.example.com", public_key=wanted.public_key(NAME))
    assert len(resources(DIGITALOCEAN, [key])) == 1
    theirs = dataclasses.replace(key, is_users=True)
    theirs.id = "7"
    vpc = VPC("5a4981aa", given=True)
    assert resources(DIGITALOCEAN, [theirs, vpc]) == {}
    assert imports_of([theirs, vpc]) == []
    assert vpc.terraform_link() == "5a4981aa"


def test_a_vpc_names_the_cluster() -> None:
    (block,) = resources(DIGITALOCEAN, [VPC("vpc-demo", region=REGION, ip_range="10.20.0.0/20")]).values()
    assert 'description = "kubeops.kops cluster ${local.cluster_name}"' in block
